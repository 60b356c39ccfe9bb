# SPDX-License-Identifier: Apache-2.0
"""Arguments of the events of a JSON trace as columns, in one pass over its file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.trace._argument_columns import ArgumentScanner
from mindscope.profile.trace.json_trace import decompressed_blocks
from mindscope.profile.trace.trace import Events, Slices, Trace
from mindscope.store.mapped_columns import mapped
from mindscope.table.columns import TextColumn

NO_INTEGER = int(np.iinfo(np.int64).min)
"""An event without the argument, or with one that is no integer."""


class ArgumentNames(NamedTuple):
    """Names of wanted arguments; upper and lower case do not differ."""

    integers: Sequence[str] = ()
    numbers: Sequence[str] = ()
    """Read as float64."""
    texts: Sequence[str] = ()
    """Read as their JSON."""


@dataclass(frozen=True, slots=True)
class Arguments:
    """Columns beside n events, by the names of arguments."""

    integers: Mapping[str, NDArray[np.int64]]
    """``NO_INTEGER`` where an event lacks it; of more than 63 bits modulo 2^64."""
    numbers: Mapping[str, NDArray[np.float64]]
    """NaN where an event lacks it."""
    texts: Mapping[str, TextColumn]
    """The values as JSON; empty where an event lacks it."""


class ArgumentSource(Protocol):
    """Reads the arguments of a trace."""

    def of_slices(self, rows: NDArray[np.integer[Any]], wanted: ArgumentNames) -> Arguments:
        """Return some arguments of the slices in these rows, none for row -1. Raises OSError if they can't be read."""
        ...

    def of_events(self, rows: NDArray[np.integer[Any]], wanted: ArgumentNames) -> Arguments:
        """Return some arguments of the events in these rows. Raises OSError if they can't be read."""
        ...

    def select(self, trace: Trace, slices: NDArray[np.bool_], events: NDArray[np.bool_]) -> ArgumentSource:
        """Return the source of a trace that holds only the slices and events where the masks are True."""
        ...


@dataclass(frozen=True, slots=True)
class FileArguments:
    """The arguments of a JSON trace, in its file: see ``ArgumentSource``."""

    path: Path
    trace: Trace

    def of_slices(self, rows: NDArray[np.integer[Any]], wanted: ArgumentNames) -> Arguments:
        """Return arguments of slices as ``ArgumentSource``."""
        return self._of(self.trace.slices, rows, wanted)

    def of_events(self, rows: NDArray[np.integer[Any]], wanted: ArgumentNames) -> Arguments:
        """Return arguments of events as ``ArgumentSource``."""
        return self._of(self.trace.events, rows, wanted)

    def select(self, trace: Trace, slices: NDArray[np.bool_], events: NDArray[np.bool_]) -> FileArguments:
        """Select slices and events as ``ArgumentSource``. Slices carry the offsets of their arguments."""
        return FileArguments(self.path, trace)

    def _of(self, columns: Slices | Events, rows: NDArray[np.integer[Any]], wanted: ArgumentNames) -> Arguments:
        if not len(columns):
            return read_arguments(self.path, np.full(len(rows), -1, np.int64), np.zeros(len(rows), np.uint32), wanted)
        offsets = columns.args_offset[rows]
        offsets[rows < 0] = -1
        return read_arguments(self.path, offsets, columns.args_size[rows], wanted)


def read_arguments(
    path: Path, offsets: NDArray[np.int64], sizes: NDArray[np.uint32], wanted: ArgumentNames
) -> Arguments:
    """Return some arguments of n events of a trace.

    Args:
        path: the file of the trace.
        offsets: (n,) of the arguments in the decompressed file; negative without arguments.
        sizes: (n,) bytes of the arguments.
        wanted: names of arguments.

    Raises:
        OSError: the file can't be read.
    """
    scanner = ArgumentScanner(len(offsets), list(wanted.integers), list(wanted.numbers), list(wanted.texts))
    rows = np.flatnonzero(offsets >= 0).astype(np.int32)
    if len(rows) < len(offsets):
        offsets, sizes = offsets[rows], sizes[rows]
    if (offsets[1:] < offsets[:-1]).any():
        order = np.argsort(offsets, kind="stable").astype(np.int32)
        offsets, sizes, rows = offsets[order], sizes[order], rows[order]
    _scan(scanner, path, offsets, sizes, rows)
    return Arguments(
        dict(zip(wanted.integers, map(mapped, scanner.integers()), strict=True)),
        dict(zip(wanted.numbers, map(mapped, scanner.numbers()), strict=True)),
        {
            name: TextColumn(mapped(codes), [value.decode("utf-8", "replace") for value in values])
            for name, codes, values in zip(wanted.texts, scanner.codes(), scanner.texts(), strict=True)
        },
    )


def _scan(
    scanner: ArgumentScanner,
    path: Path,
    offsets: NDArray[np.int64],
    sizes: NDArray[np.uint32],
    rows: NDArray[np.int32],
) -> None:
    """Scan blocks of the file; ``offsets`` ascend. A file that became shorter leaves the rest without values."""
    done, begin, data = 0, 0, b""
    with path.open("rb") as file:
        for block in decompressed_blocks(file):
            if done == len(rows):
                return
            data += block
            end = begin + len(data)
            within = int(np.searchsorted(offsets, end))
            while within > done and int(offsets[within - 1]) + int(sizes[within - 1]) > end:
                within -= 1  # it continues in the next block
            scanner.scan(data, begin, offsets[done:within], sizes[done:within], rows[done:within])
            done = within
            kept = min(int(offsets[done]) if done < len(rows) else end, end)
            data, begin = data[kept - begin :], kept
