# SPDX-License-Identifier: Apache-2.0
"""Holds what the host calls in a step, as one tree, with the times of each step: what a difference aligns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from mindscope.table.columns import Durations, Texts, Times
from mindscope.table.schema import EQUAL, SUM, Unit
from mindscope.table.table import Table

Indices = Annotated[NDArray[np.int32], Unit.ID, EQUAL]
"""Rows of another table. A long trace has millions of them."""
SmallCounts = Annotated[NDArray[np.int32], Unit.COUNT, SUM]

MODULE, OPERATOR, ANNOTATION, LAUNCH, THREAD = "module", "operator", "annotation", "launch", "thread"


@dataclass(frozen=True, kw_only=True)
class Calls(Table):
    """One row for each call of a step: the second ``aten::mm`` of a module is one row, however many steps run it.

    Parents precede their children.
    """

    name: Texts
    """Names, such as ``Linear_0`` and ``aten::mm``."""
    kind: Texts
    """``module``, ``operator``, ``annotation``, ``launch``; ``thread`` for another one than that of the steps."""
    parent: Indices
    """-1 for what the thread of the steps calls itself."""
    module: Texts
    """Path of the module that it belongs to; of the backward pass that of its forward operator; empty without one."""
    start: Times
    """Time from the begin of the step to the earliest begin of the call."""


@dataclass(frozen=True, kw_only=True)
class CallTimes(Table):
    """One row for each call of ``Calls`` and step that ran it."""

    call: Indices
    step: Indices
    """Row of ``Steps``; 0 in a profile without steps, which is one step."""
    count: SmallCounts
    host_self: Durations
    """Time without the calls within it. On the thread of the steps, it sums to the time of the step within any call."""
    device_self: Durations
    """Sum of the kernels that it launched; zeros without a device."""


@dataclass(frozen=True, kw_only=True)
class KernelTimes(Table):
    """One row for each name of a kernel and step that launched it."""

    name: Texts
    kind: Texts
    """Kind of the kernel: ``compute``, ``communication``, ``copy``."""
    step: Indices
    count: SmallCounts
    total: Durations


@dataclass(frozen=True)
class CallTree:
    """``kernels`` is None without a device. What lies outside of steps is left out."""

    calls: Calls
    times: CallTimes
    kernels: KernelTimes | None = None
