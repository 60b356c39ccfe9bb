# SPDX-License-Identifier: Apache-2.0
"""Collects the tensors of one step: operators in the order of their execution, with statistics."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable
from threading import Lock
from typing import NamedTuple, TypeVar

import numpy as np
from torch import Tensor

from mindscope.capture.tensor_statistics import StepColumns
from mindscope.debug.model.fields import COLUMN, FIELDS, Field
from mindscope.debug.model.tensors import Phase, Role
from mindscope.torch.debugging._step_rows import StepRows
from mindscope.torch.debugging.step_vectors import StepVectors
from mindscope.torch.debugging.tensor_table import KnownTensors

Result = TypeVar("Result")


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
        self._places, self._sources, self._runs = array("i"), array("i"), array("i")
        self._ended = array("q")
        super().__init__(self._vectors, tensors, self._places, self._sources, self._runs, self._ended)
        self._loss_row = -1

    @property
    def vectors(self) -> StepVectors:
        """Rows of statistics."""
        return self._vectors

    def add_loss(self, loss: Tensor) -> None:
        """Add the loss of the step."""
        run = self.begin("", "loss", Phase.FORWARD, tuple)
        self._loss_row = self.add(run, Role.OUTPUT, "", loss)

    @property
    def rows(self) -> int:
        """Tensors until now."""
        return len(self._places)

    def finish(self, step: int) -> CollectedStep:
        """The step is over."""
        places, sources, runs = (
            np.frombuffer(each, np.intc) if each else np.empty(0, np.intc)
            for each in (self._places, self._sources, self._runs)
        )
        ended = np.frombuffer(self._ended, np.int64) if self._ended else np.empty(0, np.int64)
        fetch, loss_row = _once(self._vectors.finish()), self._loss_row

        @_once
        def columns() -> StepColumns:
            order = np.empty(ended.size, np.int64)
            order[np.argsort(ended, kind="stable")] = np.arange(ended.size)
            by_order = np.argsort(order[runs], kind="stable")
            vectors = fetch()
            values = vectors.values[sources[by_order]]
            return StepColumns(
                tensor=places[by_order],
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

        return CollectedStep(step, places.size, columns, self._vectors.is_ready, is_finite)


def _once(compute: Callable[[], Result]) -> Callable[[], Result]:
    """The function, computed by the first thread that calls it."""
    lock, found = Lock(), list[Result]()

    def get() -> Result:
        with lock:
            if not found:
                found.append(compute())
            return found[0]

    return get
