# SPDX-License-Identifier: Apache-2.0
"""Collects the tensors of one step: operators in the order of their execution, with statistics."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from torch import Tensor

from mindscope.capture.tensor_statistics import StepColumns
from mindscope.debug.model.fields import COLUMN, FIELDS, Field
from mindscope.debug.model.tensors import Phase, Role
from mindscope.torch.debugging.step_vectors import StepVectors
from mindscope.torch.debugging.tensor_table import KnownTensors, Operator

_AT_ONCE = 1 << 20
"""More hooks than one gradient has."""


class CollectedStep(NamedTuple):
    """A step whose statistics may still be on their way from a device."""

    step: int
    rows: int
    fetch: Callable[[], StepColumns]
    """Waits for the device. Any thread may call it, once."""
    is_ready: Callable[[], bool]
    """Whether ``fetch`` does not wait."""
    loss: Callable[[], bool | None]
    """Whether the loss is finite; None if no loss was given. Waits as ``fetch``."""


class StepCollector:
    """The operators of a step and their tensors. One thread at a time.

    Args:
        tensors: of the debugger.
        capacity: tensors of the step before.
        reasons: counts tensors that can't be summarized.
    """

    def __init__(self, tensors: KnownTensors, capacity: int, reasons: Counter[str]) -> None:
        self.vectors = StepVectors(capacity, reasons)
        self._tensors = tensors
        self._calls: dict[tuple[str, str, Phase], int] = {}
        self._places, self._sources, self._runs = array("i"), array("i"), array("i")  # one entry for each row
        self._ended = array("q")  # of each run of an operator: when it ended, as a number
        self._events = 0
        self._gradient: tuple[int, bool] = (0, False)  # the last: its id, whether it ended an operator
        self._loss_row = -1

    def begin(self, module: str, type: str, phase: Phase, stack: Callable[[], tuple[str, ...]]) -> Run:
        """An operator runs; ``stack`` is called if no earlier step had it."""
        return self.begin_call(module, type, phase, self.next_call(module, type, phase), stack)

    def next_call(self, module: str, type: str, phase: Phase) -> int:
        """The number of a call that begins."""
        key = (module, type, phase)
        call = self._calls.get(key, 0)
        self._calls[key] = call + 1
        return call

    def begin_call(self, module: str, type: str, phase: Phase, call: int, stack: Callable[[], tuple[str, ...]]) -> Run:
        """As ``begin``, for a call whose number is known."""
        operator = self._tensors.operator(module, type, phase, call)
        if operator is None:
            operator = self._tensors.add_operator(Operator(module, type, phase, call, stack()))
        self._events += _AT_ONCE
        self._ended.append(self._events)
        return Run(self, operator, len(self._ended) - 1)

    def add_gradient(self, run: Run, role: Role, slot: str, gradient: Tensor) -> None:
        """Add a gradient that autograd just computed, to the backward pass of a module.

        It may be the output of some modules and the input of others, in this order, inner modules before outer ones;
        hooks come the other way round.
        """
        is_output = role is Role.OUTPUT
        last, was_output = self._gradient
        if last != id(gradient) or (was_output and not is_output):
            self._events += 2 * _AT_ONCE - self._events % _AT_ONCE
        self._gradient = (id(gradient), is_output)
        self._events += 1
        offset = self._events % _AT_ONCE
        self._ended[run.number] = self._events - 2 * offset if is_output else self._events
        self.add(run, role, slot, gradient)

    def add(self, run: Run, role: Role, slot: str, tensor: Tensor) -> int:
        """Add a tensor; returns the row of its statistics, -1 if it has none."""
        return self.add_row(run, role, slot, tensor, self.vectors.row_of(tensor))

    def add_row(self, run: Run, role: Role, slot: str, tensor: Tensor, row: int) -> int:
        """As ``add``, for a tensor that was summarized."""
        if row >= 0:
            self._places.append(self._tensors.place(run.operator, role, slot, tensor))
            self._sources.append(row)
            self._runs.append(run.number)
        return row

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
        fetch, loss_row = self.vectors.finish(), self._loss_row

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

        return CollectedStep(step, places.size, columns, self.vectors.is_ready, is_finite)


class Run:
    """One run of an operator in a step."""

    __slots__ = ("collector", "number", "operator")

    def __init__(self, collector: StepCollector, operator: Operator, number: int) -> None:
        self.collector, self.operator, self.number = collector, operator, number
