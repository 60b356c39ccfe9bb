# SPDX-License-Identifier: Apache-2.0
"""Represents NaN and infinities in JSON."""

from __future__ import annotations

import math


def finite(number: float | None) -> float | None:
    """Return the number, null for NaN and infinities."""
    return number if number is not None and math.isfinite(number) else None


def not_a_number(value: float) -> str | None:
    """Return NaN, Infinity or -Infinity as text, None for a finite number."""
    if math.isnan(value):
        return "NaN"
    return None if math.isfinite(value) else "Infinity" if value > 0 else "-Infinity"
