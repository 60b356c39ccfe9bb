# SPDX-License-Identifier: Apache-2.0
"""Messages about the first bad number."""

from __future__ import annotations

from mindscope.debug.first_bad import Cause, OperatorKind
from mindscope.debug.first_bad.explanation import SourceKind, Trait
from mindscope.debug.model.tensors import Phase
from mindscope.server.debugger.schema import DebugRowEntry, DebugStepsRead, DebugTensorEntry
from mindscope.server.http.schema import Answer


class DebugOperatorEntry(Answer):
    """The source of a tensor: an ``operator``, the ``gradient`` or the ``update`` of the parameter ``name``.

    ``row`` is its first tensor that is not finite, in the step of the answer.
    """

    kind: OperatorKind
    name: str
    row: int


class DebugGrowth(Answer):
    """Exponential growth of max |x| of a tensor, from ``first`` in step ``since`` to ``last`` in ``last_step``.

    ``factor`` is that of one step; ``limit`` is the largest number of the dtype, null where it is not known.
    """

    tensor: DebugTensorEntry
    since: int
    factor: float
    first: float
    last_step: int
    last: float
    limit: float | None


class DebugExplanation(Answer):
    """Why a finite input is bad: a tensor with a ``trait``, and its source, ``name``, in the step of the answer.

    ``count`` of its ``total`` elements have the trait, always ``since`` that step; ``value`` is max |x|. ``line`` is
    that of the program. The inputs of an operator reach ``inputs_reach``. ``update_ratio`` is the largest change of a
    parameter in a step as a share of its size, null unless it is above 1.
    """

    trait: Trait
    kind: SourceKind
    name: str
    tensor: DebugTensorEntry
    row: int
    line: str
    count: int
    total: int
    value: float
    since: int
    inputs_reach: float | None
    update_ratio: float | None


class DebugFirstBad(Answer):
    """The first NaN or infinity that damages a training.

    ``cause`` says where it begins. Of ``batch``, ``buffer`` and ``parameters``, ``operator`` is the first that uses
    them; of ``unrecorded`` it is the smallest recorded module around. A buffer or a parameter has it ``since`` a step,
    made there by ``made_by``, or by no recorded operator if that is empty. ``before`` is the operator that has or gets
    the bad ``tensor``; ``inputs`` and ``outputs`` are of that operator. ``has_finite_inputs``: these were recorded and
    are finite. ``is_first_step``: an earlier step may be bad too. ``is_module``: operators inside were not recorded.
    ``explanations`` go from the inputs up to the first cause, the last one; they come with the last answer.
    ``chain`` goes from the operator to the loss, or to gradients and parameters. ``other_ranks`` are the first bad
    operators of other ranks in the step. ``stack`` is innermost first.
    """

    cause: Cause
    step: int
    rank: int
    phase: Phase
    operator: DebugOperatorEntry
    before: DebugOperatorEntry
    tensor: DebugRowEntry
    is_first_step: bool
    is_module: bool
    has_finite_inputs: bool
    since: int
    made_by: str
    inputs: list[DebugRowEntry]
    outputs: list[DebugRowEntry]
    explanations: list[DebugExplanation]
    growth: list[DebugGrowth]
    chain: list[DebugOperatorEntry]
    other_ranks: dict[int, DebugOperatorEntry]
    stack: list[str]


class DebugUnfinishedStep(Answer):
    """The last step of a rank, within which the training ended, and the last operator that was recorded there."""

    step: int
    rank: int
    operator: str


class DebugFirstBadAnswer(DebugStepsRead):
    """The search for the first bad number over all steps and ranks.

    ``found`` is null where nothing is bad in the first ``read_steps`` of ``steps``. ``growth`` comes last:
    request again until ``is_complete``. ``unreadable_steps`` can't be read. ``unfinished`` comes with the last answer.
    """

    unreadable_steps: int
    found: DebugFirstBad | None
    unfinished: DebugUnfinishedStep | None
