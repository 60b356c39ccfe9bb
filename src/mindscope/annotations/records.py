# SPDX-License-Identifier: Apache-2.0
"""Records of annotations: one JSON object under a kind and a key, with a version that detects lost updates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Fields = Mapping[str, Any]
"""A JSON object."""


@dataclass(frozen=True, slots=True)
class Record:
    """The content of a key. ``version`` grows with every change and is 0 before the first one.

    ``fields`` is None if the record does not exist or was deleted.
    """

    kind: str
    key: str
    version: int
    fields: Fields | None


@dataclass(frozen=True, slots=True)
class AnnotationChange:
    """A request to write ``fields`` (None: delete) over the record that the client knows as ``version``.

    If ``is_partial`` is True, the record keeps its fields that are not in ``fields``.
    """

    kind: str
    key: str
    version: int
    fields: Fields | None
    is_partial: bool = False


@dataclass(frozen=True, slots=True)
class Contents:
    """All records of one base directory; ``revision`` grows with every change."""

    revision: int = 0
    records: tuple[Record, ...] = field(default_factory=tuple[Record, ...])

    def of(self, kind: str) -> dict[str, Record]:
        """Return the records of a kind by key."""
        return {record.key: record for record in self.records if record.kind == kind}
