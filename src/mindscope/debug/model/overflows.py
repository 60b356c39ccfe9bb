# SPDX-License-Identifier: Apache-2.0
"""Overflows within operators, which a device records even if no tensor shows them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Overflow:
    """A record of an overflow within an operator."""

    operator: str
    """Full name of the operator; empty if it was not dumped."""
    order: int
    """Order of the operator as in ``StepStatistics.order``; -1 if it was not dumped."""
    unit: str
    """Unit of the device: ``AI Core``, ``AI CPU``, ..."""
    stream: int
    task: int
