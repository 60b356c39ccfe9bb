# SPDX-License-Identifier: Apache-2.0
"""Arguments of the events of a JSON trace as columns, in one pass over its file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from mindscope.profile._argument_columns import ArgumentScanner
from mindscope.profile.columns import TextColumn
from mindscope.profile.json_trace import decompressed_blocks
from mindscope.profile.trace import Trace

NO_INTEGER = int(np.iinfo(np.int64).min)
"""An event without the argument, or with one that is no integer."""


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
    """Where the arguments of a trace are."""

    def of_slices(
        self,
        rows: NDArray[np.integer[Any]],
        *,
        integers: Sequence[str] = (),
        numbers: Sequence[str] = (),
        texts: Sequence[str] = (),
    ) -> Arguments:
        """Some arguments of the slices in these rows, none for row -1. Raises OSError if they can't be read."""
        ...

    def of_events(
        self,
        rows: NDArray[np.integer[Any]],
        *,
        integers: Sequence[str] = (),
        numbers: Sequence[str] = (),
        texts: Sequence[str] = (),
    ) -> Arguments:
        """Some arguments of the events in these rows. Raises OSError if they can't be read."""
        ...

    def select(self, trace: Trace, slices: NDArray[np.bool_], events: NDArray[np.bool_]) -> ArgumentSource:
        """The source of a trace that holds only the slices and events where the masks are True."""
        ...


@dataclass(frozen=True, slots=True)
class FileArguments:
    """The arguments of a JSON trace, in its file."""

    path: Path
    trace: Trace

    def of_slices(
        self,
        rows: NDArray[np.integer[Any]],
        *,
        integers: Sequence[str] = (),
        numbers: Sequence[str] = (),
        texts: Sequence[str] = (),
    ) -> Arguments:
        """See ``ArgumentSource``."""
        slices = self.trace.slices
        offsets = np.where(rows >= 0, slices.args_offset[rows], -1) if len(slices) else np.full(len(rows), -1, np.int64)
        sizes = slices.args_size[rows] if len(slices) else np.zeros(len(rows), np.uint32)
        return read_arguments(self.path, offsets, sizes, integers=integers, numbers=numbers, texts=texts)

    def of_events(
        self,
        rows: NDArray[np.integer[Any]],
        *,
        integers: Sequence[str] = (),
        numbers: Sequence[str] = (),
        texts: Sequence[str] = (),
    ) -> Arguments:
        """See ``ArgumentSource``."""
        events = self.trace.events
        offsets, sizes = events.args_offset[rows], events.args_size[rows]
        return read_arguments(self.path, offsets, sizes, integers=integers, numbers=numbers, texts=texts)

    def select(self, trace: Trace, slices: NDArray[np.bool_], events: NDArray[np.bool_]) -> FileArguments:
        """See ``ArgumentSource``. Slices carry the places of their arguments."""
        return FileArguments(self.path, trace)


def read_arguments(
    path: Path,
    offsets: NDArray[np.int64],
    sizes: NDArray[np.uint32],
    *,
    integers: Sequence[str] = (),
    numbers: Sequence[str] = (),
    texts: Sequence[str] = (),
) -> Arguments:
    """Some arguments of n events of a trace.

    Args:
        path: the file of the trace.
        offsets: (n,) of the arguments in the decompressed file; negative without arguments.
        sizes: (n,) bytes of the arguments.
        integers: names of arguments that are read as integers; upper and lower case do not differ.
        numbers: names of arguments that are read as float64.
        texts: names of arguments that are read as their JSON.

    Raises:
        OSError: the file can't be read.
    """
    scanner = ArgumentScanner(len(offsets), list(integers), list(numbers), list(texts))
    rows = np.flatnonzero(offsets >= 0)
    rows = rows[np.argsort(offsets[rows], kind="stable")]
    _scan(scanner, path, offsets[rows], sizes[rows].astype(np.int64), rows)
    return Arguments(
        dict(zip(integers, scanner.integers(), strict=True)),
        dict(zip(numbers, scanner.numbers(), strict=True)),
        {
            name: TextColumn(codes, [value.decode("utf-8", "replace") for value in values])
            for name, codes, values in zip(texts, scanner.codes(), scanner.texts(), strict=True)
        },
    )


def _scan(
    scanner: ArgumentScanner,
    path: Path,
    offsets: NDArray[np.int64],
    sizes: NDArray[np.int64],
    rows: NDArray[np.int64],
) -> None:
    """Scans blocks of the file; ``offsets`` ascend. A file that became shorter leaves the rest without values."""
    ends = offsets + sizes
    done, begin, data = 0, 0, b""
    with path.open("rb") as file:
        for block in decompressed_blocks(file):
            if done == len(rows):
                return
            data += block
            within = int(np.searchsorted(ends, begin + len(data), side="right"))
            scanner.scan(data, begin, offsets[done:within], sizes[done:within], rows[done:within])
            done = within
            kept = min(int(offsets[done]) if done < len(rows) else begin + len(data), begin + len(data))
            data, begin = data[kept - begin :], kept
