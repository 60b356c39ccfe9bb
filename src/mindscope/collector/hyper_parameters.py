# SPDX-License-Identifier: Apache-2.0
"""Hyperparameters of a trainer, of any type, as entries of the user-defined lineage."""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from typing import Any, cast

_MOST_CHARACTERS = 500
"""Limit of the text of an object that is no number, such as a network among other arguments."""


def flat_parameters(parameters: Mapping[Any, Any]) -> dict[str, Any]:
    """Return parameters without nesting: nested ones as ``outer.inner``.

    Numbers and texts stay as they are, anything else becomes its text.
    """
    flat: dict[str, Any] = {}
    for name, value in parameters.items():
        inner = _mapping(value)
        if inner is None:
            flat[str(name)] = _plain(value)
        else:
            flat |= {f"{name}.{key}": flat_parameter for key, flat_parameter in flat_parameters(inner).items()}
    return flat


def _mapping(value: Any) -> Mapping[Any, Any] | None:
    """Return a dict, or the attributes of what argparse gives."""
    if isinstance(value, Mapping):
        return cast("Mapping[Any, Any]", value)
    return cast("dict[str, Any]", vars(value)) if type(value).__name__ == "Namespace" else None


def _plain(value: Any) -> Any:
    is_plain = isinstance(value, (str, numbers.Real)) or type(value).__name__ == "bool_"
    return value if is_plain else str(value)[:_MOST_CHARACTERS]
