# SPDX-License-Identifier: Apache-2.0
"""An alert is one problem of a run, with the step where it began."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mindscope.debug.model.tensors import DebugTensor
    from mindscope.debug.watchpoints import Watchpoint


@dataclass(frozen=True, slots=True)
class Finding:
    """An episode in one series: where it began, where it was last seen, how often, and whether it is ongoing.

    ``value`` is the one with which it began.
    """

    step: int
    wall_time: float
    value: float
    last_step: int
    count: int
    is_active: bool


@dataclass(frozen=True, slots=True)
class TensorHits:
    """The hits of a watchpoint in an episode: the first one, and at which steps there are any."""

    watchpoint: Watchpoint
    source: str
    """Debugging data of the run: ``.`` for its event files, else the path of a dump."""
    rank: int
    row: int
    """Row of the first hit in the statistics of its step."""
    tensor: DebugTensor
    """Tensor of the first hit."""
    parameter: str
    """The one that holds; empty for a condition without."""
    set_value: float
    """NaN without a parameter."""
    ranges: tuple[tuple[int, int], ...]
    """First and last of consecutive recorded steps with hits, ascending."""


@dataclass(frozen=True, slots=True)
class Alert:
    """A finding of a rule in a tag of a run.

    ``id`` depends on rule, run, tag and first step only: it stays while the episode grows, and from viewer to viewer.
    """

    id: str
    rule: str
    run: str
    tag: str
    finding: Finding
    message: str
    hits: TensorHits | None = None
    """Hits of a watchpoint, whose ``tag`` is the name of the tensor; None for other rules."""


def alert_id(rule: str, run: str, tag: str, step: int) -> str:
    """Return an id that is the same for the same episode in every process."""
    text = "\0".join((rule, run, tag, str(step)))
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
