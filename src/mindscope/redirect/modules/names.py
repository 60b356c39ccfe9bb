# SPDX-License-Identifier: Apache-2.0
"""Names of a module: constant ones, those that change, and what stands for all others."""

from __future__ import annotations

import secrets
import string
from collections.abc import Callable, Collection, Mapping
from importlib import import_module
from typing import Any

from mindscope.redirect.ignored import unknown


def module_names(
    module: str, constant: Mapping[str, Any], current: Mapping[str, Callable[[], Any]], submodules: Collection[str]
) -> dict[str, Any]:
    """Return the names of ``module``: ``constant``, the values of ``current`` at each use, ``submodules``, and others.

    What is in none of them is ignored.
    """

    def getattr_of_module(name: str) -> Any:
        if name in current:
            return current[name]()
        if name in submodules:
            return import_module(f"{module}.{name}")
        return unknown(f"{module}.{name}")

    return {**constant, "__getattr__": getattr_of_module}


def generate_id(length: int = 8) -> str:
    """Return an id that no other run has."""
    return "".join(secrets.choice(string.ascii_lowercase + string.digits) for _ in range(int(length)))
