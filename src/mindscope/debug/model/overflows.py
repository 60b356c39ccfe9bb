# SPDX-License-Identifier: Apache-2.0
"""Overflows within operators, which a device records even if no tensor shows them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Overflow:
    """One record."""

    operator: str
    """Full name; empty if the operator was not dumped."""
    order: int
    """Order of the operator as in ``StepStatistics.order``; -1 if it was not dumped."""
    unit: str
    """Unit of the device: ``AI Core``, ``AI CPU``, ..."""
    stream: int
    task: int
