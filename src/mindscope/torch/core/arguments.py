# SPDX-License-Identifier: Apache-2.0
"""Arguments of callbacks, checked when they are made."""

from __future__ import annotations

import numbers
from typing import Any


def check_count(name: str, value: Any, least: int = 0) -> int:
    """Return a whole number of at least ``least``. Raises TypeError, ValueError."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise TypeError(f"{name} is {type(value).__name__} {value!r}, want a whole number of at least {least}")
    if value < least:
        raise ValueError(f"{name} is {value}, want at least {least}")
    return int(value)


def check_optional_count(name: str, value: Any, least: int = 0) -> int | None:
    """Check a count as ``check_count``; None stays None."""
    return None if value is None else check_count(name, value, least)


def check_number(name: str, value: Any) -> float:
    """Return a real number. Raises TypeError."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name} is {type(value).__name__} {value!r}, want a number")
    return float(value)


def check_flag(name: str, value: Any) -> bool:
    """Return true or False. Raises TypeError."""
    if not isinstance(value, bool):
        raise TypeError(f"{name} is {type(value).__name__} {value!r}, want True or False")
    return value


def check_choice(name: str, value: Any, choices: tuple[str, ...]) -> str:
    """Return one of the texts. Raises TypeError, ValueError."""
    if not isinstance(value, str):
        raise TypeError(f"{name} is {type(value).__name__} {value!r}, want one of {', '.join(choices)}")
    if value not in choices:
        raise ValueError(f"{name} is {value!r}, want one of {', '.join(choices)}")
    return value


def check_text(name: str, value: Any) -> str:
    """Return text that is not empty. Raises TypeError."""
    if not isinstance(value, str) or not value:
        raise TypeError(f"{name} is {type(value).__name__} {value!r}, want text")
    return value
