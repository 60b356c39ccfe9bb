# SPDX-License-Identifier: Apache-2.0
"""The import hook: gives a script modules of mindscope for ``wandb`` and other libraries, installed or not."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

_TORCH = "torch.utils.tensorboard"
_VERSIONS = {"wandb": "0.31.0", "trackio": "0.43.0", "swanlab": "0.10.3", "tensorboardX": "2.6.5"}
"""The versions whose names the modules have, for scripts and libraries that ask."""
_IMPLEMENTATIONS = {
    "wandb": "mindscope.redirect.modules.wandb_module",
    "trackio": "mindscope.redirect.modules.trackio_module",
    "swanlab": "mindscope.redirect.modules.swanlab_module",
    "tensorboardX": "mindscope.redirect.modules.tensorboard_module",
    _TORCH: "mindscope.redirect.modules.tensorboard_module",
}
_OF_TORCH = (_TORCH, f"{_TORCH}.writer", f"{_TORCH}.summary")
"""The other modules of that package stay those of PyTorch."""


def install() -> None:
    """Redirect all imports of this process from now on."""
    if not any(isinstance(finder, Redirection) for finder in sys.meta_path):
        sys.meta_path.insert(0, Redirection())


class Redirection(MetaPathFinder, Loader):
    """Finds and fills the modules. Each import of a script ends here or with Python's own finders."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of a redirected module; None for another one, and for a module of the user's own."""
        library = _library(fullname)
        if library is None or (library != _TORCH and _is_own(library)):
            return None
        spec = ModuleSpec(fullname, self, origin="mindscope run", is_package=True)
        if fullname == _TORCH:
            spec.submodule_search_locations = [str(Path(folder) / "tensorboard") for folder in path or ()]
        return spec

    def exec_module(self, module: ModuleType) -> None:
        """Fill the module with names."""
        library = _library(module.__name__) or ""
        names: dict[str, Any] = import_module(_IMPLEMENTATIONS[library]).names_of(module.__name__)
        module.__dict__.update({"__version__": _VERSIONS.get(library), **names})

    def find_distributions(self, context: Any = None) -> Iterator[Any]:
        """Yield the distribution of a redirected library that is asked for by its name, not in lists of all."""
        wanted = str(getattr(context, "name", None) or "").lower()
        for name, version in _VERSIONS.items():
            if wanted == name.lower() and not _is_own(name):
                yield _distributions().Installed(name, version)


def _library(module: str) -> str | None:
    if module.startswith("torch."):
        return _TORCH if module in _OF_TORCH else None
    top = module.partition(".")[0]
    return top if top in _IMPLEMENTATIONS else None


def _is_own(library: str) -> bool:
    """Return whether the script would import a module of the user's own, as from its own directory.

    A directory without ``__init__.py`` is none: W&B itself makes ``wandb/``.
    """
    spec = PathFinder.find_spec(library)
    if spec is None or spec.origin is None:
        return False
    is_package = Path(spec.origin).name == "__init__.py"
    return "-packages" not in spec.origin and not (is_package and _distributions().is_declared(library, Redirection))


def _distributions() -> Any:
    """Return the module that needs ``importlib.metadata``, which takes longer to import than the rest of the hook."""
    return import_module("mindscope.redirect.distributions")
