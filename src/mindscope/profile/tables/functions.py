# SPDX-License-Identifier: Apache-2.0
"""Python functions of the user, with their times outside of operators."""

from __future__ import annotations

from dataclasses import dataclass

from mindscope.table.columns import Durations, Texts
from mindscope.table.table import Table

DATA, LOGGING, PROFILER, FRAMEWORK = "data", "logging", "profiler", "framework"
"""Purposes of functions: below a DataLoader; in a library that records; in the profiler; in the framework."""


@dataclass(frozen=True, kw_only=True)
class Functions(Table):
    """One row for each function, purpose and function of a library that it calls, the greatest time first.

    They are those of the thread of the steps, within the steps. Time of a library belongs to the function of the user
    that calls it.
    """

    name: Texts
    """File, line of the definition and name: ``train.py(12): decode``. A function that began before the first step has
    no line, since the trace has that of its call then. Empty where no function of the user is on the stack.
    """
    frame: Texts
    """The name as stacks have it."""
    purpose: Texts
    """``data``, ``logging``, ``profiler``, ``framework``, or empty: the user's own code and other libraries."""
    callee: Texts
    """The first function of a library that it calls; empty for its own code."""
    host_self: Durations
    """Time without operators."""
