# SPDX-License-Identifier: Apache-2.0
"""Descriptions of the tensors that a ``Debugger`` recorded, and which of them the rows of a step are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from threading import RLock
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from mindscope.analysis.stored_values import StoredValues
from mindscope.debug.model.tensors import DebugTensor, Phase, Role
from mindscope.errors import FormatError
from mindscope.formats.tensor_statistics import TensorStatistics
from mindscope.store import ReferenceColumns
from mindscope.types import Message


class TensorTables:
    """The tables of several recorders, merged: equal tensors of all of them are one.

    Tensors are equal if all but shape and stack is equal. One that changed its shape has None. For any thread: sources
    of a growing run share them.
    """

    def __init__(self) -> None:
        self.tensors: list[DebugTensor] = []
        """The distinct tensors; the list only grows."""
        self.facts: Message = {}
        """Facts of the newest recording."""
        self.failures: list[FormatError] = []
        self._lock = RLock()
        self._read: dict[tuple[str, str], ReferenceColumns] = {}  # by run and tag: the values that were read
        self._index_of: dict[DebugTensor, int] = {}  # without shape and stack -> index in ``tensors``
        self._tables: dict[int, dict[int, int]] = {}  # by table: index there -> index in ``tensors``
        self._layout: tuple[tuple[int, bytes], NDArray[np.int32]] | None = None  # of the step that was read last
        self._wanted: tuple[Any, NDArray[np.intp]] | None = None  # rows of the tensors that were looked for last

    def is_start_of(self, described: Sequence[StoredValues]) -> bool:
        """Return whether all that was read is the start of these values: ``read`` then reads only the others."""
        references = {(each.run, each.tag): each.references for each in described}
        with self._lock:
            return all(key in references and _begins(references[key], read) for key, read in self._read.items())

    def read(self, found: StoredValues) -> None:
        """Add the descriptions in values of a run that were not read yet."""
        with self._lock:
            known = self._read.get((found.run, found.tag))
            for row in range(0 if known is None else len(known), len(found.references)):
                try:
                    self._add(found.read(found.references, row))
                except FormatError as error:
                    self.failures.append(error)
            if known is None or len(known) < len(found.references):
                self._layout = self._wanted = None  # rows may have a description now
                self._read[found.run, found.tag] = found.references

    def _add(self, described: TensorStatistics) -> None:
        self.facts = described.facts or self.facts
        table = self._tables.setdefault(described.table, {})
        for index, message in enumerate(described.tensors, described.first_tensor):
            try:
                table[index] = self._add_tensor(_tensor(message))
            except (TypeError, ValueError, KeyError) as error:
                table[index] = self._add_tensor(_unreadable(described.table, index))
                self.failures.append(FormatError(f"description {index} of a table of tensors can't be read: {error!r}"))

    def _add_tensor(self, tensor: DebugTensor) -> int:
        key = replace(tensor, shape=None, stack=())
        index = self._index_of.setdefault(key, len(self.tensors))
        if index == len(self.tensors):
            self.tensors.append(tensor)
        elif self.tensors[index].shape != tensor.shape:
            self.tensors[index] = replace(tensor, shape=None)
        return index

    def tensor_indexes(self, recorded: TensorStatistics) -> NDArray[np.int32]:
        """Return indexes in ``tensors`` of the rows of a step, shape (rows,).

        Raises FormatError if they can't be read.
        """
        with self._lock:
            return self._tensor_indexes(recorded)

    def _tensor_indexes(self, recorded: TensorStatistics) -> NDArray[np.int32]:
        packed = recorded.packed.get("tensor")
        key = (recorded.table, b"" if packed is None else packed.data)
        if self._layout is not None and self._layout[0] == key and self._layout[1].size == recorded.rows:
            return self._layout[1]
        column = recorded.column("tensor")
        local = np.zeros(recorded.rows, np.int64) if column is None else column.astype(np.int64)
        indexes = self._merged(recorded.table, local)
        indexes.setflags(write=False)
        self._layout = (key, indexes)
        return indexes

    def _merged(self, table: int, local: NDArray[np.int64]) -> NDArray[np.int32]:
        own = self._tables.setdefault(table, {})
        distinct, inverse = np.unique(local, return_inverse=True)
        for index in distinct.tolist():
            if index not in own:  # its description is damaged
                own[index] = self._add_tensor(_unreadable(table, index))
        return np.array([own[index] for index in distinct.tolist()], np.int32)[inverse].reshape(-1)

    def rows_of(self, recorded: TensorStatistics, tensors: Sequence[int]) -> NDArray[np.intp]:
        """Return the last row of each tensor in a step, -1 where it has none. Shape (tensors,)."""
        with self._lock:
            return self._rows_of(recorded, tensors)

    def _rows_of(self, recorded: TensorStatistics, tensors: Sequence[int]) -> NDArray[np.intp]:
        indexes = self._tensor_indexes(recorded)
        if self._wanted is not None and self._wanted[0][0] is indexes and self._wanted[0][1] == tensors:
            return self._wanted[1]
        last = np.full(len(self.tensors), -1, np.intp)
        last[indexes] = np.arange(indexes.size)
        rows = last[np.asarray(tensors, np.intp)]
        self._wanted = ((indexes, list(tensors)), rows)
        return rows


def _begins(references: ReferenceColumns, start: ReferenceColumns) -> bool:
    size = len(start)
    return len(references) >= size and all(
        np.array_equal(getattr(references, name)[:size], getattr(start, name)) for name in ("file", "offset", "length")
    )


def _tensor(message: Message) -> DebugTensor:
    """Raises TypeError, ValueError, KeyError for what describes no tensor."""
    shape = message.get("shape")
    call = int(message.get("call", 0))
    if shape is not None:
        shape = tuple(_size(each) for each in shape)
    return DebugTensor(
        module=_text(message, "module"),
        type=_text(message, "type"),
        phase=Phase(message["phase"]),
        role=Role(message["role"]),
        slot=_text(message, "slot"),
        call=call,
        dtype=_text(message, "dtype"),
        shape=shape,
        name=_text(message, "name"),
        stack=tuple(map(str, cast("list[Any]", message.get("stack", ())))),
    )


def _unreadable(table: int, index: int) -> DebugTensor:
    name = f"tensor {index} of table {table:x}, whose description is damaged"
    return DebugTensor("", "", Phase.FORWARD, Role.OUTPUT, "", name=name)


def _text(message: Message, name: str) -> str:
    value = message.get(name, "")
    if not isinstance(value, str):
        raise TypeError(f"{name} is {type(value).__name__}, want text")
    return value


def _size(value: Any) -> int:
    if not isinstance(value, int) or value < 0:
        raise TypeError(f"shape holds {value!r}, want whole numbers")
    return value
