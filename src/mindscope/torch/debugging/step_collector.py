# SPDX-License-Identifier: Apache-2.0
"""Collects the tensors of one step: operators in the order of their execution, with statistics."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable
from threading import Lock
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from mindscope.capture.tensor_statistics import StepColumns
from mindscope.debug.model.fields import COLUMN, FIELDS, Field
from mindscope.debug.model.tensors import Phase, Role
from mindscope.torch.core.network_names import ParameterLocation
from mindscope.torch.debugging._step_rows import Run, StepRows
from mindscope.torch.debugging.buffers import WatchedTensor
from mindscope.torch.debugging.step_vectors import StepVectors
from mindscope.torch.debugging.tensor_table import KnownTensors

Result = TypeVar("Result")
_NON_FINITE = [COLUMN[each] for each in (Field.NAN, Field.POSITIVE_INF, Field.NEGATIVE_INF)]


class CollectedStep(NamedTuple):
    """A step whose statistics may still be on their way from a device."""

    step: int
    rows: int
    fetch: Callable[[], StepColumns]
    """Waits for the device. Any thread may call it."""
    is_ready: Callable[[], bool]
    """Whether ``fetch`` does not wait."""
    loss: Callable[[], bool | None]
    """Whether the loss is finite; None if no loss was given. Waits as ``fetch``."""


class StepCollector(StepRows):
    """The operators of a step and their tensors. One thread at a time.

    Args:
        tensors: of the debugger.
        capacity: tensors of the step before.
        reasons: counts tensors that can't be summarized.
    """

    def __init__(self, tensors: KnownTensors, capacity: int, reasons: Counter[str]) -> None:
        self._vectors = StepVectors(capacity, reasons)
        self._indexes, self._sources, self._runs = array("i"), array("i"), array("i")
        self._ended = array("q")
        super().__init__(self._vectors, tensors, self._indexes, self._sources, self._runs, self._ended)
        self._loss_row = -1
        self._watched: list[tuple[int, WatchedTensor, int]] = []  # index among the rows, and number of the read

    @property
    def vectors(self) -> StepVectors:
        """Rows of statistics."""
        return self._vectors

    def add_loss(self, loss: Tensor) -> None:
        """Add the loss of the step."""
        run = self.begin("", "loss", Phase.FORWARD, tuple)
        self._loss_row = self.add(run, Role.OUTPUT, "", loss)

    def add_buffer(self, run: Run, slot: str, tensor: Tensor, row: int, buffer: WatchedTensor) -> None:
        """Add a buffer that was read, with its row; it is left out if it turns out to be finite, as ever before."""
        self._add_watched(run, Role.BUFFER, slot, tensor, row, buffer)

    def add_before(
        self, location: ParameterLocation, parameter: Tensor, row: int, watched: WatchedTensor | None = None
    ) -> None:
        """Add the row of a parameter as it was before the step; it is left out as ``add_buffer`` says."""
        run = self.begin_call(location.module, location.type, Phase.FORWARD, 0, tuple)
        self._ended[run.number] = 0  # before all operators
        self._add_watched(run, Role.PARAMETER, location.name, parameter, row, watched or WatchedTensor())

    def _add_watched(self, run: Run, role: Role, slot: str, tensor: Tensor, row: int, watched: WatchedTensor) -> None:
        index = len(self._indexes)
        if self.add_row(run, role, slot, tensor, row) >= 0:
            self._watched.append((index, watched, watched.reads))

    @property
    def rows(self) -> int:
        """Number of tensors until now."""
        return len(self._indexes)

    def finish(self, step: int) -> CollectedStep:
        """End the step."""
        indexes, sources, runs = (
            np.frombuffer(each, np.intc) if each else np.empty(0, np.intc)
            for each in (self._indexes, self._sources, self._runs)
        )
        ended = np.frombuffer(self._ended, np.int64) if self._ended else np.empty(0, np.int64)
        fetch, loss_row = _once(self._vectors.finish()), self._loss_row

        @_once
        def columns() -> StepColumns:
            order = np.empty(ended.size, np.int64)
            order[np.argsort(ended, kind="stable")] = np.arange(ended.size)
            vectors = fetch()
            is_kept = self._kept(vectors.values, sources)
            by_order = np.argsort(order[runs], kind="stable")
            by_order = by_order[is_kept[by_order]]
            values = vectors.values[sources[by_order]]
            return StepColumns(
                tensor=indexes[by_order],
                order=order[runs][by_order],
                statistics={field.value: values[:, COLUMN[field]] for field in FIELDS},
                digest=vectors.digest[sources[by_order]],
            )

        def is_finite() -> bool | None:
            if loss_row < 0:
                return None
            values = fetch().values[loss_row]
            infinite = values[COLUMN[Field.POSITIVE_INF]] + values[COLUMN[Field.NEGATIVE_INF]]
            return not values[COLUMN[Field.NAN]] + infinite

        return CollectedStep(step, indexes.size, columns, self._vectors.is_ready, is_finite)

    def _kept(self, values: NDArray[np.float64], sources: NDArray[np.intc]) -> NDArray[np.bool_]:
        """Return which rows are written: of watched tensors those that are, or were, not finite."""
        is_kept = np.ones(sources.size, np.bool_)
        for index, watched, read in self._watched:
            is_finite = not values[sources[index], _NON_FINITE].any()
            is_kept[index] = watched.end_read(read, is_finite=is_finite)
        return is_kept


def _once(compute: Callable[[], Result]) -> Callable[[], Result]:
    """Return the function, computed by the first thread that calls it."""
    lock, found = Lock(), list[Result]()

    def get() -> Result:
        with lock:
            if not found:
                found.append(compute())
            return found[0]

    return get
