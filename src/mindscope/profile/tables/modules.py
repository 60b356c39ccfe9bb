# SPDX-License-Identifier: Apache-2.0
"""The tree of modules (PyTorch) or scopes (MindSpore), with times."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from mindscope.table.columns import Counts, Durations, Rows, Sizes, Texts
from mindscope.table.schema import Title
from mindscope.table.table import Table


@dataclass(frozen=True, kw_only=True)
class Modules(Table):
    """One row for each module instance, parents before their children."""

    path: Texts
    """Names from the root on, joined by ``/``: ``Net_0/Sequential_0/Linear_1``; unique."""
    name: Texts
    """The last name of the path."""
    parent: Rows
    """Row of the module that calls it; -1 for a root."""
    count: Counts
    """Number of calls."""
    host_total: Durations | None = None
    """Time between begin and end of its forward function."""
    host_self: Durations | None = None
    """Time without the modules that it calls."""
    device_total: Durations | None = None
    """Sum of the kernels that were launched meanwhile."""
    device_self: Durations | None = None
    backward: Durations | None = None
    """Time of the operators of its backward pass, without those that they call, and of the modules that it calls."""
    flops: Counts | None = None
    """Operations of all calls, with those of the modules that it calls."""
    memory: Annotated[Sizes, Title("memory_bytes")] | None = None
    """Bytes that remained allocated at its end, over all calls."""
