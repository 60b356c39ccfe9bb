# SPDX-License-Identifier: Apache-2.0
"""Values in event files: found by run, kind and tag, read at each use."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mindscope.analysis.value_ids import row_of
from mindscope.archive.mounts import located
from mindscope.errors import FormatError, TagNotFoundError
from mindscope.formats import dialects
from mindscope.reasons import Reason, Value, os_reason
from mindscope.stats import fingerprint
from mindscope.store import FileFacts, ReferenceColumns, RunStore, read_encoded
from mindscope.store.encoded_value import EncodedValue
from mindscope.trackers.trackers import BY_DIALECT, read_value
from mindscope.types import Kind


@dataclass(frozen=True, slots=True)
class StoredValue:
    """A decoded value, and its ``encoded`` bytes from byte ``offset`` of the file that ``source`` names."""

    decoded: Any
    encoded: bytes
    offset: int
    source: dict[str, Value]  # run, tag, step, file

    def location(self, part: bytes) -> dict[str, Value]:
        """Return the file of ``part`` of the value, ``source``, and its byte there, ``offset``.

        The byte is that of the value if the encoded bytes do not contain the part.
        """
        return {**self.source, "offset": self.offset + max(0, self.encoded.find(part))}


@dataclass(frozen=True, slots=True)
class StoredValues:
    """The values of a tag of a kind other than scalar.

    ``references`` says where they are in the files, by ascending step; in the order of writing with overwritten values.
    """

    kind: Kind
    run: str
    tag: str
    version: int
    references: ReferenceColumns
    written: Callable[[], ReferenceColumns]  # with values that a restart overwrote
    file: Callable[[int], FileFacts]

    def take(self, rows: slice) -> StoredValues:
        """Return the values in some rows of ``references``."""
        return replace(self, references=self.references.take(rows))

    def overwritten(self) -> StoredValues:
        """Return all values in the order of writing, with those that a restart overwrote."""
        return replace(self, references=self.written())

    def locate(self, id: str) -> tuple[ReferenceColumns, int] | None:
        """Return the references, and the row in them, of the value that ``value_ids`` calls ``id``.

        It returns None if no value has it.
        """
        for references in (self.references, self.written()):
            row = row_of(references, id)
            if row is not None:
                return references, row
        return None

    def read(self, references: ReferenceColumns, row: int) -> Any:
        """Return the decoded value in a row of ``references``. Raises FormatError if it can't be read."""
        return self.stored(references, row).decoded

    def stored(self, references: ReferenceColumns, row: int) -> StoredValue:
        """Return the value in a row of ``references`` with its bytes, which are read once.

        Raises FormatError as ``read``.
        """
        facts, encoded = self.facts(references, row), self.encoded(references, row)
        if facts.dialect is None:
            raise FormatError(Reason("file_replaced", **self._names()))
        step, offset = int(references.step[row]), int(references.offset[row])
        origin: dict[str, Value] = {"run": self.run, "tag": self.tag, "step": step, "file": facts.name}
        return StoredValue(dialects.decode(facts.dialect, self.kind, encoded), encoded, offset, origin)

    def facts(self, references: ReferenceColumns, row: int) -> FileFacts:
        """Return the file that holds the value in a row of ``references``.

        Raises FormatError if the run has lost the file.
        """
        try:
            return self.file(int(references.file[row]))
        except KeyError:
            raise FormatError(Reason("file_gone", **self._names())) from None

    def unread(self, references: ReferenceColumns, row: int) -> EncodedValue:
        """Return the value in a row of ``references`` without its bytes.

        Raises FormatError as ``facts``, or for another file.
        """
        facts = self.facts(references, row)
        if facts.dialect is None:
            raise FormatError(Reason("file_replaced", **self._names()))
        path, offset = located(facts.path, int(references.offset[row]))
        return EncodedValue(path, facts.dialect, self.kind, offset, int(references.length[row]))

    def encoded(self, references: ReferenceColumns, row: int) -> bytes:
        """Return the bytes of the value in a row of ``references``. Raises FormatError if they can't be read."""
        facts = self.facts(references, row)
        try:
            return encoded_value(facts, self.kind, self.tag, int(references.offset[row]), int(references.length[row]))
        except OSError as error:
            raise FormatError(Reason("file_unreadable", file=facts.name, **os_reason(error))) from error

    def _names(self) -> dict[str, Value]:
        return {"kind": self.kind.value, "tag": self.tag, "run": self.run}


def encoded_value(facts: FileFacts, kind: Kind, tag: str, offset: int, length: int) -> bytes:
    """Return the bytes of a value in a file of any dialect. Raises FormatError, OSError."""
    if facts.dialect is not None and facts.dialect in BY_DIALECT:
        return read_value(facts.dialect, facts.path, kind, tag, offset, length)
    return read_encoded(facts.path, offset, length)


def find_values(store: RunStore, kind: Kind, tag: str) -> StoredValues:
    """Return the values of a tag, which is never part of a path. Raises TagNotFoundError."""
    series = store.references(kind, tag)
    if series is None:
        raise TagNotFoundError(Reason("tag_not_found", kind=kind.value, tag=tag, run=store.id))
    version = series.version  # read before the values, so that a concurrent append is not missed
    return StoredValues(kind, store.id, tag, version, series.visible(), series.all, store.file)


def find_value(store: RunStore, kind: Kind, tag: str, id: str) -> StoredValue | None:
    """Return the value that ``value_ids`` calls ``id``, with its bytes; None if no value has it.

    Raises TagNotFoundError, FormatError if the value can't be read.
    """
    values = find_values(store, kind, tag)
    located = values.locate(id)
    return None if located is None else values.stored(*located)


def signature(found: StoredValues, group: slice) -> int:
    """Return a 64-bit hash of the references and wall times of a group of values."""
    references = found.references
    state = 0
    for column in (references.file, references.offset, references.length, references.wall_time, references.step):
        state = fingerprint(np.ascontiguousarray(column[group]).view(np.uint8), state)
    return state
