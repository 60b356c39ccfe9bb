# SPDX-License-Identifier: Apache-2.0

from array import array
from collections.abc import Callable

import torch
from torch import Tensor

from mindscope.debug.model.tensors import Phase, Role
from mindscope.torch.core.operator_kinds import OverloadFacts
from mindscope.torch.debugging.tensor_table import KnownTensors

class TensorRows:
    """Which row of statistics each tensor of a step has; a subclass has ``grow``, ``summarize_other``
    and ``summarize_on_cuda``.
    """

    count: int
    """Rows."""
    def __init__(self, plain_types: tuple[type, ...], codes: dict[torch.dtype, int]) -> None: ...
    def set_room(self, summarize: Callable[[int, int, int, int], None], capacity: int) -> None:
        """Where rows are written: ``StatisticsRows.summarize`` of ``capacity`` rows."""

    def next_row(self) -> int:
        """A new row."""

    def forget(self) -> None:
        """No more tensors come."""

    def note_write(self, tensor: Tensor) -> None:
        """An operator writes into the memory of a tensor, perhaps by an alias, whose writes don't count as versions."""

    def note_writes(self, written: tuple[int | str, ...], args: tuple[object, ...], kwargs: dict[str, object]) -> None:
        """An operator wrote into the arguments of these positions and names."""

    def row_of(self, tensor: Tensor) -> int:
        """The row of a tensor, summarized now if it changed or is new; -1 if it can't be summarized."""

    def new_row(self, tensor: Tensor) -> int:
        """As ``row_of``, without a look at earlier rows."""

    def set_row(self, tensor: Tensor, row: int) -> None:
        """Have a tensor share the row of another one with the same elements."""

def sample_of(tensor: Tensor, plain_types: tuple[type, ...]) -> int | None:
    """A digest of elements of a plain tensor of the processor, which most writes change; None of another tensor."""

def is_freed(tensor: Tensor) -> bool:
    """Whether a tensor has elements but no memory, as parameters that FSDP gathers only while they are used."""

class Operator:
    """An operator or module at one point of a step, over all steps."""

    module: str
    type: str
    phase: Phase
    call: int
    stack: tuple[str, ...]
    tensors: dict[tuple[Role, str], tuple[int, torch.dtype, tuple[int, ...] | None]]
    """Of its tensors, by role and slot: index in the table, dtype and shape as last met."""
    def __init__(self, module: str, type: str, phase: Phase, call: int, stack: tuple[str, ...] = ()) -> None: ...

class Run:
    """One run of an operator in a step."""

    operator: Operator
    number: int

class StepRows:
    """The operators of a step in the order of their execution, with the rows of their tensors."""

    def __init__(
        self,
        vectors: TensorRows,
        table: KnownTensors,
        indexes: array[int],
        sources: array[int],
        runs: array[int],
        ended: array[int],
    ) -> None: ...
    def begin(self, module: str, type: str, phase: Phase, stack: Callable[[], tuple[str, ...]]) -> Run:
        """An operator runs; ``stack`` is called if no earlier step had it."""

    def next_call(self, module: str, type: str, phase: Phase) -> int:
        """The number of a call that begins."""

    def begin_call(self, module: str, type: str, phase: Phase, call: int, stack: Callable[[], tuple[str, ...]]) -> Run:
        """As ``begin``, for a call whose number is known."""

    def add_gradient(self, run: Run, role: Role, slot: str, gradient: Tensor) -> None:
        """Add a gradient that autograd just computed, to the backward pass of a module."""

    def add(self, run: Run, role: Role, slot: str, tensor: Tensor) -> int:
        """Add a tensor; returns the row of its statistics, -1 if it has none."""

    def add_row(self, run: Run, role: Role, slot: str, tensor: Tensor, row: int) -> int:
        """As ``add``, for a tensor that was summarized."""

    def read_inputs(
        self, kind: OverloadFacts, args: tuple[object, ...], kwargs: dict[str, object]
    ) -> list[tuple[str, Tensor, int]]:
        """Slot, tensor and row of each input of an operator that is about to run."""

    def add_operator(
        self, run: Run, inputs: list[tuple[str, Tensor, int]], outputs: list[tuple[str, Tensor, int]]
    ) -> None:
        """Add the tensors of an operator that ran: slot, tensor and row of each."""
