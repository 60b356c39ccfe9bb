# SPDX-License-Identifier: Apache-2.0
"""Finds the first bad number over steps and ranks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mindscope.debug.first_bad.explain import explain, magnitude, since_of, update_ratio
from mindscope.debug.first_bad.explanation import Explanation, SourceKind
from mindscope.debug.first_bad.growth import MOST_STEPS, growth_of
from mindscope.debug.first_bad.harmless import HarmlessValues
from mindscope.debug.first_bad.origin import Origin, find_maker, find_origin
from mindscope.debug.first_bad.result import (
    Cause,
    FirstBad,
    FirstBadRows,
    OperatorKind,
    OperatorRow,
    non_finite_text,
)
from mindscope.debug.first_bad.step_operators import StepOperator, StepOperators
from mindscope.debug.model.damage import damaged_rows, non_finite_kinds
from mindscope.debug.model.fields import COLUMN, Field
from mindscope.debug.model.source import RECORDED_BEFORE, DebugSource
from mindscope.debug.model.step_statistics import StepStatistics
from mindscope.debug.model.tensor_table import TensorTable, known_rows
from mindscope.debug.model.tensors import DebugTensor, Role
from mindscope.debug.views.tensor_history import TensorHistory

_COUNTS = (Field.NAN, Field.POSITIVE_INF, Field.NEGATIVE_INF, Field.COUNT)
_MOST_CHAIN = 200
_MOST_INPUTS = 8


def find_first_bad(source: DebugSource, check: Callable[[], None] = lambda: None) -> FirstBad | None:
    """Find where the first NaN or infinity comes from that damages the training; None if none does.

    It is the first operator in time whose inputs are finite and outputs not, or a tensor that no operator made. Steps
    come first, then ranks: one whose origin computes before one that got its values by a collective, then the earlier
    phase and position in the step. Infinity that a mask fills in and a softmax takes away does no damage; nor does
    a step that a scaler of mixed precision skips.

    Raises:
        DebugDataError, FormatError, OSError: as ``DebugSource.at``.
    """
    search = FirstBadSearch(source)
    while not search.is_over:
        check()
        search.read_next()
    if search.found is None:
        return None
    found = search.found
    growths = [growth_of(source, tensor, found.rank, found.step) for tensor in search.growing]
    history = TensorHistory(followed_tensors(found.explanations))
    for step in steps_before(source, found) if found.explanations else ():
        check()
        history.add(source.at(step, found.rank))
    explanations = explanations_since(found.explanations, history, source.tensors)
    return replace(found, growth=tuple([growth for growth in growths if growth is not None]), explanations=explanations)


def steps_before(source: DebugSource, found: FirstBad) -> Sequence[int]:
    """Return the steps that say since when an input is as it is, up to that of the bad number, at most 1,000."""
    return [step for step in source.steps(found.rank) if step <= found.step][-MOST_STEPS:]


def followed_tensors(explanations: Sequence[Explanation]) -> list[int]:
    """Return the tensors whose history completes explanations."""
    return [
        tensor for explanation in explanations for tensor in (explanation.tensor, explanation.update) if tensor >= 0
    ]


def explanations_since(
    explanations: Sequence[Explanation], history: TensorHistory, tensors: Sequence[DebugTensor]
) -> tuple[Explanation, ...]:
    """Return explanations with the steps since which they hold, and the largest updates up to the step before."""

    def complete(each: Explanation) -> Explanation:
        values = history.values[:, history.tensors.index(each.tensor)]
        since = since_of(each.trait, history.steps, values, each.value)
        if each.update < 0:
            return replace(each, since=since)
        updates = history.values[:-1, history.tensors.index(each.update)]
        if not len(updates) or magnitude(updates[-1]) != each.value:  # another tensor of the same shape
            return replace(each, since=since, kind=SourceKind.UNRECORDED, name=_tensor_name(tensors[each.tensor]))
        return replace(each, since=since, update_ratio=update_ratio(updates))

    return tuple(map(complete, explanations)) if history.steps else tuple(explanations)


class FirstBadSearch:
    """Looks for the first bad number step by step, so that it can pause after each.

    Args:
        source: debugging data.
        read: reads a step of a rank as ``DebugSource.at``, which it is without one; None leaves that step out.
    """

    def __init__(self, source: DebugSource, read: Callable[[int, int], StepStatistics | None] | None = None) -> None:
        self._source, self._read = source, read or source.at
        self._table = TensorTable.of(source)
        ranks_of: dict[int, list[int]] = {}
        for rank in source.ranks:
            for step in source.steps(rank):
                ranks_of.setdefault(step, []).append(rank)
        self._steps = sorted(ranks_of.items())
        self._harmless = {rank: HarmlessValues() for rank in source.ranks}
        self.read_steps = 0
        """The number of ``steps`` that were read."""
        self.found: FirstBad | None = None
        """The result without ``growth``; None if there is none yet."""
        self.growing: tuple[int, ...] = ()
        """Inputs of the found operator, as indexes in ``DebugSource.tensors``, whose growth may explain it."""

    @property
    def steps(self) -> int:
        """The number of recorded steps, of any rank."""
        return len(self._steps)

    @property
    def is_over(self) -> bool:
        """Whether a bad number is found, or no step is left."""
        return self.found is not None or self.read_steps == len(self._steps)

    def take_over(self, earlier: FirstBadSearch) -> None:
        """Continue an earlier search of the same data, which had fewer steps; search other data from the start."""
        count = earlier.read_steps
        has_same_tensors = len(self._table.is_float) == len(earlier._table.is_float)
        if has_same_tensors and self._steps[:count] == earlier._steps[:count]:
            self._harmless.update(earlier._harmless)
            self.read_steps, self.found, self.growing = count, earlier.found, earlier.growing

    def read_next(self) -> None:
        """Read the next step of all ranks. Raises as ``DebugSource.at``; the step then counts as read."""
        step, ranks = self._steps[self.read_steps]
        self.read_steps += 1
        bad: dict[int, _BadRank] = {}
        for rank in ranks:
            recorded = self._read(step, rank)
            if recorded is None:
                continue
            known = known_rows(recorded, self._table)
            damaged = damaged_rows(known, self._table)
            if not damaged.size:
                self._harmless[rank].add(known)
                continue
            harmless = self._harmless[rank]
            operators = StepOperators.of(known, self._source.tensors, harmless.kinds)
            is_before = self._source.format == RECORDED_BEFORE
            origin = find_origin(operators, damaged.tolist(), is_recorded_before=is_before)
            if origin is not None:
                rows = np.flatnonzero(recorded.tensor < len(self._table.is_float))
                explained = explain(operators, origin) if origin.cause is Cause.OPERATOR else []
                bad[rank] = _BadRank(origin, known, rows, harmless.since(known, origin.row), explained)
        if bad:
            found, self.growing = _First(self._source, step, bad).result()
            self.found = replace(found, made_by=self._maker(found, bad[found.rank]))

    def _maker(self, found: FirstBad, bad: _BadRank) -> str:
        """Name what made a tensor in the earlier step since which it is not finite, and its line; empty if unknown."""
        recorded = self._read(found.since, found.rank) if found.since < found.step else None
        if recorded is None:
            return ""
        operators = StepOperators.of(known_rows(recorded, self._table), self._source.tensors)
        row = bad.origin.row
        maker = find_maker(operators, int(bad.known.tensor[row]), int(bad.known.digest[row]))
        if maker is None:
            return ""
        return " at ".join([_kind_and_name(maker)[1], *list(maker.tensor.stack)[:1]])


@dataclass(frozen=True, slots=True)
class _BadRank:
    origin: Origin
    known: StepStatistics
    rows: NDArray[np.intp]
    """Position of each row of ``known`` in the recorded step."""
    since: int
    """The step since which the tensor of the origin is not finite."""
    explanations: Sequence[Explanation]

    def row_of(self, operator: StepOperator) -> OperatorRow:
        kind, name = _kind_and_name(operator)
        row = (operator.bad_outputs or operator.outputs or operator.inputs)[0]
        return OperatorRow(kind, name, int(self.rows[row]))

    def recorded_rows(self, rows: Sequence[int]) -> tuple[int, ...]:
        return tuple(self.rows[rows].tolist()) if rows else ()


@dataclass(frozen=True, slots=True)
class _First:
    source: DebugSource
    step: int
    bad: Mapping[int, _BadRank]

    def result(self) -> tuple[FirstBad, tuple[int, ...]]:
        rank = min(self.bad, key=lambda each: (*_age(self.bad[each].origin), each))
        first = self.bad[rank]
        origin, recorded = first.origin, first.known
        tensor = int(recorded.tensor[origin.row])
        named = origin.enclosing or origin.operator
        cause = Cause.OTHER_RANK if origin.is_collective and origin.cause is Cause.OPERATOR else origin.cause
        given = [*origin.operator.buffers, *origin.operator.inputs]
        inputs = given[:_MOST_INPUTS] if cause is Cause.OPERATOR else []
        operator, before = first.row_of(named), first.row_of(origin.operator)
        chain: dict[str, OperatorRow] = {}
        for each in map(first.row_of, origin.chain[:_MOST_CHAIN]):
            chain.setdefault(each.text, each)
        others = {other: value.row_of(value.origin.operator) for other, value in self.bad.items() if other != rank}
        stack = tuple(named.tensor.stack or origin.operator.tensor.stack)
        first_bad = FirstBad(
            cause=cause,
            step=self.step,
            rank=rank,
            operator=operator.text,
            phase=str(origin.operator.phase),
            order=origin.operator.order,
            tensor=tensor,
            tensor_name=_tensor_name(self.source.tensors[tensor]),
            row=int(first.rows[origin.row]),
            counts=_counts(recorded.values[origin.row]),
            is_least=bool(np.isnan(recorded.values[origin.row, COLUMN[Field.ZERO]])),
            is_first_step=self.step == self.source.steps(rank)[0] and self.step > 1,
            is_module=named.is_module and named.tensor.role in (Role.INPUT, Role.OUTPUT),
            source=stack[0] if stack else "",
            has_finite_inputs=operator.kind is not OperatorKind.UPDATE and _has_finite(recorded, given),
            since=first.since if cause in (Cause.BUFFER, Cause.PARAMETERS) else self.step,
            made_by="",
            inputs=tuple([self._range(first, row) for row in inputs]),
            explanations=tuple(
                [replace(explanation, row=int(first.rows[explanation.row])) for explanation in first.explanations]
            )
            if cause is Cause.OPERATOR
            else (),
            growth=(),
            chain=tuple(chain),
            other_ranks={other: value.text for other, value in others.items()},
            before=before.text,
            rows=FirstBadRows(
                operator=operator,
                before=before,
                inputs=first.recorded_rows(given[:_MOST_INPUTS]),
                outputs=first.recorded_rows(origin.operator.outputs[:_MOST_INPUTS]),
                chain=tuple(chain.values()),
                other_ranks=others,
                stack=stack,
            ),
        )
        return first_bad, tuple(recorded.tensor[inputs].tolist()) if inputs else ()

    def _range(self, first: _BadRank, row: int) -> str:
        """Return the finite elements of an input, and those that are not finite."""
        values, tensor = first.known.values[row], self.source.tensors[int(first.known.tensor[row])]
        low, high = values[COLUMN[Field.MIN]], values[COLUMN[Field.MAX]]
        facts = [f"gradient of {_tensor_name(tensor)}" if tensor.role is Role.GRADIENT else _tensor_name(tensor)]
        if np.isfinite(low) and np.isfinite(high):
            facts.append(f"from {low:.6g} to {high:.6g}")
        if non_finite_kinds(first.known)[row]:
            is_changed = row in first.origin.operator.bad_inputs
            facts.append(non_finite_text(_counts(values)) + (" after the operator changed it" if is_changed else ""))
        zeros, near = values[COLUMN[Field.ZERO]], values[COLUMN[Field.NEAR_MAX]]
        if zeros > 0:
            facts.append(f"{zeros:,.0f} zeros")
        if near > 0:
            facts.append(f"{near:,.0f} near the end of {tensor.dtype}")
        return ", ".join(facts)


def _counts(values: NDArray[np.float64]) -> dict[str, int]:
    return {str(field): int(np.nan_to_num(values[COLUMN[field]])) for field in _COUNTS}


def _has_finite(recorded: StepStatistics, rows: Sequence[int]) -> bool:
    return len(rows) > 0 and not non_finite_kinds(recorded)[list(rows)].any()


def _age(origin: Origin) -> tuple[bool, int, int]:
    return (origin.is_collective, *origin.operator.time)


def _kind_and_name(operator: StepOperator) -> tuple[OperatorKind, str]:
    tensor = operator.tensor
    if tensor.role is Role.GRADIENT:
        return OperatorKind.GRADIENT, _tensor_name(tensor)
    if tensor.role is Role.PARAMETER:
        return OperatorKind.UPDATE, _tensor_name(tensor)
    return OperatorKind.OPERATOR, tensor.operator


def _tensor_name(tensor: DebugTensor) -> str:
    name = f"{tensor.module}.{tensor.slot}".lstrip(".")
    if tensor.role in (Role.PARAMETER, Role.GRADIENT):
        return name
    if tensor.role is Role.BUFFER:
        return f"buffer {name}"
    return f"{tensor.role} {tensor.slot} of {tensor.operator}"
