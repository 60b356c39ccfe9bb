# SPDX-License-Identifier: Apache-2.0
"""Nested dicts and the objects that hold a configuration, as flat dicts."""

from __future__ import annotations

import dataclasses
import json
import math
from argparse import Namespace
from collections.abc import Iterator, Mapping
from typing import Any, cast

from mindscope.errors import TypeRejectedError

_MOST_LEVELS = 32
"""Limit of levels; a dict that contains itself has more."""


def flat(values: Mapping[Any, Any], separator: str) -> dict[str, Any]:
    """Return the leaves of nested dicts: ``{"a": {"b": 1}}`` gives ``a/b`` with the separator ``/``.

    Raises TypeRejectedError for more than 32 levels.
    """
    return dict(_leaves(values, "", separator, _MOST_LEVELS))


def entries(config: Any) -> Mapping[Any, Any]:
    """Return the entries of a dict, a Namespace of argparse, a dataclass, or a configuration of OmegaConf or pydantic.

    Raises TypeRejectedError for another object.
    """
    if config is None:
        return {}
    if isinstance(config, Mapping):
        return cast("Mapping[Any, Any]", config)
    if isinstance(config, Namespace):
        return vars(config)
    if dataclasses.is_dataclass(config) and not isinstance(config, type):
        return {field.name: getattr(config, field.name) for field in dataclasses.fields(config)}
    other: Any = cast(Any, config)
    if hasattr(other, "model_dump"):
        return other.model_dump()
    if hasattr(other, "items"):  # such as a configuration of ml_collections
        return dict(other.items())
    raise TypeRejectedError(
        f"config is {type(config).__name__}, want a dict, a Namespace, a dataclass or a configuration of OmegaConf"
    )


def flat_config(config: Any) -> dict[str, Any]:
    """Return the leaves of a configuration under names with ``.``. Raises TypeRejectedError."""
    return dict(_config_leaves(entries(config), "", _MOST_LEVELS))


def parameter(value: Any) -> str | float | bool:
    """Return a parameter as it is recorded: a text, a number or a bool; lists as JSON, other objects as their text."""
    if isinstance(value, (str, bool, int, float)):
        return value
    if hasattr(value, "item") and math.prod(getattr(value, "shape", (0,))) == 1:
        return parameter(value.item())
    if isinstance(value, (list, tuple)):
        return json.dumps(value, default=str)
    return str(value)


def _leaves(values: Mapping[Any, Any], prefix: str, separator: str, levels: int) -> Iterator[tuple[str, Any]]:
    for key, value in values.items():
        name = f"{prefix}{key}"
        if not isinstance(value, Mapping):
            yield name, value
        else:
            yield from _leaves(_inner(value, name, levels), f"{name}{separator}", separator, levels - 1)


def _config_leaves(values: Mapping[Any, Any], prefix: str, levels: int) -> Iterator[tuple[str, Any]]:
    for key, value in values.items():
        name = f"{prefix}{key}"
        is_nested = isinstance(value, (Mapping, Namespace)) or (
            dataclasses.is_dataclass(value) and not isinstance(value, type)
        )
        if is_nested:
            yield from _config_leaves(_inner(entries(value), name, levels), f"{name}.", levels - 1)
        else:
            yield name, value


def _inner(values: Any, name: str, levels: int) -> Mapping[Any, Any]:
    if levels == 0:
        raise TypeRejectedError(f"{name[:40]!r} has more than {_MOST_LEVELS} levels")
    return values
