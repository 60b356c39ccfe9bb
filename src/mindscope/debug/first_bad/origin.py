# SPDX-License-Identifier: Apache-2.0
"""Walks from damaged tensors of a step back to where NaN or infinity came from."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from mindscope.debug.first_bad.result import Cause
from mindscope.debug.first_bad.step_operators import StepOperator, StepOperators
from mindscope.debug.model.tensors import Phase

_LOSS = "loss"
"""What the recorder calls the loss that a training gives it."""
_COLLECTIVES = ("allreduce", "all_reduce", "allgather", "all_gather", "reducescatter", "reduce_scatter", "broadcast",
                "alltoall", "all_to_all", "recv", "receive", "c10d", "hccl", "nccl", "distributed.")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Origin:
    """Where NaN or infinity began in a step of a rank."""

    cause: Cause
    operator: StepOperator
    """The first bad one; of ``BATCH``, ``PARAMETERS`` and ``UNRECORDED`` the first that gets bad inputs."""
    enclosing: StepOperator | None
    """Of ``UNRECORDED``, the smallest recorded module with finite inputs around the operator."""
    row: int
    """The tensor that is not finite."""
    chain: tuple[StepOperator, ...]
    """From the operator to the damaged one."""

    @property
    def is_collective(self) -> bool:
        """Whether the operator gets its values from other ranks."""
        text = f"{self.operator.tensor.type} {self.operator.tensor.name}".lower()
        return any(each in text for each in _COLLECTIVES)


def find_origin(step: StepOperators, damaged: Iterable[int]) -> Origin | None:
    """The origin of the damage in some rows; None if no operator has them as outputs."""
    return _Walk(step).origin(frozenset(damaged))


@dataclass(slots=True)
class _Walk:
    step: StepOperators
    by_digest: dict[int, list[int]] = field(default_factory=dict[int, list[int]])
    """Operators that have a bad output with a digest, in the order of execution."""
    next_of: dict[int, int] = field(default_factory=dict[int, int])
    """Of a visited operator, the one nearer to the damage; itself at the damage."""
    bad: list[int] = field(default_factory=list[int])
    """Operators with bad outputs."""

    def __post_init__(self) -> None:
        for place, operator in enumerate(self.operators):
            if operator.bad_outputs:
                self.bad.append(place)
            for row in operator.bad_outputs:
                if digest := self._digest(row):
                    self.by_digest.setdefault(digest, []).append(place)

    @property
    def operators(self) -> Sequence[StepOperator]:
        return self.step.operators

    def _digest(self, row: int) -> int:
        return int(self.step.recorded.digest[row])

    def origin(self, damaged: frozenset[int]) -> Origin | None:
        roots: list[tuple[tuple[int, int], int, int | None]] = []
        pending: deque[int] = deque()
        for place, operator in enumerate(self.operators):
            if not damaged.isdisjoint(operator.bad_outputs):
                self.next_of[place] = place
                pending.append(place)
        while pending:
            place = pending.popleft()
            before, external = self._sources(place)
            if external is not None or not before:
                roots.append((self.operators[place].time, place, external))
            for each in before:
                if each not in self.next_of:
                    self.next_of[each] = place
                    pending.append(each)
        if not roots:
            return None
        _, place, external = min(roots, key=lambda root: (root[2] is not None and len(roots) > 1, root[0]))
        return self._origin(place, external)

    def _origin(self, place: int, external: int | None) -> Origin:
        operator, chain = self.operators[place], self._chain(place)
        if external is None:
            return Origin(Cause.OPERATOR, operator, None, operator.bad_outputs[0], chain)
        if self._is_parameter(external, operator):
            return Origin(Cause.PARAMETERS, operator, None, external, chain)
        if operator.phase is Phase.FORWARD and self._is_of_batch(external, operator):
            return Origin(Cause.BATCH, operator, None, external, chain)
        enclosing = [each for each in self.operators if each.contains(operator) and not each.bad_inputs]
        smallest = max(enclosing, key=lambda each: len(each.tensor.module), default=None)
        is_loss = smallest is None and operator.phase is Phase.BACKWARD
        return Origin(Cause.LOSS if is_loss else Cause.UNRECORDED, operator, smallest, external, chain)

    def _chain(self, place: int) -> tuple[StepOperator, ...]:
        chain = [place]
        while self.next_of[chain[-1]] != chain[-1]:
            chain.append(self.next_of[chain[-1]])
        return tuple([self.operators[each] for each in chain])

    def _sources(self, place: int) -> tuple[list[int], int | None]:
        """The operators that an operator has its bad values from, and a bad input that none of them made."""
        operator = self.operators[place]
        inner = self._last_inside(place)
        if inner is not None:
            return [inner], None
        if not operator.bad_inputs:
            return self._without_inputs(place), self._bad_parameter(operator)
        found: list[int] = []
        external: int | None = None
        for row in operator.bad_inputs:
            producer = self._producer(place, row)
            if producer is not None:
                found.append(producer)
            elif not self._is_changed_in_place(operator, row):
                external = row if external is None else external
        return found, external if not found else None

    def _last_inside(self, place: int) -> int | None:
        """Of a module, the operator inside of it that made its bad output."""
        operator = self.operators[place]
        if not operator.is_module or not operator.bad_outputs or operator.tensor.type == _LOSS:
            return None
        inside = [each for each in self.bad if each not in self.next_of and operator.contains(self.operators[each])]
        digests = {self._digest(row) for row in operator.bad_outputs} - {0}
        same = [
            each for each in inside if any(self._digest(row) in digests for row in self.operators[each].bad_outputs)
        ]
        earlier = [each for each in inside if each < place]
        return (same or earlier or inside or [None])[-1]

    def _producer(self, place: int, row: int) -> int | None:
        """The last operator before that made a bad tensor: by its digest, else by its counts, else the last bad one."""
        operator = self.operators[place]

        def is_before(each: int) -> bool:
            return each < place and not self.operators[each].contains(operator)

        same = [each for each in self.by_digest.get(self._digest(row), ()) if is_before(each)]
        if same:
            return same[-1]
        earlier = [each for each in self.bad if is_before(each)]
        wanted = self.step.signature(row)
        alike = [each for each in earlier
                 if any(self.step.signature(made) == wanted for made in self.operators[each].bad_outputs)]  # fmt: skip
        return (alike or earlier or [None])[-1]

    def _without_inputs(self, place: int) -> list[int]:
        """Where a loss, a gradient or an update comes from, of which no inputs were recorded."""
        operator = self.operators[place]
        if operator.inputs:
            return []
        if operator.phase is Phase.FORWARD:
            is_without = operator.tensor.type == _LOSS or not any(each.inputs for each in self.operators)
            return [each for each in self.bad if each < place][-1:] if is_without else []
        backward = [each for each in self.bad
                    if each != place and self.operators[each].phase is Phase.BACKWARD]  # fmt: skip
        if operator.phase is Phase.OPTIMIZER:
            return backward[-1:]
        ran = [each for each in backward if self.operators[each].inputs and each < place]
        if ran:
            return ran[-1:]
        forward_order = {each.tensor.module: each.order for each in self.operators if each.phase is Phase.FORWARD}
        own = forward_order.get(operator.tensor.module, -1)
        later = [each for each in backward if forward_order.get(self.operators[each].tensor.module, -1) > own]
        return [max(later, key=lambda each: forward_order[self.operators[each].tensor.module])] if later else []

    def _bad_parameter(self, operator: StepOperator) -> int | None:
        """A bad parameter that a module uses in its forward pass."""
        if operator.phase is not Phase.FORWARD or not operator.is_module:
            return None
        return next((row for row in self.step.bad_parameters if self._holds(operator, row)), None)

    def _holds(self, operator: StepOperator, row: int) -> bool:
        holder = self.step.tensors[int(self.step.recorded.tensor[row])].module
        path = operator.tensor.module
        return not path or holder == path or holder.startswith(path + ".")

    def _is_parameter(self, row: int, operator: StepOperator) -> bool:
        if row in self.step.bad_parameters:
            return True
        digests = {self._digest(each) for each in self.step.bad_parameters} - {0}
        if self._digest(row):
            return self._digest(row) in digests
        return any(self._holds(operator, each) for each in self.step.bad_parameters)

    def _is_of_batch(self, row: int, operator: StepOperator) -> bool:
        """Whether a tensor enters the network: its first operator or one of its outermost modules gets it."""
        forward = [each for each in self.operators if each.phase is Phase.FORWARD and each.inputs]
        if operator.order == min(each.order for each in forward) or not operator.tensor.module:
            return True
        outer = [each for each in forward if each.contains(operator)]
        if outer:
            digest = self._digest(row)
            return any(digest and self._digest(each) == digest for module in outer for each in module.inputs)
        return not any(each.outputs and each.time < operator.time for each in forward)

    def _is_changed_in_place(self, operator: StepOperator, row: int) -> bool:
        """Whether an in-place operator was recorded after it changed its input."""
        name = operator.tensor.type.split(".", 1)[0]
        digests = {self._digest(each) for each in operator.bad_outputs}
        return name.endswith("_") and not name.endswith("__") and self._digest(row) in digests
