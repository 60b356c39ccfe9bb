# SPDX-License-Identifier: Apache-2.0
"""Statistics of tensors that a ``Debugger`` recorded into runs, as a source of debugging data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.analysis.stored_values import StoredValues, find_values
from mindscope.debug.model.elements import TensorElements
from mindscope.debug.model.fields import COLUMN, FIELDS, Field
from mindscope.debug.model.overflows import Overflow
from mindscope.debug.model.step_statistics import StepStatistics
from mindscope.debug.model.tensors import DebugTensor
from mindscope.errors import DebugDataError, FormatError
from mindscope.formats.tensor_statistics import TAG, TensorStatistics
from mindscope.reading.debug_tensors import TensorTables
from mindscope.reasons import Reason
from mindscope.store import RunStore
from mindscope.types import Kind, Message


class RecordedSource:
    """The debugging data of one training, as of now; steps are read on access.

    A step that a restart of the training recorded again has the newer statistics.

    Args:
        stores: of the training's run, or of the runs of its ranks. Of a rank that several hold, the first counts.
        earlier: a source of the same runs, whose descriptions of tensors are taken over; only newer ones are read.

    Raises:
        DebugDataError: no Debugger recorded into these runs.
    """

    format = "mindscope"
    fields = frozenset(FIELDS)

    def __init__(self, stores: Iterable[RunStore], earlier: RecordedSource | None = None) -> None:
        self._steps: dict[int, StoredValues] = {}
        runs: list[str] = []
        described: list[StoredValues] = []
        for store in stores:
            runs.append(store.id)
            described += self._add(store)
        if not self._steps:
            looked_in = ", ".join(runs) or "no run"
            raise DebugDataError(f"no statistics of tensors in {looked_in}: record them with a Debugger")
        tables = None if earlier is None else earlier._tables
        self._tables = tables if tables is not None and tables.is_start_of(described) else TensorTables()
        for found in described:
            self._tables.read(found)

    def _add(self, store: RunStore) -> list[StoredValues]:
        """Find the steps of a run. Returns its descriptions of tensors, in the order of writing."""
        described: list[StoredValues] = []
        for match in (match for tag in store.tags(Kind.TENSOR_STATISTICS) if (match := TAG.fullmatch(tag))):
            found, rank = find_values(store, Kind.TENSOR_STATISTICS, match[0]), int(match[1])
            if match[2] == "tensors":
                described.append(found.overwritten())
            elif rank not in self._steps:
                self._steps[rank] = found
        return described

    @property
    def framework(self) -> str:
        """``torch``; empty where it is not known."""
        return str(self._tables.facts.get("framework", ""))

    @property
    def facts(self) -> Message:
        """Of the recording: ``framework``, ``version``, ``level``, ``every``, ``device``."""
        return self._tables.facts

    @property
    def failures(self) -> Sequence[FormatError]:
        """Descriptions of tensors that can't be read."""
        return self._tables.failures

    @property
    def ranks(self) -> Sequence[int]:
        """Ranks with data, ascending."""
        return sorted(self._steps)

    @property
    def tensors(self) -> Sequence[DebugTensor]:
        """All tensors of all steps and ranks. Those without a readable description have only a ``name``."""
        return self._tables.tensors

    def steps(self, rank: int) -> Sequence[int]:
        """Return steps with data of a rank, ascending."""
        return self._steps[rank].references.step.tolist() if rank in self._steps else []

    def run(self, rank: int) -> str:
        """Return the run that holds a rank."""
        return self._steps[rank].run

    def wall_time(self, step: int, rank: int) -> float:
        """Return when a step was recorded, in seconds since 1970; NaN for one that a rank has not."""
        steps, times = self._steps[rank].references.step, self._steps[rank].references.wall_time
        row = int(np.searchsorted(steps, step))
        return float(times[row]) if row < len(steps) and steps[row] == step else float("nan")

    def at(self, step: int, rank: int) -> StepStatistics:
        """Return the statistics of a step.

        Raises:
            DebugDataError: this rank has no data of this step.
            FormatError: it can't be read.
        """
        found = self._steps.get(rank)
        row = -1 if found is None else int(np.searchsorted(found.references.step, step))
        if found is None or row >= len(found.references) or found.references.step[row] != step:
            raise DebugDataError(f"rank {rank} has no debugging data of step {step}")
        return self._read_step(found.read(found.references, row), step, rank)

    def _read_step(self, recorded: TensorStatistics, step: int, rank: int) -> StepStatistics:
        values = np.full((recorded.rows, len(FIELDS)), np.nan)
        for field in FIELDS:
            column = recorded.column(field.value)
            if column is not None:
                values[:, COLUMN[field]] = column
        return StepStatistics(
            step=step,
            rank=rank,
            tensor=self._tables.tensor_indexes(recorded),
            order=_integers(recorded, "order", np.int32),
            values=values,
            digest=_integers(recorded, "digest", np.uint64),
        )

    def array(self, step: int, rank: int, row: int) -> NDArray[Any] | None:
        """Return None: only statistics are recorded."""
        return None

    def elements(self, step: int, rank: int, row: int) -> TensorElements | None:
        """Return None: only statistics are recorded."""
        return None

    def overflows(self, step: int, rank: int) -> Sequence[Overflow]:
        """Return none: a ``Debugger`` sees tensors only."""
        return ()

    def history(self, tensors: Sequence[int], field: Field, rank: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return steps, shape (steps,), and one statistic of some tensors at them, shape (steps, tensors).

        NaN where it was not recorded, and at steps that can't be read. Of a tensor that a step has more than once, the
        last one.
        """
        step = self._steps.get(rank)
        if step is None:
            return np.empty(0, np.int64), np.empty((0, len(tensors)))
        values = np.full((len(step.references), len(tensors)), np.nan)
        for row in range(len(values)):
            try:
                self._read_field(step.read(step.references, row), field, tensors, values[row])
            except FormatError:
                continue
        return step.references.step, values

    def _read_field(
        self, recorded: TensorStatistics, field: Field, tensors: Sequence[int], into: NDArray[np.float64]
    ) -> None:
        column = recorded.column(field.value)
        if column is not None:
            rows = self._tables.rows_of(recorded, tensors)
            into[rows >= 0] = column[rows[rows >= 0]]

    def __repr__(self) -> str:
        counts = ", ".join(f"{len(step.references)} of rank {rank}" for rank, step in sorted(self._steps.items()))
        return f"<statistics of {len(self.tensors)} tensors, steps: {counts}>"


def has_statistics(store: RunStore) -> bool:
    """Return whether a Debugger recorded into a run."""
    matches = map(TAG.fullmatch, store.tags(Kind.TENSOR_STATISTICS))
    return any(match is not None and match[2] == "steps" for match in matches)


def statistics_version(store: RunStore) -> int:
    """Changes with every step that a run gets, 0 without statistics."""
    return sum(1 + value.version for (kind, _), value in store.series.items() if kind is Kind.TENSOR_STATISTICS)


def _integers(recorded: TensorStatistics, name: str, dtype: Any) -> NDArray[Any]:
    column = recorded.column(name)
    return np.zeros(recorded.rows, dtype) if column is None else column.astype(dtype)


def problems_of(source: Any) -> tuple[Reason, ...]:
    """Return what can't be read, or is left out, of a source: of files, and of event files."""
    of_files: Mapping[str, Reason] = getattr(source, "problems", {})
    failures: Iterable[Any] = getattr(source, "failures", ())
    return (*of_files.values(), *(Reason("unreadable", detail=str(failure)) for failure in failures))
