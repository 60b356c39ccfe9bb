# SPDX-License-Identifier: Apache-2.0
"""The two names under which Lightning is installed."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

from mindscope.errors import MissingPackageError

_PACKAGES = {"lightning": "lightning.pytorch", "pytorch_lightning": "pytorch_lightning"}


def classes_of(name: str, submodule: str = "") -> tuple[type, ...]:
    """Return the class of each package of Lightning that is installed: a trainer wants its own.

    Raises MissingPackageError.
    """
    modules = [module + submodule for package, module in _PACKAGES.items() if find_spec(package)]
    if not modules:
        raise MissingPackageError("lightning is not there, and its collector needs it; pip install lightning")
    return tuple(getattr(import_module(module), name) for module in modules)
