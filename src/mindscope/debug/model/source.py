# SPDX-License-Identifier: Apache-2.0
"""Defines what every format of debugging data offers to the analysis, the Python API and the page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from mindscope.debug.model.elements import TensorElements
from mindscope.debug.model.fields import Field
from mindscope.debug.model.overflows import Overflow
from mindscope.debug.model.step_statistics import StepStatistics
from mindscope.debug.model.tensors import DebugTensor

RECORDED_BEFORE = "mindscope"
"""The format of a Debugger, which reads the inputs of an in-place operator before it runs; others do so after."""


class DebugSource(Protocol):
    """Debugging data of one training, of all its ranks; statistics are read on access."""

    @property
    def format(self) -> str:
        """Stable name of the format: ``mindscope``, ``mindspore_dump``, ``msprobe``, ..."""
        ...

    @property
    def framework(self) -> str:
        """``torch``, ``mindspore``, or empty."""
        ...

    @property
    def ranks(self) -> Sequence[int]:
        """Ranks with data, ascending."""
        ...

    @property
    def tensors(self) -> Sequence[DebugTensor]:
        """All tensors of all steps and ranks; their indexes are in ``StepStatistics.tensor``."""
        ...

    @property
    def fields(self) -> frozenset[Field]:
        """The statistics that this source has of at least some tensors."""
        ...

    def steps(self, rank: int) -> Sequence[int]:
        """Return steps with data of a rank, ascending."""
        ...

    def at(self, step: int, rank: int) -> StepStatistics:
        """Return the statistics of a step.

        Raises:
            DebugDataError: this rank has no data of this step.
            FormatError, OSError: the file is damaged, or can't be read.
        """
        ...

    def array(self, step: int, rank: int, row: int) -> NDArray[Any] | None:
        """Return the whole tensor of a row of ``at(step, rank)``; None if only its statistics were recorded.

        bfloat16 and smaller floats come as float32. Raises as ``at``.
        """
        ...

    def elements(self, step: int, rank: int, row: int) -> TensorElements | None:
        """Return the elements of a tensor of any size, as ``array``; they are read piece by piece."""
        ...

    def overflows(self, step: int, rank: int) -> Sequence[Overflow]:
        """Return overflows within operators that a device recorded, also if no tensor shows them; empty without any.

        Raises as ``at``.
        """
        ...

    def history(self, tensors: Sequence[int], field: Field, rank: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return steps, shape (steps,), and one statistic of some tensors at them, shape (steps, tensors).

        NaN where it was not recorded. Of a tensor that a step has more than once, the last one.
        """
        ...
