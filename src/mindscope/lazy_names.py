# SPDX-License-Identifier: Apache-2.0
"""Public names of a package that are imported at their first use (PEP 562)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_names(package: str, modules: Mapping[str, str]) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a package: ``modules`` has the public names, separated by spaces, of each module.

    It raises AttributeError for another name.
    """
    homes = {name: module for module, names in modules.items() for name in names.split()}

    def getattr_of_package(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(homes[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return getattr_of_package
