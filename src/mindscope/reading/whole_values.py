# SPDX-License-Identifier: Apache-2.0
"""Reads values that describe a whole run, such as graphs and lineage, and collects those that can't be decoded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from mindscope.errors import FormatError
from mindscope.formats.barrier import as_format_error
from mindscope.reading.values import Values, values_of
from mindscope.reasons import Reason, damage_reason
from mindscope.store import RunStore
from mindscope.store.encoded_value import EncodedValue
from mindscope.types import Damage, DamageKind, Kind, Landscape

T = TypeVar("T")


class WholeValues:
    """Reads such values of ``store``. An undecodable value is noted and does not hide the others."""

    def __init__(self, store: RunStore) -> None:
        self._store = store
        self._undecodable: dict[tuple[str, int], Damage] = {}  # found so far, by file and offset

    @property
    def damages(self) -> tuple[Damage, ...]:
        """Values that were read but can't be decoded."""
        return tuple(self._undecodable.values())

    def all_of(
        self, kind: Kind, read: Callable[[Any], T], read_apart: Callable[[EncodedValue], T | None] | None = None
    ) -> list[T]:
        """Return every value of a kind without steps of its own, oldest file first, for all tags.

        Args:
            kind: of the values.
            read: takes the decoded value.
            read_apart: reads a value elsewhere, or returns None for one that ``read`` is to read.
        """
        every = [values_of(self._store, kind, tag, overwritten=True) for tag in self._store.tags(kind)]
        results = [self._read(values, row, read, read_apart) for values in every for row in range(len(values))]
        return [result for result in results if result is not None]

    def newest_landscapes(self) -> dict[str, Landscape]:
        """Return the newest landscape of each tag."""
        found = {tag: values_of(self._store, Kind.LANDSCAPE, tag) for tag in self._store.tags(Kind.LANDSCAPE)}
        newest = {tag: self._read(values, -1, _as_landscape) for tag, values in found.items()}
        return {tag: landscape for tag, landscape in newest.items() if landscape is not None}

    def _read(
        self,
        values: Values[Any],
        row: int,
        read: Callable[[Any], T],
        read_apart: Callable[[EncodedValue], T | None] | None = None,
    ) -> T | None:
        try:
            result = None if read_apart is None else read_apart(values.unread(row))
            if result is None:
                result = read(values[row].value)
        except Exception as error:
            self._note(values, row, damage_reason(as_format_error(error, values.kind.value)))
            return None
        damage = getattr(result, "damage", None)  # of a graph that can be read in part
        if damage is not None:
            self._note(values, row, damage)
        return result

    def _note(self, values: Values[Any], row: int, reason: Reason) -> None:
        try:
            location = values.location(row)
        except FormatError:
            return  # its file is gone, and so are its damages
        self._undecodable[location] = Damage(*location, DamageKind.MESSAGE, reason)


def _as_landscape(value: Landscape) -> Landscape:
    return value
