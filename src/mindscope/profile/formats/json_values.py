# SPDX-License-Identifier: Apache-2.0
"""Values of JSON files whose layout nobody guarantees: what is not as expected counts as empty."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast


def mapping_of(value: Any) -> Mapping[str, Any]:
    """An object; empty for anything else."""
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def list_of(value: Any) -> list[Any]:
    """A list; empty for anything else."""
    return cast("list[Any]", value) if isinstance(value, list) else []


def whole_of(value: Any, other: int) -> int:
    """A whole number of 64 bits, also as a text; ``other`` for anything else."""
    try:
        found = int(value)
    except (TypeError, ValueError, OverflowError):
        return other
    return found if -(1 << 63) <= found < 1 << 63 else other


def number_of(value: Any) -> float:
    """A number, also as a text; 0 for anything else."""
    try:
        return float(value)
    except (TypeError, ValueError):
        return 0.0
