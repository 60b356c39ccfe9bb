# SPDX-License-Identifier: Apache-2.0
"""Metadata of the event files of a run, and their order by age."""

from __future__ import annotations

import re
from dataclasses import dataclass

from mindscope.formats.scan import Purge
from mindscope.natural_order import natural_key
from mindscope.reasons import Reason
from mindscope.types import Damage, DialectName

_UNDECODABLE = re.compile("[\udc80-\udcff]")

LIVE_S = 60.0
"""A file that changed within this time counts as being written now."""

CLOSABLE = (DialectName.MINDSPORE, DialectName.MINDSPORE_LINEAGE)
"""Dialects whose writers make a file read-only when they close it."""
CLOSED_MODE = 0o400

FileKey = tuple[int, tuple[tuple[int, int, str], ...]]


@dataclass(frozen=True, slots=True)
class FileFacts:
    """One event file as far as it has been read.

    ``name`` is the readable path below the run's directory, ``path`` the one to open. ``dialect`` is None until the
    first record. ``size_bytes`` and ``mode`` (permission bits) are from the last stat; ``modified_at`` is in seconds
    since 1970. ``read_bytes`` is the offset up to which all records are final. Wall times cover the file's values, None
    if there are none; ``last_step`` is the highest step, None if there is none. ``has_grown``: this process saw the
    file grow. ``rewinds``: a step that decreases within the file replaces the larger ones before it. ``purge``: the
    session start with the smallest step; it hides points of older files. ``stopped_at``: the offset after the last
    session stop, which our writer of TensorBoard's format appends when it closes the file.
    Of logs of other trackers, ``run_name`` is the name of the run, and ``notes`` say what is not shown as it is there.
    """

    name: str
    path: str
    creation_number: int = 0
    dialect: DialectName | None = None
    size_bytes: int = 0
    mode: int = 0
    modified_at: float = 0.0
    read_bytes: int = 0
    records: int = 0
    first_wall_time: float | None = None
    last_wall_time: float | None = None
    last_step: int | None = None
    damages: tuple[Damage, ...] = ()
    has_grown: bool = False
    rewinds: bool = False
    purge: Purge | None = None
    stopped_at: int | None = None
    run_name: str = ""
    notes: tuple[Reason, ...] = ()

    @property
    def is_closed(self) -> bool:
        """Whether its writer closed it: read-only in MindSpore's format, a session stop at the end in TensorBoard's."""
        if self.dialect in CLOSABLE:
            return self.mode == CLOSED_MODE
        return self.stopped_at is not None and self.stopped_at == self.size_bytes

    def is_young(self, now: float) -> bool:
        """Return whether it changed shortly before ``now``, in seconds since 1970."""
        return now - self.modified_at <= LIVE_S

    def is_growing(self, now: float) -> bool:
        """Return whether a training probably writes it.

        It changed lately, and it grew since the start or its values are recent.

        The second condition excludes a fresh copy of an old log.
        """
        last = self.last_wall_time
        return self.is_young(now) and (self.has_grown or last is None or self.modified_at - last <= LIVE_S)

    @property
    def key(self) -> FileKey:
        """Key that sorts files by age."""
        return age_key(self.creation_number, self.name)


def age_key(creation_number: int, name: str) -> FileKey:
    """Sort key of a file among those of its run: the creation number, then the name with its numbers as numbers."""
    return creation_number, natural_key(name)


def readable(name: str) -> str:
    """Return a name as valid text: each byte that is not UTF-8 becomes U+FFFD and two hexadecimal digits."""
    return _UNDECODABLE.sub(lambda match: f"\ufffd{ord(match[0]) - 0xDC00:02x}", name)
