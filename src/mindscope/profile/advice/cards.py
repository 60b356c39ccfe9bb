# SPDX-License-Identifier: Apache-2.0
"""Groups advice by the bottleneck that it is about: the strongest is its card, the others are evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from mindscope.profile.advice.advice import Advice
from mindscope.profile.advice.own_function import OwnFunction, own_function
from mindscope.profile.model.optional_parts import steps_of
from mindscope.profile.profile import Profile
from mindscope.profile.tables.steps import PARTS
from mindscope.profile.texts import Missing


class Bottlenecks(NamedTuple):
    """``parts`` of a step that it may take; ``codes`` of its advice, a cause before its symptoms."""

    parts: tuple[str, ...]
    codes: tuple[str, ...]


KINDS: Mapping[str, Bottlenecks] = {
    "data": Bottlenecks(("data_waiting",), (
        "no_workers", "stored_bottleneck", "busy_bottleneck", "waiting_bottleneck", "pipeline_generator",
        "pipeline_map", "pipeline_batch", "pipeline_reader", "pipeline_bottleneck", "slow_reading", "slow_consumer",
        "data_waiting", "batch_wait", "step_interval", "device_queue_empty", "empty_input", "transmission",
        "busy_workers", "idle_workers", "processor_load", "stored_warning", "pipeline_consumer",
    )),
    "communication": Bottlenecks(("communication",), (
        "retransmission", "other_backend", "bandwidth_contention", "small_packets", "unaligned_transfers",
        "communication",
    )),
    "copy": Bottlenecks(("copy",), ("pageable_copies",)),
    "logging": Bottlenecks(("host", "idle"), ("logging_calls",)),
    "host": Bottlenecks(("host", "idle"), (
        "item_calls", "synchronization", "stream_synchronization", "garbage_collection", "memory_calls", "quiet_host",
        "python_code", "small_operators", "python_gaps", "host_bound", "short_kernels", "free_time",
        "low_device_use",
    )),
    "compute": Bottlenecks(("compute",), (
        "data_parallel", "slow_ai_cpu", "synchronized_norms", "no_tensor_cores", "unbound_kernels", "cube_bound",
        "vector_bound", "frequency_drop", "vendor_finding",
    )),
    "memory": Bottlenecks((), ("leak", "memory_peak")),
}  # fmt: skip
"""Bottlenecks; where two may take the same part of a step, the first one takes it."""
_KIND_OF = {code: kind for kind, each in KINDS.items() for code in each.codes}
_KIND_OF_PART = {part: kind for kind, each in KINDS.items() for part in each.parts}
_CAUSES: Mapping[str, tuple[str, ...]] = {
    "no_workers": ("data_waiting",),
    "item_calls": ("small_operators", "python_code", "python_gaps"),
    "synchronization": ("host_bound", "low_device_use"),
}
"""Advice that says the cause of other advice."""
_CAUSE_SHARE = 0.5
"""Share of the time of its symptom from which a cause is the card."""
_OF_OPERATORS = frozenset(("small_operators", "item_calls"))
"""Advice of ``host`` about time of operators on a CPU, which is in ``compute``."""
_LEAST_SHARE = 0.005


@dataclass(frozen=True, slots=True)
class AdviceCard:
    """A bottleneck of a training."""

    kind: str
    """One of ``KINDS``."""
    advice: Sequence[Advice]
    """Advice about it: what the card says, then its evidence."""
    share: float
    """Share of the time of all steps that it takes, 0 to 1; those of all cards sum to 1 at most. 0: of no time."""
    function: OwnFunction | Missing | None
    """Function of the user that it is in, or why it is unknown; None where no function says more."""

    @property
    def gain(self) -> float | None:
        """How many times as fast a step is at most without it, by Amdahl's law; None without a share of the time."""
        return 1 / (1 - self.share) if 0 < self.share < 1 else None

    def to_json(self) -> dict[str, Any]:
        """Return the card for programs, with the codes of its advice."""
        function = self.function if isinstance(self.function, OwnFunction) else None
        missing = self.function if isinstance(self.function, Missing) else None
        return {
            "kind": self.kind, "codes": [each.code for each in self.advice], "share": self.share, "gain": self.gain,
            "function": None if function is None else function._asdict(),
            "missing": None if missing is None else {"code": missing.code, "remedy": missing.remedy},
        }  # fmt: skip


@dataclass(slots=True)
class _Group:
    advice: list[Advice] = field(default_factory=list[Advice])
    share: float = 0.0


def cards_of(profile: Profile, advice: Sequence[Advice]) -> list[AdviceCard]:
    """Return a card for each bottleneck that advice is about, that of the greatest share first."""
    groups: dict[str, _Group] = {kind: _Group() for kind in KINDS}
    for each in advice:
        groups[_kind_of(each)].advice.append(each)
    _share_time(profile, groups)
    cards: list[AdviceCard] = []
    for kind, group in groups.items():
        if group.advice:
            ordered = _cause_first(group.advice)
            cards.append(AdviceCard(kind, ordered, group.share, own_function(profile, kind, ordered[0])))
    return sorted(cards, key=lambda card: -card.share)


def _kind_of(advice: Advice) -> str:
    if advice.code == "uneven_steps":
        return _KIND_OF_PART[str(advice.values["cause"])]
    return _KIND_OF[advice.code]


def _share_time(profile: Profile, groups: Mapping[str, _Group]) -> None:
    """Give each group its share of the steps, and no part of a step to two groups."""
    steps = steps_of(profile)
    whole = 0 if steps is None else int(steps.duration.sum())
    left = {part: int(steps.part(part).sum()) / whole for part in PARTS} if steps is not None and whole else None
    for kind, group in groups.items():
        of_operators = max((each.share for each in group.advice if each.code in _OF_OPERATORS), default=0.0)
        causes = [each for each in group.advice if each.code != "uneven_steps"] or group.advice
        others = max((cause.share for cause in causes if cause.code not in _OF_OPERATORS), default=0.0)
        if left is None:
            group.share = max(of_operators, others)
            continue
        group.share = _taken(left, KINDS[kind].parts, others) + _taken(left, ("compute",), of_operators)
        if group.share < _LEAST_SHARE:
            group.share = 0.0


def _taken(left: dict[str, float], parts: Sequence[str], share: float) -> float:
    """Take a share from parts of which this much is left."""
    found = 0.0
    for part in parts:
        taken = min(left[part], share - found)
        left[part] -= taken
        found += taken
    return found


def _cause_first(advice: Sequence[Advice]) -> list[Advice]:
    """Return advice of a group by its share; what says the cause of the first one comes before it."""
    order = {code: position for position, code in enumerate(_KIND_OF)}
    last = len(order)
    ordered = sorted(advice, key=lambda each: (each.code not in order, -each.share, order.get(each.code, last)))
    for each in advice:
        symptoms = _CAUSES.get(each.code, ())
        if ordered[0].code in symptoms and _is_cause(each, ordered[0]):
            ordered.remove(each)
            ordered.insert(0, each)
    return ordered


def _is_cause(cause: Advice, symptom: Advice) -> bool:
    """Return whether a cause takes enough of its symptom; a number of single numbers is always enough."""
    return cause.code in ("item_calls", "no_workers") or cause.share >= _CAUSE_SHARE * symptom.share
