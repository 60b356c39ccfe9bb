# SPDX-License-Identifier: Apache-2.0
"""The neutral model of a profile, for all frameworks, devices and formats."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from mindscope.artifacts.problems import DAMAGE, text_of_damage
from mindscope.errors import MindscopeError, ProfilePartError
from mindscope.profile.tables.annotations import Annotations
from mindscope.profile.tables.call_tree import CallTree
from mindscope.profile.tables.communication import Communication, Links
from mindscope.profile.tables.data_pipeline import DataPipeline
from mindscope.profile.tables.functions import Functions
from mindscope.profile.tables.further_tables import FurtherTables
from mindscope.profile.tables.kernels import Kernels
from mindscope.profile.tables.memory import Memory
from mindscope.profile.tables.module_tree import modules_of
from mindscope.profile.tables.modules import Modules
from mindscope.profile.tables.operators import Operators
from mindscope.profile.tables.step_rows import StepRows
from mindscope.profile.tables.steps import Steps
from mindscope.profile.tables.streams import MOST_KERNEL_WAIT_US, StreamGaps, Streams, with_kernel_wait
from mindscope.profile.texts import Missing
from mindscope.profile.trace.ranges import TimelineRange, slices_between
from mindscope.profile.trace.trace import Trace
from mindscope.reasons import Reason
from mindscope.store.mapped_columns import release_pages

_T = TypeVar("_T")
_ProfileT = TypeVar("_ProfileT", bound="ProfileData")
_log = logging.getLogger(__name__)


class Part(str, Enum):
    """The parts that a profile may have beside its trace."""

    STEPS = "steps"
    OPERATORS = "operators"
    KERNELS = "kernels"
    MODULES = "modules"
    MEMORY = "memory"
    DATA_PIPELINE = "data_pipeline"
    COMMUNICATION = "communication"
    LINKS = "links"
    STREAMS = "streams"
    STREAM_GAPS = "stream_gaps"
    STEP_ROWS = "step_rows"
    ANNOTATIONS = "annotations"
    CALL_TREE = "call_tree"
    FUNCTIONS = "functions"
    FURTHER_TABLES = "further_tables"


@dataclass(frozen=True, slots=True)
class Device:
    """``name`` is what tables call it: ``CPU``, ``GPU 0``. ``kind`` is ``cpu``, ``cuda``, ``npu``, ..."""

    name: str
    kind: str
    model: str = ""
    """Name of the model, such as ``NVIDIA H200``."""
    memory: int = 0
    """Size of the memory in bytes; 0 where unknown."""
    properties: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """All that the profile says about it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileFacts:
    """Facts that are known before anything is computed."""

    name: str
    """Name of the file or directory, without suffixes."""
    path: str
    format: str
    """Name of the format, such as ``torch_trace``."""
    framework: str = ""
    """``torch``, ``mindspore``, or empty."""
    worker: str = ""
    """The process that was profiled; profiles of one worker are cycles of it."""
    rank: int | None = None
    devices: Sequence[Device] = ()
    origin_ns: int | None = None
    """The time of 0 in nanoseconds since 1970; None if the profile does not say it."""
    properties: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Settings of the profiler, versions, processes: all that the profile says."""


class ProfileData:
    """The parts of a profile, which are computed on first use, and kept; ``Profile`` adds what compares them.

    ``profile.operators`` and its like raise ProfilePartError if the profile does not hold that part; the text says
    how to record it. ``part(Part.OPERATORS)`` returns a ``Missing`` then.
    """

    facts: ProfileFacts
    trace: Trace | None
    """The trace; None where a format has only tables."""

    def __init__(
        self,
        facts: ProfileFacts,
        trace: Trace | None,
        parts: Mapping[Part, Callable[[], Any] | Missing],
        select_steps: Callable[[int, int], ProfileData] | None = None,
    ) -> None:
        """A reader calls it. A part maps to a function that returns it or a ``Missing``, or to a ``Missing``.

        Parts that are not mapped are missing as ``not_in_format``. ``select_steps`` returns the profile of the steps of
        two numbers and between them; None if the format can't tell what belongs to a step.
        """
        self.facts, self.trace = facts, trace
        self._select_steps = select_steps
        self._parts = parts
        self._computed: dict[Part, Any] = {}

    @property
    def name(self) -> str:
        """Name of the file or directory, without suffixes."""
        return self.facts.name

    @property
    def format(self) -> str:
        """Name of the format, such as ``torch_trace``."""
        return self.facts.format

    @property
    def rank(self) -> int | None:
        """The process among those of a distributed training; None if unknown."""
        return self.facts.rank

    @property
    def devices(self) -> Sequence[Device]:
        """Devices that the profile names."""
        return self.facts.devices

    @cached_property
    def steps(self) -> Steps:
        """Steps, and on what their time went."""
        return self._required(Part.STEPS, Steps)

    @cached_property
    def operators(self) -> Operators:
        """Operators with their times on host and device."""
        return self._required(Part.OPERATORS, Operators)

    @cached_property
    def kernels(self) -> Kernels:
        """The kernels that the devices ran."""
        return self._required(Part.KERNELS, Kernels)

    @cached_property
    def modules(self) -> Modules:
        """The tree of modules or scopes, with times."""
        return self._required(Part.MODULES, Modules)

    @cached_property
    def memory(self) -> Memory:
        """Memory over time, and blocks."""
        return self._required(Part.MEMORY, Memory)

    @cached_property
    def data_pipeline(self) -> DataPipeline:
        """Operations of the data pipeline, queues, waits for batches."""
        return self._required(Part.DATA_PIPELINE, DataPipeline)

    @cached_property
    def communication(self) -> Communication:
        """Operations between ranks."""
        return self._required(Part.COMMUNICATION, Communication)

    @cached_property
    def links(self) -> Links:
        """Transfers by pair of ranks."""
        return self._required(Part.LINKS, Links)

    @cached_property
    def streams(self) -> Streams:
        """The streams of the devices: how busy they are, and for what they wait."""
        return self._required(Part.STREAMS, Streams)

    def streams_by(self, kernel_wait_us: int) -> Streams:
        """Return the streams with gaps shorter than ``kernel_wait_us`` microseconds as kernel waits, 30 by default.

        Raises:
            ProfilePartError: the profile has no streams.
            ValueError: the threshold is not 0 to 1,000.
        """
        if not 0 <= kernel_wait_us <= MOST_KERNEL_WAIT_US:
            raise ValueError(f"kernel_wait_us is {kernel_wait_us}, want 0 to {MOST_KERNEL_WAIT_US}")
        streams, gaps = self.streams, self.part(Part.STREAM_GAPS)
        return with_kernel_wait(streams, gaps, kernel_wait_us) if isinstance(gaps, StreamGaps) else streams

    @cached_property
    def annotations(self) -> Annotations:
        """Ranges that the program named."""
        return self._required(Part.ANNOTATIONS, Annotations)

    @cached_property
    def call_tree(self) -> CallTree:
        """The calls of the host in a step, with the times of each step."""
        return self._required(Part.CALL_TREE, CallTree)

    @cached_property
    def functions(self) -> Functions:
        """Python functions of the user, with their times outside of operators."""
        return self._required(Part.FUNCTIONS, Functions)

    @cached_property
    def further_tables(self) -> FurtherTables:
        """Tables that only one format has, such as samples of the hardware, by the names of their files; often none."""
        return self._required(Part.FURTHER_TABLES, FurtherTables)

    @property
    def missing(self) -> dict[Part, Missing]:
        """Reasons why parts are missing. It computes all parts."""
        return {part: found for part in Part if isinstance(found := self.part(part), Missing)}

    def timeline(self, start: int | None = None, end: int | None = None) -> TimelineRange:
        """Return the slices that overlap a range of time, in nanoseconds since the origin; None for no bound.

        Raises:
            ProfilePartError: the profile has only tables.
        """
        if self.trace is None:
            raise ProfilePartError(f"profile {self.name} has no timeline: {self.format} has only tables")
        return slices_between(self.trace, start, end)

    def select_steps(self: _ProfileT, first: int, last: int) -> _ProfileT:
        """Select what belongs to the steps from number ``first`` to ``last``, as a profile of its own.

        Raises:
            ProfilePartError: the profile has none of these steps, or its format can't tell what belongs to a step.
        """
        rows = self.part(Part.STEP_ROWS)
        if self._select_steps is None and not isinstance(rows, StepRows):
            raise ProfilePartError(f"profile {self.name} has no tables of single steps: {self.format} can't tell them")
        numbers = self.steps.number
        if not ((numbers >= first) & (numbers <= last)).any():
            raise ProfilePartError(
                f"profile {self.name} has no step from {first} to {last}: it has {numbers.min()} to {numbers.max()}"
            )
        if self._select_steps is not None:
            return cast(_ProfileT, self._select_steps(first, last))
        return self._of_step_rows(rows.of_steps(first, last), (numbers >= first) & (numbers <= last))

    def _of_step_rows(self: _ProfileT, rows: StepRows, is_chosen: NDArray[np.bool_]) -> _ProfileT:
        """Return the operators, kernels and modules of some steps, and what their time says of memory and
        communication.
        """
        steps = self.steps.select(is_chosen)
        begin, end = int(steps.start.min()), int((steps.start + steps.duration).max())
        memory, communication = self.part(Part.MEMORY), self.part(Part.COMMUNICATION)
        found: dict[Part, Any] = {
            Part.STEPS: steps,
            Part.OPERATORS: rows.operators,
            Part.KERNELS: rows.kernels,
            Part.MODULES: None if rows.operators is None else modules_of(rows.operators),
            Part.MEMORY: memory.between(begin, end) if isinstance(memory, Memory) else None,
            Part.COMMUNICATION: communication.of_steps(steps.number)
            if isinstance(communication, Communication)
            else None,
            Part.FURTHER_TABLES: FurtherTables({}),
        }

        def made(part: Part) -> Callable[[], Any] | Missing:
            each = found.get(part)
            return Missing("not_in_steps") if each is None else lambda: each

        return type(self)(self.facts, None, {part: made(part) for part in Part})

    def without_trace(self: _ProfileT) -> _ProfileT:
        """Return the same profile without a timeline, whose trace holds nothing."""
        return type(self)(self.facts, None, self._parts)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}: {self.format}>"

    def part(self, part: Part) -> Any:
        """Return a part by its name, or a ``Missing``."""
        if part not in self._computed:
            made = self._parts.get(part) or _absent(self.format, part)
            self._computed[part] = made if isinstance(made, Missing) else self._made(part, made)
        return self._computed[part]

    def _made(self, part: Part, make: Callable[[], Any]) -> Any:
        """Return a part; a ``Missing`` if the profile is damaged, which costs only this part."""
        try:
            found = make()
            release_pages()
            return found
        except MindscopeError:
            raise
        except DAMAGE as error:
            _log.warning("%s: can't compute %s", self.facts.path, part.value, exc_info=True)
            return Missing("damaged", {"error": text_of_damage(error)})

    def _required(self, part: Part, kind: type[_T]) -> _T:
        found = self.part(part)
        if isinstance(found, kind):
            return found
        assert isinstance(found, Missing)
        remedy = f"; record it by {found.remedy}" if found.remedy else ""
        detail = f"{found.reason}{remedy}"
        raise ProfilePartError(Reason("profile_part_missing", profile=self.name, part=part.value, detail=detail))


def _absent(format: str, part: Part) -> Any:
    if part is Part.FURTHER_TABLES:
        return lambda: FurtherTables({})
    return Missing("not_in_format", {"format": format, "part": part.value})
