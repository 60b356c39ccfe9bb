# SPDX-License-Identifier: Apache-2.0
"""A table in parts that are made when a query reads them. Import it only where pyarrow is installed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from mindscope.reading.sql.schema import FLAG, NUMBER, TEXT, TEXT_MAP, TEXTS, TIME, WHOLE, SqlTable
from mindscope.table.frames import pyarrow_module

arrow: Any = pyarrow_module()
_dataset: Any = pyarrow_module("pyarrow.dataset")
_Dataset: type[Any] = _dataset.Dataset

_TYPES: Mapping[str, Any] = {
    TEXT: arrow.string(), WHOLE: arrow.int64(), NUMBER: arrow.float64(), FLAG: arrow.bool_(),
    TIME: arrow.timestamp("us"), TEXTS: arrow.list_(arrow.string()),
    TEXT_MAP: arrow.map_(arrow.string(), arrow.string()),
}  # fmt: skip
_NAME = arrow.dictionary(arrow.int32(), arrow.string())
_ROWS = 1 << 17
"""Rows of a batch. Smaller parts share one, because each batch costs as much as thousands of rows."""

Columns = Mapping[str, Any]


class SqlPart(NamedTuple):
    """Rows with the same ``keys``. ``columns`` makes arrays of the other columns of these names, in pieces."""

    keys: tuple[str, ...]
    columns: Callable[[Sequence[str]], Iterable[Columns]]


class PartitionedTable(_Dataset):
    """A dataset of Arrow that makes only those parts and columns that the engine asks for.

    DuckDB calls ``scanner`` with the columns that a query reads and its conditions on single columns.
    """

    def __init__(self, table: SqlTable, parts: Callable[[], Sequence[SqlPart]], check: Callable[[], None]) -> None:
        """``parts`` is called when a query reads the table, ``check`` before each part; it may raise."""
        self._table, self._find_parts, self._check = table, parts, check
        self._schema = arrow_schema(table)
        self.error: Exception | None = None
        """What making the parts raised, since the engine passes on only its text."""

    @property
    def schema(self) -> Any:
        """Names and types of all columns."""
        return self._schema

    def scanner(self, columns: Sequence[str] | None = None, filter: Any = None, **options: Any) -> Any:
        """Return a scanner of the rows that fulfil ``filter``; reads no part before the first row is taken."""
        try:
            parts, rest = self._chosen(filter)
        except Exception as error:
            self.error = error
            raise
        names = list(columns) if columns is not None and rest is None else list(self._schema.names)
        schema = arrow.schema([self._schema.field(name) for name in names])
        batches = self._batches(parts, schema)
        return _dataset.Scanner.from_batches(batches, schema=schema, columns=columns, filter=rest, use_threads=False)

    def _chosen(self, filter: Any) -> tuple[Sequence[SqlPart], Any]:
        """Return the parts that may have rows, and the condition that their rows must fulfil; None if all do."""
        parts = self._find_parts()
        if filter is None or not self._table.keys:
            return parts, filter
        keys = self._table.keys
        of_any = _dataset.IpcFileFormat().make_fragment
        fragments = [
            of_any(str(number), filesystem=_NOWHERE, partition_expression=_is_in(keys, part.keys))
            for number, part in enumerate(parts)
        ]
        every = _dataset.FileSystemDataset(fragments, self._plain_schema(), _dataset.IpcFileFormat())
        chosen = [parts[int(fragment.path)] for fragment in every.get_fragments(filter=filter)]
        return chosen, None if self._is_over_keys(filter) else filter

    def _plain_schema(self) -> Any:
        return arrow.schema([(name, _TYPES[type]) for name, type in self._table.columns.items()])

    def _is_over_keys(self, filter: Any) -> bool:
        """Return whether a condition is over the keys alone, so that it holds for all rows of a part."""
        empty = arrow.table({name: arrow.array([], arrow.string()) for name in self._table.keys})
        try:
            empty.filter(filter)
        except arrow.ArrowInvalid:
            return False
        return True

    def _batches(self, parts: Iterable[SqlPart], schema: Any) -> Iterator[Any]:
        try:
            yield from self._made(parts, schema)
        except Exception as error:
            self.error = error
            raise

    def _made(self, parts: Iterable[SqlPart], schema: Any) -> Iterator[Any]:
        """Yield batches of at least ``_ROWS`` rows where parts are smaller."""
        wanted = [name for name in schema.names if name not in self._table.keys]
        wanted = wanted or [next(name for name in self._table.columns if name not in self._table.keys)]
        pending: list[tuple[tuple[str, ...], int, Columns]] = []
        rows = 0
        for part in parts:
            self._check()
            for piece in part.columns(wanted):
                length = len(next(iter(piece.values())))
                for start in range(0, length, _ROWS):
                    stop = min(start + _ROWS, length)
                    if stop - start >= _ROWS // 2:
                        cut = {name: column[start:stop] for name, column in piece.items()}
                        yield self._batch([(part.keys, stop - start, cut)], schema)
                    else:
                        cut = {name: column[start:stop] for name, column in piece.items()}
                        pending.append((part.keys, stop - start, cut))
                        rows += stop - start
            if rows >= _ROWS:
                yield self._batch(pending, schema)
                pending, rows = [], 0
        if pending:
            yield self._batch(pending, schema)

    def _batch(self, pieces: Sequence[tuple[tuple[str, ...], int, Columns]], schema: Any) -> Any:
        lengths = [length for _, length, _ in pieces]
        columns: list[Any] = []
        for field in schema:
            if field.name in self._table.keys:
                key = self._table.keys.index(field.name)
                columns.append(_names([keys[key] for keys, _, _ in pieces], lengths))
            else:
                columns.append(_column([piece[field.name] for _, _, piece in pieces], field.type))
        return arrow.RecordBatch.from_arrays(columns, schema=schema)


def arrow_schema(table: SqlTable) -> Any:
    """Return the columns of a table; those of keys are dictionary-encoded."""
    return arrow.schema([(name, _NAME if name in table.keys else _TYPES[type]) for name, type in table.columns.items()])


def part_of_rows(make: Callable[[], Sequence[Mapping[str, Any]]]) -> SqlPart:
    """Return the only part of a table without keys, of rows of Python objects."""

    def columns(names: Sequence[str]) -> Iterable[Columns]:
        rows = make()
        return ({name: [row.get(name) for row in rows] for name in names},) if rows else ()

    return SqlPart((), columns)


_NOWHERE = pyarrow_module("pyarrow.fs").LocalFileSystem()
"""Nothing is read from it: fragments only hold what their rows have in common."""
_FIRST = np.zeros(_ROWS, np.int32)


def _is_in(names: Sequence[str], keys: Sequence[str]) -> Any:
    """Return the expression that all rows of a part fulfil."""
    expressions = [_dataset.field(name) == key for name, key in zip(names, keys, strict=True)]
    whole = expressions[0]
    for expression in expressions[1:]:
        whole = whole & expression
    return whole


def _names(names: Sequence[str], lengths: Sequence[int]) -> Any:
    """Return a column that repeats each name; of one name, all batches share the same memory."""
    if len(names) == 1:
        return arrow.DictionaryArray.from_arrays(arrow.array(_FIRST[: lengths[0]]), arrow.array(names, arrow.string()))
    distinct = list(dict.fromkeys(names))
    code = {name: number for number, name in enumerate(distinct)}
    codes = np.repeat(np.array([code[name] for name in names], np.int32), lengths)
    return arrow.DictionaryArray.from_arrays(arrow.array(codes), arrow.array(distinct, arrow.string()))


def _column(pieces: Sequence[Any], type: Any) -> Any:
    arrays = [_array(piece, type) for piece in pieces]
    return arrays[0] if len(arrays) == 1 else arrow.concat_arrays(arrays)


def _array(values: Any, type: Any) -> Any:
    if isinstance(values, np.ndarray):
        column = cast("NDArray[Any]", values)
        if column.dtype == np.float32:
            with np.errstate(invalid="ignore"):  # a signaling NaN becomes a quiet one
                column = column.astype(np.float64)
        return arrow.array(column, type)
    return arrow.array(values, type)
