# SPDX-License-Identifier: Apache-2.0
"""Messages about damages of runs."""

from __future__ import annotations

from mindscope.server.http.schema import Answer, ReasonEntry
from mindscope.types import DamageKind


class DamageEntry(Answer):
    """A damage of a file; ``resumed_at`` is the byte of the next intact record, null without one."""

    file: str
    offset: int
    kind: DamageKind
    detail: ReasonEntry
    resumed_at: int | None
    text: str


class DamagesAnswer(Answer):
    """The damages of a run, and the number of values that its recorder dropped."""

    damages: list[DamageEntry]
    dropped: int
