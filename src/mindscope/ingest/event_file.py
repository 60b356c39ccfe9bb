# SPDX-License-Identifier: Apache-2.0
"""A file with values of a run."""

from __future__ import annotations

import os
from dataclasses import dataclass

from mindscope.ingest.file_names import creation_number, readable
from mindscope.store.file_facts import FileKey, age_key
from mindscope.types import DialectName


@dataclass(frozen=True, slots=True)
class EventFile:
    """A file to read: ``name`` is its readable name, ``path`` opens it.

    ``tracker`` is the one that wrote it, None for an event file.
    """

    name: str
    path: str
    creation_number: int
    tracker: DialectName | None = None

    @classmethod
    def of(cls, entry: os.DirEntry[str]) -> EventFile:
        """Return the event file of an entry."""
        name, number = readable(entry.name), creation_number(entry.name)
        return cls(name, entry.path, number)

    @property
    def key(self) -> FileKey:
        """Key that sorts files by age; it takes more memory than the file does."""
        return age_key(self.creation_number, self.name)
