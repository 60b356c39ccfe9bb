# SPDX-License-Identifier: Apache-2.0
"""The tensors of one directory of a dump: files, rows of ``statistic.csv``, long names from ``mapping.csv``."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from mindscope.artifacts.problems import Problems
from mindscope.debug.formats.async_file import read_async_file
from mindscope.debug.formats.elements import element_type
from mindscope.debug.formats.mindspore_dump.file_names import (
    MAPPING,
    STATISTICS,
    DumpName,
    is_long_name,
    parse_name,
)
from mindscope.debug.formats.mindspore_dump.graph_names import GraphNames
from mindscope.debug.formats.mindspore_dump.scopes import operator_number
from mindscope.debug.formats.mindspore_dump.statistic_file import MOST_ROWS, StatisticRow, read_statistics
from mindscope.debug.formats.stored_array import StoredArray, read_npy
from mindscope.debug.model.tensors import Role
from mindscope.errors import FormatError
from mindscope.formats.text_lines import bounded_lines
from mindscope.reasons import Reason
from mindscope.store.file_facts import readable

_LONGEST_LINE = 1 << 14
"""Characters of a line of a mapping, which holds two names of files."""


@dataclass(slots=True)
class ListedTensor:
    """A tensor with its file, its statistics, or both."""

    name: DumpName
    full_name: str
    """Full name of the operator: with scopes where the files beside the dump have it, else as the file has it."""
    path: Path | None = None
    array: StoredArray | None = None
    """Array in the file; None if it can't be read, or there is none."""
    row: StatisticRow | None = None
    order: int = 0


class _Slot(NamedTuple):
    type: str
    name: str
    role: Role | None
    slot: int


def list_tensors(directory: Path, names: GraphNames, problems: Problems, most: int = MOST_ROWS) -> list[ListedTensor]:
    """Return the tensors of a directory in the order of execution, inputs of an operator before its outputs.

    Of several of one tensor, as of a second training into the same directory, the newest counts. Of files ``most``
    tensors are listed, and as many rows of statistics as ``read_statistics`` reads.

    Raises:
        OSError: it can't be listed.
    """
    found: dict[_Slot, list[ListedTensor]] = {}
    in_files = (tensor for name, path in _files(directory, problems) for tensor in _tensors_in(name, path, problems))
    for each in islice(in_files, most):
        found.setdefault(_slot(each.name), []).append(each)
    if next(in_files, None) is not None:
        problems.note(directory, Reason("debug_entries_left", file=directory.name, most=most))
    statistics = directory / STATISTICS
    if statistics.exists():
        rows = problems.read(statistics, lambda path: list(read_statistics(path, problems)))
        _add_rows(found, rows or ())
    listed = [each for same in found.values() for each in _newest(same, names)]
    return _in_order(listed, names)


def _slot(name: DumpName) -> _Slot:
    return _Slot(name.type, name.name.replace("/", "_"), name.role, name.slot)


def _files(directory: Path, problems: Problems) -> Iterable[tuple[DumpName, Path]]:
    long_names: Mapping[str, str] = {}
    mapping = directory / MAPPING
    if mapping.exists():
        long_names = problems.read(mapping, _read_mapping) or {}
    present: set[str] = set()
    with os.scandir(directory) as entries:
        for entry in entries:
            present.add(entry.name)
            original = long_names.get(entry.name, entry.name) if is_long_name(entry.name) else entry.name
            name = parse_name(readable(original))
            if name is not None and entry.is_file(follow_symlinks=False):
                yield name, Path(entry.path)
    missing = sorted(set(long_names) - present)
    if missing:
        problems.note(mapping, Reason("debug_files_missing", file=mapping.name, count=len(missing), first=missing[0]))


def _tensors_in(name: DumpName, path: Path, problems: Problems) -> Iterator[ListedTensor]:
    """Yield the tensor of a file, or all of an operator."""
    if name.role is not None:
        yield ListedTensor(name, name.name, path, problems.read(path, partial(_stored, name=name)))
        return
    for each in problems.read(path, lambda path: read_async_file(path, problems)) or ():
        own = name._replace(role=each.role, slot=each.slot, dtype=each.dtype, format=each.format, shape=each.shape)
        yield ListedTensor(own, name.name, path, each.array)


def _stored(path: Path, name: DumpName) -> StoredArray:
    if path.suffix == ".npy":
        return read_npy(path, name.dtype)
    element = element_type(name.dtype)
    if element is None or name.shape is None:
        raise FormatError(f"it holds elements of type {name.dtype!r}, which is unknown")
    return StoredArray(path, 0, element, name.shape)


def _read_mapping(path: Path) -> dict[str, str]:
    """Read ``number.npy,original.npy`` of each line."""
    with path.open(encoding="utf-8", errors="replace") as file:
        lines = (line for line in bounded_lines(file, _LONGEST_LINE) if line is not None)
        pairs = (line.strip().partition(",") for line in islice(lines, MOST_ROWS))
        return {number: original for number, comma, original in pairs if comma}


def _add_rows(found: dict[_Slot, list[ListedTensor]], rows: Iterable[StatisticRow]) -> None:
    """Add rows to the file of the same time; those of no file are tensors of their own."""
    by_time = {
        (slot, each.name.timestamp): each for slot, same in found.items() for each in same if each.path is not None
    }
    for row in rows:
        slot = _slot(row.name)
        known = by_time.get((slot, row.name.timestamp))
        if known is None and len(alike := found.get(slot, [])) == 1 and alike[0].row is None:
            known = alike[0]  # the time of the row may differ from that of the file
        if known is None:
            found.setdefault(slot, []).append(ListedTensor(row.name, row.name.name, row=row))
        else:
            known.row = row


def _newest(same: list[ListedTensor], names: GraphNames) -> list[ListedTensor]:
    """Return the newest of each operator that a name may mean: names without scopes may mean several, one after the
    other.
    """
    same.sort(key=lambda each: each.name.timestamp)
    candidates = names.candidates(same[0].name.name) or [same[0].name.name]
    newest = same[-len(candidates) :] if len(same) % len(candidates) == 0 else same[-1:]
    for each, full_name in zip(newest, candidates, strict=False):
        each.full_name = full_name
    return newest


def _in_order(listed: list[ListedTensor], names: GraphNames) -> list[ListedTensor]:
    """Return operators as they run: by the list of the graph where it has them, between them by time."""
    times: dict[str, int] = {}
    for each in listed:
        key = _operator(each)
        times[key] = min(times.get(key, each.name.timestamp), each.name.timestamp)
    sort_keys: dict[str, tuple[int, int, int]] = {}
    latest = -1
    for key in sorted(times, key=lambda key: (times[key], operator_number(key), key)):
        known = names.order.get(key)
        latest = latest if known is None else max(latest, known)
        sort_keys[key] = (latest, 1, len(sort_keys)) if known is None else (known, 0, 0)
    numbers = {key: number for number, key in enumerate(sorted(sort_keys, key=lambda key: sort_keys[key]))}
    for each in listed:
        each.order = numbers[_operator(each)]
    return sorted(listed, key=lambda each: (each.order, each.name.role == Role.OUTPUT, each.name.slot))


def _operator(tensor: ListedTensor) -> str:
    return tensor.full_name
