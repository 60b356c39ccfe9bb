# SPDX-License-Identifier: Apache-2.0
"""Walks from damaged tensors of a step back to where NaN or infinity came from."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from mindscope.debug.first_bad.result import Cause
from mindscope.debug.first_bad.step_operators import StepOperator, StepOperators
from mindscope.debug.model.tensors import Phase, Role

_LOSS = "loss"
"""Type that the recorder gives to the loss of a training."""
_COLLECTIVES = ("allreduce", "all_reduce", "allgather", "all_gather", "reducescatter", "reduce_scatter", "broadcast",
                "alltoall", "all_to_all", "recv", "receive", "c10d", "hccl", "nccl", "distributed.")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Origin:
    """The origin of NaN or infinity in a step of a rank."""

    cause: Cause
    operator: StepOperator
    """The first bad one; of ``BATCH``, ``BUFFER``, ``PARAMETERS``, ``UNRECORDED`` the first that gets bad inputs."""
    enclosing: StepOperator | None
    """The smallest recorded module with finite inputs around the operator; only of ``UNRECORDED``."""
    row: int
    """The tensor that is not finite."""
    chain: tuple[StepOperator, ...]
    """Operators from the origin to the damaged one."""

    @property
    def is_collective(self) -> bool:
        """Whether the operator gets its values from other ranks."""
        text = f"{self.operator.tensor.type} {self.operator.tensor.name}".lower()
        return any(collective in text for collective in _COLLECTIVES)


def find_origin(step: StepOperators, damaged: Iterable[int], *, is_recorded_before: bool = False) -> Origin | None:
    """Return the origin of the damage in some rows; None if no operator has them as outputs.

    Args:
        step: the operators of the step.
        damaged: rows.
        is_recorded_before: inputs of in-place operators are those before the change.
    """
    return _Walk(step, is_recorded_before).origin(frozenset(damaged))


def find_maker(step: StepOperators, tensor: int, digest: int) -> StepOperator | None:
    """Return the operator that made an input that is not finite, in the first step that has it.

    It is None if none was recorded.

    Args:
        step: the operators of that step.
        tensor: the index of the input in ``DebugSource.tensors``.
        digest: of its bytes; another input with the same bytes counts too.
    """
    walk, recorded = _Walk(step), step.recorded
    for index, operator in enumerate(step.operators):
        for row in (*operator.bad_inputs, *operator.old_inputs):
            if recorded.tensor[row] == tensor or (digest and recorded.digest[row] == digest):
                return walk.maker(index, row)
    return None


@dataclass(slots=True)
class _Walk:
    step: StepOperators
    is_recorded_before: bool = False
    by_digest: dict[int, list[int]] = field(default_factory=dict[int, list[int]])
    """Operators that have a bad output with a digest, in the order of execution."""
    next_of: dict[int, int] = field(default_factory=dict[int, int])
    """The operator nearer to the damage, of each visited one; the operator itself at the damage."""
    bad: list[int] = field(default_factory=list[int])
    """Operators with bad outputs."""
    old: list[int] = field(default_factory=list[int])
    """Operators whose outputs are not finite only as in harmless steps."""

    def __post_init__(self) -> None:
        for index, operator in enumerate(self.operators):
            if operator.non_finite_outputs:
                (self.bad if operator.bad_outputs else self.old).append(index)
            for row in (*operator.bad_outputs, *operator.old_outputs):
                if digest := self._digest(row):
                    self.by_digest.setdefault(digest, []).append(index)

    @property
    def operators(self) -> Sequence[StepOperator]:
        return self.step.operators

    def _digest(self, row: int) -> int:
        return int(self.step.recorded.digest[row])

    def origin(self, damaged: frozenset[int]) -> Origin | None:
        roots: list[tuple[tuple[int, int], int, int | None]] = []
        pending: deque[int] = deque()
        for index, operator in enumerate(self.operators):
            if not damaged.isdisjoint((*operator.bad_outputs, *operator.old_outputs)):
                self.next_of[index] = index
                pending.append(index)
        while pending:
            index = pending.popleft()
            before, external = self._sources(index)
            if external is not None or not before:
                roots.append((self.operators[index].time, index, external))
            for each in before:
                if each not in self.next_of:
                    self.next_of[each] = index
                    pending.append(each)
        if not roots:
            return None
        _, index, external = min(roots, key=lambda root: (root[2] is not None and len(roots) > 1, root[0]))
        return self._origin(index, external)

    def _origin(self, index: int, external: int | None) -> Origin:
        operator, chain = self.operators[index], self._chain(index)
        if external is None:
            return Origin(Cause.OPERATOR, operator, None, operator.non_finite_outputs[0], chain)
        parameter = self._parameter(external, operator)
        if parameter is not None:
            return Origin(Cause.PARAMETERS, operator, None, parameter, chain)
        if external in operator.buffers:
            return Origin(Cause.BUFFER, operator, None, external, chain)
        around = [each for each in self.operators if each.contains(operator) and each.tensor.type != _LOSS]
        enclosing = sorted([each for each in around if not each.bad_inputs], key=lambda each: -len(each.tensor.module))
        for module in enclosing:  # multiplied by a buffer or a parameter, for example
            for buffer in self._explaining(module.buffers, [external]):
                return Origin(Cause.BUFFER, module, None, buffer, chain)
            parameter = self._bad_parameter(module)
            if parameter is not None:
                return Origin(Cause.PARAMETERS, module, None, parameter, chain)
        is_old = external in operator.old_inputs
        if not is_old and operator.phase is Phase.FORWARD and enters_network(self.step, operator, external):
            return Origin(Cause.BATCH, operator, None, external, chain)
        smallest = next(iter(enclosing), None)
        if is_old or (smallest is None and operator.phase is not Phase.BACKWARD):
            return Origin(Cause.BUFFER, operator, None, external, chain)
        is_loss = smallest is None and operator.phase is Phase.BACKWARD
        return Origin(Cause.LOSS if is_loss else Cause.UNRECORDED, operator, smallest, external, chain)

    def _chain(self, index: int) -> tuple[StepOperator, ...]:
        chain = [index]
        while self.next_of[chain[-1]] != chain[-1]:
            chain.append(self.next_of[chain[-1]])
        return tuple([self.operators[each] for each in chain])

    def _sources(self, index: int) -> tuple[list[int], int | None]:
        """Return the operators that an operator has its bad values from, and a bad input that none of them made."""
        operator = self.operators[index]
        inner = self._last_inside(index)
        if inner is not None:
            return [inner], None
        rows = operator.bad_inputs or self._passed_on(operator)
        if not rows:
            parameter = self._bad_parameter(operator)
            before = self._written_by(index) if parameter is None else []
            external = self._bad_buffer(operator) if parameter is None else parameter
            return before or self._without_inputs(index), external
        found: list[int] = []
        external: int | None = None
        for row in rows:
            producer = self._producer(index, row)
            if producer is not None:
                found.append(producer)
            elif not self._is_changed_in_place(operator, row):
                external = row if external is None else external
        return found, external if not found else None

    def _passed_on(self, operator: StepOperator) -> list[int]:
        """Return inputs that are not finite, as in harmless steps, if they have all kinds of numbers that its outputs
        have.

        An operator that makes NaN of a mask of -infinity is the origin; one that takes NaN out of a buffer is not.
        """
        given = self._any_kind(operator.old_inputs)
        return operator.old_inputs if self._any_kind(operator.non_finite_outputs) & ~given == 0 else []

    def _any_kind(self, rows: Iterable[int]) -> int:
        """Return 1 for NaN and 2 for infinities of any sign."""
        kinds = [self.step.kinds[row] for row in rows]
        return max((kind & 1 for kind in kinds), default=0) | 2 * any(kind & 6 for kind in kinds)

    def _last_inside(self, index: int) -> int | None:
        """Find the operator inside of a module that made its bad output."""
        operator = self.operators[index]
        made = operator.non_finite_outputs
        if not operator.is_module or not made or operator.tensor.type == _LOSS:
            return None
        alike = self.bad if operator.bad_outputs else self.old
        inside = [each for each in alike if each not in self.next_of and operator.contains(self.operators[each])]
        digests = {self._digest(row) for row in made} - {0}
        same = [
            each for each in inside
            if any(self._digest(row) in digests for row in self.operators[each].non_finite_outputs)
        ]  # fmt: skip
        earlier = [each for each in inside if each < index]
        return (same or earlier or inside or [None])[-1]

    def _producer(self, index: int, row: int) -> int | None:
        """Return the last operator before that made a tensor: by its digest, else by its counts, else the last bad one.

        One that is as in harmless steps has none without an equal digest or equal counts: it may be a buffer.
        """
        same = self._before(index, self.by_digest.get(self._digest(row), ()))
        if same:
            return same[-1]
        is_old = row in self.operators[index].old_inputs
        earlier = self._before(index, sorted([*self.bad, *self.old]) if is_old else self.bad)
        wanted = self.step.signature(row)
        alike = [
            each for each in earlier
            if any(self.step.signature(made) == wanted for made in self.operators[each].non_finite_outputs)
        ]  # fmt: skip
        return (alike or (earlier if not is_old else []) or [None])[-1]

    def _before(self, index: int, operators: Iterable[int]) -> list[int]:
        """Return the operators that ran before one and are not around it."""
        operator = self.operators[index]
        return [each for each in operators if each < index and not self.operators[each].contains(operator)]

    def maker(self, index: int, row: int) -> StepOperator | None:
        """Find what made an input: an output with the same bytes, else an in-place operator, which may write a part."""
        same = self._before(index, self.by_digest.get(self._digest(row), ()))
        parts = [
            each for each in self._before(index, self.bad)
            if _is_in_place(self.operators[each]) and self._any_kind(self.operators[each].bad_outputs)
            & self._any_kind([row])
        ]  # fmt: skip
        found = same or parts
        return self.operators[found[-1]] if found else None

    def _without_inputs(self, index: int) -> list[int]:
        """Find where a loss, a gradient or an update comes from, of which no inputs were recorded."""
        operator = self.operators[index]
        if operator.inputs:
            return []
        if operator.phase is Phase.FORWARD:
            is_without = operator.tensor.type == _LOSS or not any(each.inputs for each in self.operators)
            return [each for each in self.bad if each < index][-1:] if is_without else []
        backward = [each for each in self.bad
                    if each != index and self.operators[each].phase is Phase.BACKWARD]  # fmt: skip
        if operator.phase is Phase.OPTIMIZER:
            return backward[-1:]
        ran = [each for each in backward if self.operators[each].inputs and each < index]
        if ran:
            return ran[-1:]
        forward_order = {each.tensor.module: each.order for each in self.operators if each.phase is Phase.FORWARD}
        own = forward_order.get(operator.tensor.module, -1)
        later = [each for each in backward if forward_order.get(self.operators[each].tensor.module, -1) > own]
        return [max(later, key=lambda each: forward_order[self.operators[each].tensor.module])] if later else []

    def _written_by(self, index: int) -> list[int]:
        """Find the operator of the optimizer that wrote the parameter of an update."""
        operator = self.operators[index]
        if operator.tensor.role is not Role.PARAMETER:
            return []
        same = [made for row in operator.non_finite_outputs for made in self.by_digest.get(self._digest(row), ())]
        return [each for each in self._before(index, same) if self.operators[each].phase is Phase.OPTIMIZER][-1:]

    def _bad_parameter(self, operator: StepOperator) -> int | None:
        """Return a bad parameter that a module uses in its forward pass, or that an optimizer changes.

        One that undamaged steps had too, as a mask of -infinity, must have all kinds of numbers that the outputs have.
        """
        rows = self.step.bad_parameters
        if operator.tensor.role is Role.PARAMETER:
            used = [row for row in rows if self._is_same_parameter(operator, row)]
        elif operator.phase is Phase.FORWARD and operator.is_module:
            used = [row for row in rows if self._holds(operator, row)]
        else:
            return None
        new = [row for row in used if row not in self.step.old_parameters]
        return next(iter(new or self._explaining(used, operator.non_finite_outputs)), None)

    def _is_same_parameter(self, operator: StepOperator, row: int) -> bool:
        tensor = self.step.tensors[int(self.step.recorded.tensor[row])]
        return (tensor.module, tensor.slot) == (operator.tensor.module, operator.tensor.slot)

    def _bad_buffer(self, operator: StepOperator) -> int | None:
        """Return a buffer of a module that explains what it returns; one of -infinity does not explain NaN."""
        return next(iter(self._explaining(operator.buffers, operator.non_finite_outputs)), None)

    def _explaining(self, buffers: Iterable[int], made: Sequence[int]) -> list[int]:
        """Return the buffers that have all kinds of numbers that rows have."""
        wanted = self._any_kind(made)
        return [buffer for buffer in buffers if wanted & ~self._any_kind([buffer]) == 0]

    def _holds(self, operator: StepOperator, row: int) -> bool:
        holder = self.step.tensors[int(self.step.recorded.tensor[row])].module
        path = operator.tensor.module
        return not path or holder == path or holder.startswith(path + ".")

    def _parameter(self, row: int, operator: StepOperator) -> int | None:
        """Return the row of the bad parameter that an input is: the same bytes, else one that the operator holds."""
        bad = self.step.bad_parameters
        if row in bad:
            return row
        if digest := self._digest(row):
            return next((each for each in bad if self._digest(each) == digest), None)
        return next((each for each in bad if self._holds(operator, each)), None)

    def _is_changed_in_place(self, operator: StepOperator, row: int) -> bool:
        """Return whether an in-place operator was recorded after it changed its input, which is its first."""
        if self.is_recorded_before or not _is_in_place(operator):
            return False
        slot = self.step.tensors[int(self.step.recorded.tensor[row])].slot
        digests = {self._digest(finite_output) for finite_output in operator.non_finite_outputs}
        return slot.split(".", 1)[0] == "0" and self._digest(row) in digests


def enters_network(step: StepOperators, operator: StepOperator, row: int) -> bool:
    """Return whether a tensor enters the network or the loss: its first operator or an outermost module gets it."""
    forward = [each for each in step.operators if each.phase is Phase.FORWARD and each.inputs]
    if _is_in_place(operator):
        return False
    if operator.order == min(each.order for each in forward):
        return True
    if not operator.tensor.module:
        return operator.is_module or operator.order > max(
            (each.order for each in forward if each.tensor.module), default=operator.order
        )
    outer = [each for each in forward if each.contains(operator)]
    if outer:
        digests: list[int] = step.recorded.digest.tolist()
        return any(digests[row] and digests[each] == digests[row] for module in outer for each in module.inputs)
    return not any(each.outputs and each.time < operator.time for each in forward)


def _is_in_place(operator: StepOperator) -> bool:
    name = operator.tensor.type.split(".", 1)[0]
    return name.endswith("_") and not name.endswith("__")
