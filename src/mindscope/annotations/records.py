# SPDX-License-Identifier: Apache-2.0
"""Records of annotations: one JSON object under a kind and a key, with a version that tells a lost update."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Fields = Mapping[str, Any]
"""A JSON object."""


@dataclass(frozen=True, slots=True)
class Record:
    """What stands under a key. ``version`` grows with every change and is 0 where nothing was ever written.

    ``fields`` is None where nothing stands there, be it that it was deleted.
    """

    kind: str
    key: str
    version: int
    fields: Fields | None


@dataclass(frozen=True, slots=True)
class Change:
    """A wish to write ``fields`` (None: to delete) over the record that the sender knows as ``version``.

    ``is_partial`` keeps the fields of the record that are not among ``fields``.
    """

    kind: str
    key: str
    version: int
    fields: Fields | None
    is_partial: bool = False


@dataclass(frozen=True, slots=True)
class Contents:
    """All records of one base directory; ``revision`` grows with every change of any of them."""

    revision: int = 0
    records: tuple[Record, ...] = field(default_factory=tuple[Record, ...])

    def of(self, kind: str) -> dict[str, Record]:
        """The records of a kind by key."""
        return {record.key: record for record in self.records if record.kind == kind}
