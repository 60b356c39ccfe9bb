# SPDX-License-Identifier: Apache-2.0
"""Writes the directories of a dump.

```
{path}/rank_{rank}/.dump_metadata/{data_dump,config}.json
                  /execution_order/ms_execution_order_graph_0.csv         operators in the order of execution
                                  /ms_global_execution_order_graph_0.csv  iterations in the order of execution
                  /{net_name}/0/{iteration}/*.npy, statistic.csv, mapping.csv
```
"""

from __future__ import annotations

import json
import logging
import os
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from mindscope.debug.dump.background_writer import BackgroundWriter
from mindscope.debug.dump.file_names import TensorName
from mindscope.debug.dump.iteration_files import READ_ONLY, IterationFiles
from mindscope.debug.dump.settings import DumpSettings
from mindscope.debug.dump.statistic_columns import cells

_log = logging.getLogger(__name__)
_ORDER_HEADER = "NodeExecutionOrder-FullNameWithScope"
_HEADER_BYTES = 128


@dataclass(frozen=True, slots=True)
class DumpedTensor:
    """A tensor with at least one element, to write."""

    name: TensorName
    shape: tuple[int, ...]
    size_bytes: int
    fetch: Callable[[], NDArray[Any]]
    """The array in host memory, called on the thread that writes."""
    fetch_cells: Callable[[], Sequence[str]] | None = None
    """Fetches its statistics, where the device computes them; then there is no array."""
    sample: int | None = None
    """Elements that the file keeps, if it has more."""


class DumpWriter:
    """Writes the dump of one process. Nothing in it raises; failures are logged and counted.

    Args:
        settings: of the dump.
        rank: gives that of this process, when the first tensor is written: by then the processes have met.
        facts: of ``config.json``: ``device_target`` and versions.
    """

    def __init__(self, settings: DumpSettings, rank: Callable[[], int], facts: Mapping[str, str]) -> None:
        self._settings = settings
        self._rank, self._facts = rank, facts
        self._root: Path | None = None  # until something is written
        self._begins: int | None = None  # an iteration of which nothing was written yet
        self._writer = BackgroundWriter("dump", is_background=not settings.is_synchronous)
        self._files: IterationFiles | None = None  # of the thread that writes
        self._bytes = 0
        self._lock = threading.Lock()
        self._latest = 0  # the last timestamp
        self._order: list[str] = []  # of all iterations
        self._is_closed = False
        self.tensors = 0
        """Tensors that were written, or whose statistics were."""
        self.is_full = False
        """Whether the limit of the disk is reached; then nothing more is written."""

    @property
    def failures(self) -> int:
        """The number of tensors that could not be written."""
        return self._writer.failures

    @property
    def directory(self) -> Path:
        """The directory of this rank."""
        return self._root or self._settings.directory / f"rank_{self._rank()}"

    def timestamp(self) -> int:
        """Return microseconds since 1970, different at each call."""
        with self._lock:
            self._latest = max(self._latest + 1, time.time_ns() // 1000)
            return self._latest

    def begin(self, iteration: int) -> None:
        """Begin an iteration: what follows belongs to it."""
        self._begins = iteration

    def _begin(self) -> None:
        root = self._begun()
        if self._begins is not None:
            directory, self._begins = root / self._settings.net_name / "0" / str(self._begins), None
            self._writer.put(lambda: self._open(IterationFiles(directory, self._settings.categories)))

    def _begun(self) -> Path:
        if self._root is None:
            self._root = self.directory
            self._writer.put(self._write_metadata)
        return self._root

    def write(self, tensor: DumpedTensor) -> None:
        """Write a tensor, or its statistics, or both."""
        if not self.is_full:
            self._begin()
            self._writer.put(lambda: self._write(tensor), tensor.size_bytes)

    def write_arguments(self, type: str, full_name: str, arguments: Mapping[str, str]) -> None:
        """Write the arguments of an operator that are no tensors."""
        if not self.is_full:
            self._begin()
            self._writer.put(lambda: self._count(self._opened().write_arguments(type, full_name, arguments)))

    def end(self, iteration: int, order: Sequence[str]) -> None:
        """End the iteration.

        Args:
            iteration: its number.
            order: full names of all its operators, also of those that were not dumped.
        """
        self._begin()
        self._writer.put(lambda: self._end(iteration, order))

    def close(self) -> None:
        """Write the rest; nothing the second time."""
        if self._is_closed:
            return
        self._is_closed = True
        self._begun()
        self._writer.put(self._close)
        self._writer.close()
        if self.failures:
            _log.warning("dump in %s lacks %d files or rows that could not be written", self.directory, self.failures)

    def _open(self, files: IterationFiles) -> None:
        self._close()
        self._files = files

    def _close(self) -> None:
        files, self._files = self._files, None
        if files is not None:
            files.close()

    def _opened(self) -> IterationFiles:
        if self._files is None:
            raise RuntimeError("no iteration runs")
        return self._files

    def _write(self, tensor: DumpedTensor) -> None:
        settings, files = self._settings, self._opened()
        if tensor.fetch_cells is not None:
            row = tensor.fetch_cells()
            self._count(files.write_statistics(tensor.name, tensor.size_bytes, tensor.shape, row))
            self.tensors += 1
            return
        if not self._has_room(tensor):
            return
        array = tensor.fetch()
        if settings.has_tensors:
            is_cut = tensor.sample is not None and array.size > tensor.sample
            self._count(files.write_tensor(tensor.name, array.reshape(-1)[: tensor.sample] if is_cut else array))
        if settings.has_statistics:
            row = cells(array, settings.categories)
            self._count(files.write_statistics(tensor.name, tensor.size_bytes, tensor.shape, row))
        self.tensors += 1

    def _has_room(self, tensor: DumpedTensor) -> bool:
        if self.is_full:
            return False
        size = tensor.size_bytes + _HEADER_BYTES if self._settings.has_tensors and tensor.sample is None else 0
        if self._bytes + size > self._settings.disk_limit_bytes:
            self.is_full = True
            limit = self._settings.disk_limit_bytes >> 20
            _log.warning("dump in %s reached disk_limit_mb=%d, and ends; raise the limit", self.directory, limit)
        return not self.is_full

    def _count(self, size: int) -> None:
        self._bytes += size

    def _end(self, iteration: int, order: Sequence[str]) -> None:
        self._close()
        directory = self.directory / "execution_order"
        directory.mkdir(parents=True, exist_ok=True)
        merged = merged_order(self._order, [" ".join(name.split()) for name in order])
        if len(merged) > len(self._order):
            self._order = merged
            lines = "\n".join((_ORDER_HEADER, *merged))
            _replace(directory / "ms_execution_order_graph_0.csv", f"{lines}\n".encode("utf-8", "replace"))
        iterations = directory / "ms_global_execution_order_graph_0.csv"
        if iterations.exists():
            iterations.chmod(0o600)
        with iterations.open("a", encoding="ascii") as file:
            file.write(f"{iteration}\n")
            os.fchmod(file.fileno(), READ_ONLY)

    def _write_metadata(self) -> None:
        """Write the configuration and the facts of this process. An existing configuration stays, as in MindSpore."""
        directory = self.directory / ".dump_metadata"
        directory.mkdir(parents=True, exist_ok=True)
        if not (directory / "data_dump.json").exists():
            _replace(directory / "data_dump.json", self._settings.content)
        _replace(directory / "config.json", json.dumps(dict(self._facts)).encode("utf-8"))


def merged_order(known: Sequence[str], order: Iterable[str]) -> list[str]:
    """Return an order of execution with the names of another: a new one comes after the name before it there."""
    following: dict[str, list[str]] = {name: [] for name in ("", *known)}
    before = ""
    for name in order:
        if name in following:
            before = name
        elif name not in following[before]:
            following[before].append(name)
    return [each for name, new in following.items() for each in ((name, *new) if name else new)]


def _replace(file: Path, content: bytes) -> None:
    partial = file.with_name(f".partial-{os.getpid()}")
    try:
        partial.write_bytes(content)
        partial.chmod(READ_ONLY)
        partial.replace(file)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
