# SPDX-License-Identifier: Apache-2.0
"""Describes one piece of advice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from mindscope.profile.model.profile_data import Part
from mindscope.profile.texts import ADVICE
from mindscope.texts import fill


class RankTable(str, Enum):
    """Tables over ranks, by the names of the fields of ``Ranks``."""

    CLOCKS = "clocks"
    STEPS = "steps"
    MEANS = "means"
    COLLECTIVES = "collectives"
    LINKS = "links"
    STRAGGLERS = "stragglers"
    STAGES = "stages"


class TracePart(str, Enum):
    """The part of a trace that advice rests on where no table has it."""

    TIMELINE = "timeline"


_MOST_TEXT = 1_000
Span = tuple[int, int]
"""Start and duration of a part of the timeline, in nanoseconds since the origin of the profile."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """A finding about a profile, and its remedy."""

    code: str
    """Key of ``ADVICE``."""
    values: Mapping[str, str | int | float]
    """Figures and names in its text: shares are 0 to 1, times nanoseconds, sizes bytes, rates FLOPS."""
    threshold: float
    """Threshold that the figure passed; also in ``values``."""
    part: Part | RankTable | TracePart
    """The table that it rests on."""
    table: str = ""
    """The table of a part that has several: ``queues`` of the data pipeline, ``blocks`` of the memory."""
    rows: Sequence[int]
    """Rows of that table, what matters most first; empty for all of them."""
    spans: Sequence[Span] = ()
    """Spans of the timeline, where the advice rests on that."""
    share: float = 0.0
    """Share of the time of a step that it concerns, 0 to 1; 0 if it concerns no time."""

    @property
    def finding(self) -> str:
        """The finding in words, with figures and threshold."""
        return fill(ADVICE[self.code]["text"], self.values, _UNITS)

    @property
    def remedy(self) -> str:
        """The remedy in words."""
        return fill(ADVICE[self.code]["remedy"], self.values, _UNITS)

    def to_json(self) -> dict[str, Any]:
        """Return all of it, for programs."""
        return {
            "code": self.code, "finding": self.finding, "remedy": self.remedy, "values": dict(self.values),
            "threshold": self.threshold, "part": self.part.value, "table": self.table, "rows": list(self.rows),
            "spans": [list(span) for span in self.spans], "share": self.share,
        }  # fmt: skip


def share_text(share: float) -> str:
    """Format a share, such as ``12.3 %``."""
    return f"{100 * share:.3g} %"


def gain_text(gain: float) -> str:
    """Format how many times as fast something is, such as ``1.16 x``."""
    return f"{gain:.3g} x" if gain < 1000 else f"{gain:.0f} x"


def time_text(nanoseconds: float) -> str:
    """Format a time, such as ``1.23 ms``."""
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if abs(nanoseconds) >= size:
            return f"{nanoseconds / size:.4g} {unit}"
    return f"{nanoseconds:.0f} ns"


def size_text(size: float) -> str:
    """Format a size, such as ``1.23 GiB``."""
    for unit, power in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if abs(size) >= 1 << power:
            return f"{size / (1 << power):.3g} {unit}"
    return f"{size:.0f} B"


def flops_text(rate: float) -> str:
    """Format a rate of operations, such as ``1.23 TFLOPS``."""
    size, unit = (1e12, "TFLOPS") if rate >= 1e12 else (1e9, "GFLOPS")
    return f"{rate / size:.3g} {unit}"


def bandwidth_text(rate: float) -> str:
    """Format a bandwidth, such as ``1.23 GB/s``."""
    return f"{rate:.3g} GB/s"


def shortened(text: str) -> str:
    """Return the text of a file in advice: its first 1,000 characters."""
    return text if len(text) <= _MOST_TEXT else text[:_MOST_TEXT] + "..."


_UNITS = {"share": share_text, "time": time_text, "size": size_text, "flops": flops_text, "bandwidth": bandwidth_text}
