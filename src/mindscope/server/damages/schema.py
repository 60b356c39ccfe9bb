# SPDX-License-Identifier: Apache-2.0
"""Messages about what of a run can't be read."""

from __future__ import annotations

from mindscope.server.http.schema import Answer, ReasonEntry
from mindscope.types import DamageKind


class DamageEntry(Answer):
    """A place of a file that can't be read; ``resumed_at`` is the byte of the next intact record, null if none yet."""

    file: str
    offset: int
    kind: DamageKind
    detail: ReasonEntry
    resumed_at: int | None
    text: str


class DamagesAnswer(Answer):
    """What of a run can't be read, and how many values its recorder had to drop."""

    damages: list[DamageEntry]
    dropped: int
