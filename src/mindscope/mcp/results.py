# SPDX-License-Identifier: Apache-2.0
"""Values, texts and counts as tools answer them: short, exact, in strict JSON."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timezone
from typing import Annotated, Any, NamedTuple, TypeVar

import numpy as np
from pydantic import Field
from typing_extensions import TypedDict

from mindscope import reading
from mindscope.lineage.scalar_summary import shortest

T = TypeVar("T")

MOST_CHARACTERS = 50_000
"""Longest answer as JSON, some 20,000 tokens; longer ones are errors that say how to narrow the request."""
LONGEST_TEXT = 500
LONGEST_NAME = 1000

Name = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
Condition = Annotated[str, Field(max_length=4000)]
Cell = Annotated[Any, Field(description='A number, a text, a list or null; "NaN", "Infinity", "-Infinity" as texts.')]


class Point(TypedDict):
    """A value and its step."""

    step: int
    value: Cell


class Picture(NamedTuple):
    """A PNG, and a sentence about it."""

    png: bytes
    text: str


def number(value: Any) -> Any:
    """Return a number of NumPy or Python, a float32 as the shortest decimal; numbers that JSON lacks as texts."""
    return reading.json_cell(shortest(value) if isinstance(value, np.floating) else value)


def cut(text: str, most: int = LONGEST_TEXT) -> str:
    """Return the text, or its first characters and how many follow."""
    return text if len(text) <= most else f"{text[:most]}… ({len(text) - most:,} more characters)"


def time_text(wall_time: float | None) -> str | None:
    """Return a time in ISO 8601, in UTC; None without one, or for one that no calendar has."""
    try:
        return None if wall_time is None else datetime.fromtimestamp(wall_time, timezone.utc).isoformat(" ", "seconds")
    except (OverflowError, ValueError, OSError):
        return None


def count_text(listed: int, total: int, noun: str, remedy: str = "") -> str:
    """Return how many of all are in an answer, and how to get others: ``12 of 340 runs; narrow by pattern.``"""
    if listed < total:
        return f"{listed:,} of {counted(total, noun)}; {remedy}."
    return f"{counted(total, noun)}."


def counted(count: int, noun: str) -> str:
    """Return a number with its noun: ``1 run``, ``340 runs``."""
    return f"{count:,} {noun if count == 1 else f'{noun}s'}"


def sentence(text: str) -> str:
    """Return a text with a full stop, if it has no other sign at its end, and without invalid UTF-8."""
    clean = text.encode("utf-8", "replace").decode().rstrip()
    return clean if clean.endswith((".", "?", "!")) else f"{clean}."


def rounded(value: Any, digits: int = 6) -> Any:
    """Return a number with some significant digits; other values as they are."""
    return float(f"{value:.{digits}g}") if isinstance(value, float) and np.isfinite(value) else value


def first(items: Iterable[T], most: int) -> list[T]:
    """Return the first items, at most ``most``."""
    return [item for _, item in zip(range(most), items, strict=False)]
