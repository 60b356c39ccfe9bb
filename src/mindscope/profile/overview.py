# SPDX-License-Identifier: Apache-2.0
"""Selects what to know first about a profile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, cast

import numpy as np

from mindscope.profile.advice import Advice, advise
from mindscope.profile.advice.cards import AdviceCard, cards_of
from mindscope.profile.model.optional_parts import part_of, steps_of
from mindscope.profile.model.profile_data import Part
from mindscope.profile.profile import Profile
from mindscope.profile.tables.kernels import Kernels
from mindscope.profile.tables.memory import Memory
from mindscope.profile.tables.operators import Operators
from mindscope.profile.tables.steps import PARTS, Steps
from mindscope.profile.texts import Missing
from mindscope.table.columns import integers_of

MOST_UNLINKED = 0.05
"""Share of the time of kernels that may be in no operator without a word."""
_UNSAID = (Part.STREAM_GAPS, Part.STEP_ROWS, Part.FUNCTIONS)


@dataclass(frozen=True, slots=True)
class MemoryPeak:
    """The greatest allocated memory of a device."""

    device: str
    time: int
    """Nanoseconds since the origin of the profile."""
    allocated: int
    """Allocated bytes."""
    by_category: Mapping[str, int]
    """Bytes of the live blocks of known allocation; without blocks empty."""


@dataclass(frozen=True, slots=True)
class FlopsFigures:
    """Floating-point operations of a profile."""

    operations: float
    """Operations of all that was profiled, or of one step, as the profiler counts."""
    per_second: float
    """Operations per second while operators run."""
    utilization: float | None
    """Share of what the device could do, 0 to 1; None if its profiler does not say it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """Figures of a profile; None where it lacks the data."""

    steps: int
    """Number of the steps that all means are of: complete ones without the warm-up."""
    warm_up: Sequence[int]
    """Numbers of the first steps that are left out."""
    incomplete: Sequence[int]
    """Numbers of the steps that are left out because the trace does not hold all of them."""
    step_time: float | None
    """Mean nanoseconds of a step."""
    parts: Mapping[str, float]
    """Share of each of ``PARTS`` in the time of all steps, 0 to 1; empty without steps."""
    overlap: float | None
    """Share of the communication during which the device computes, 0 to 1."""
    device_busy: float | None
    """Share of the time of all steps, 0 to 1."""
    sm_efficiency: float | None
    """TensorBoard's estimate over all steps, 0 to 1."""
    occupancy: float | None
    """Mean estimated achieved occupancy of kernels that compute, weighted by time, 0 to 1."""
    tensor_cores: float | None
    """Share of the time of kernels, copies not among them, 0 to 1, by their names; None where a device has none."""
    unlinked: float | None
    """Share of the time of kernels, copies not among them, that is in no operator: the trace lacks their launches, or
    no operator is around these.
    """
    flops: FlopsFigures | None
    operators: Operators | None
    """Operators by name, the greatest self time first."""
    kernels: Kernels | None
    """Kernels by name, the greatest total first."""
    peaks: Sequence[MemoryPeak]
    cards: Sequence[AdviceCard]
    """Bottlenecks with their advice, the greatest share of time first."""
    memory_notes: Sequence[Missing]
    """Facts that curve and blocks of the memory lack."""
    missing: Mapping[Part, Missing]
    """Gaps of streams are missing with the streams, rows of steps with the tree of calls, which say enough. Cards say
    that functions are missing."""

    @property
    def advice(self) -> list[Advice]:
        """Advice of all cards."""
        return [each for card in self.cards for each in card.advice]

    def to_json(self, top: int = 20) -> dict[str, Any]:
        """Return all of it, for programs, with the ``top`` operators and kernels."""
        return {
            "steps": self.steps, "warm_up_steps": list(self.warm_up),
            "incomplete_steps": list(self.incomplete), "step_time_ns": self.step_time,
            "parts": dict(self.parts), "overlap": self.overlap,
            "device_busy": self.device_busy, "sm_efficiency": self.sm_efficiency,
            "occupancy": self.occupancy, "tensor_cores": self.tensor_cores, "unlinked": self.unlinked,
            "flops": None if self.flops is None else asdict(self.flops),
            "operators": [] if self.operators is None else list(self.operators.rows(top)),
            "kernels": [] if self.kernels is None else list(self.kernels.rows(top)),
            "memory_peaks": [
                {"device": peak.device, "time_ns": peak.time, "allocated": peak.allocated,
                 "by_category": dict(peak.by_category)}
                for peak in self.peaks
            ],
            "memory_notes": [
                {"code": note.code, "reason": note.reason, "remedy": note.remedy} for note in self.memory_notes
            ],
            "cards": [card.to_json() for card in self.cards],
            "advice": [each.to_json() for each in self.advice],
            "missing": {
                part.value: {"code": value.code, "reason": value.reason, "remedy": value.remedy}
                for part, value in self.missing.items()
            },
        }  # fmt: skip


def overview_of(profile: Profile) -> Overview:
    """Return the overview of a profile."""
    steps, kernels = steps_of(profile), part_of(profile, Part.KERNELS, Kernels)
    operators = part_of(profile, Part.OPERATORS, Operators)
    whole = int(steps.duration.sum()) if steps is not None else 0
    return Overview(
        steps=0 if steps is None else len(steps),
        warm_up=_warm_up(profile),
        incomplete=_incomplete(profile),
        step_time=None if steps is None else float(steps.duration.mean()),
        parts={part: int(steps.part(part).sum()) / whole for part in PARTS} if steps is not None and whole else {},
        overlap=None if steps is None else _overlap(steps),
        device_busy=int(steps.device_busy.sum()) / whole
        if steps is not None and steps.device_busy is not None and whole
        else None,
        sm_efficiency=None
        if steps is None or steps.sm_efficiency is None or not whole
        else float((steps.sm_efficiency * steps.duration).sum()) / whole,
        occupancy=None if kernels is None else _occupancy(kernels),
        tensor_cores=None if kernels is None else _tensor_cores(kernels),
        unlinked=None if kernels is None or operators is None else _unlinked(kernels),
        flops=_flops(profile, operators),
        operators=None if operators is None else operators.group_by("name"),
        kernels=None if kernels is None else kernels.group_by("name"),
        peaks=peaks_of(profile),
        memory_notes=_memory_notes(profile),
        cards=cards_of(profile, advise(profile)),
        missing={part: value for part, value in profile.missing.items() if part not in _UNSAID},
    )


def _warm_up(profile: Profile) -> list[int]:
    steps = part_of(profile, Part.STEPS, Steps)
    return [] if steps is None else integers_of(steps.number[steps.warm_up_rows])


def _incomplete(profile: Profile) -> list[int]:
    steps = part_of(profile, Part.STEPS, Steps)
    found = None if steps is None else steps.is_incomplete
    return [] if steps is None or found is None else integers_of(steps.number[found])


def peaks_of(profile: Profile) -> list[MemoryPeak]:
    """Return the peak of each device, with what its live blocks hold."""
    memory = part_of(profile, Part.MEMORY, Memory)
    if memory is None:
        return []
    memory_peaks: list[MemoryPeak] = []
    for device in memory.curve.device.values:
        rows = memory.curve.absolute_rows(device)
        if len(rows):
            row = int(rows[np.argmax(memory.curve.allocated[rows])])
            time = int(memory.curve.time[row])
            memory_peaks.append(MemoryPeak(device, time, int(memory.curve.allocated[row]), _live(memory, time, device)))
    return memory_peaks


def _memory_notes(profile: Profile) -> Sequence[Missing]:
    memory = part_of(profile, Part.MEMORY, Memory)
    return () if memory is None else memory.notes


def _live(memory: Memory, time: int, device: str) -> dict[str, int]:
    if memory.blocks is None or memory.blocks.category is None:
        return {}
    live = memory.blocks.live_at(time, device)
    assert live.category is not None
    found: dict[str, int] = {}
    for category, size in zip(live.category, live.size.tolist(), strict=True):
        found[category or "other"] = found.get(category or "other", 0) + size
    return dict(sorted(found.items(), key=lambda each: -each[1]))


def _overlap(steps: Steps) -> float | None:
    if steps.overlapped is None:
        return None
    hidden = int(steps.overlapped.sum())
    whole = hidden + int(steps.part("communication").sum())
    return hidden / whole if whole else None


def _occupancy(kernels: Kernels) -> float | None:
    if kernels.occupancy is None:
        return None
    time = int(kernels.total[kernels.kind.is_any_of(lambda text: text == "compute")].sum())
    return float(np.nansum(kernels.occupancy * kernels.total)) / time if time else None


def _unlinked(kernels: Kernels) -> float | None:
    kernels = kernels.without_copies
    if kernels.operator is None:
        return None
    whole = int(kernels.total.sum())
    return int(kernels.total[kernels.operator.is_any_of(lambda text: not text)].sum()) / whole if whole else None


def _flops(profile: Profile, operators: Operators | None) -> FlopsFigures | None:
    """Return the operations as the profiler summed them, else the sum over operators."""
    said = profile.facts.properties.get("flops")
    figures = cast("dict[str, float]", said) if isinstance(said, dict) else {}
    if "operations" in figures and "per_second" in figures:
        return FlopsFigures(figures["operations"], figures["per_second"], figures.get("utilization"))
    if operators is None or operators.flops is None or not operators.flops.any():
        return None
    counted = operators.select(operators.flops > 0)
    time = int(counted.self_time.sum())
    assert counted.flops is not None
    whole = float(counted.flops.sum())
    used = None if counted.utilization is None else float((counted.utilization * counted.self_time).sum())
    return FlopsFigures(whole, whole / time * 1e9 if time else 0.0, used / time if used is not None and time else None)


def _tensor_cores(kernels: Kernels) -> float | None:
    kernels = kernels.without_copies
    if kernels.core is None or not kernels.device.is_any_of(lambda text: text.startswith("GPU")).all():
        return None  # cores of Ascend are no tensor cores
    whole = int(kernels.total.sum())
    own = kernels.core.is_any_of(lambda text: text == "tensor_core")
    return int(kernels.total[own].sum()) / whole if whole else None
