# SPDX-License-Identifier: Apache-2.0
"""Writes the running data of a training: one file for each kind of data, in ``<path>/rank_<N>/rdr/``.

Their names are MindSpore's: ``TORCH.exception.20261126184000.txt``. Files of one moment have the same time, and no file
is overwritten.

- ``exception.txt``: the traceback, if the training failed; ``stacks.txt``: what each thread did then.
- ``culprit.json``: where it failed, and the first tensor with a NaN or an infinity.
- ``state.json``: epoch, step, and shapes of the last batch.
- ``exec_order.csv``: the modules in the order of execution in the last step, with the shapes of their outputs.
- ``statistics.csv``: of the last batch, outputs, gradients, parameters and buffers.
- ``memory.json``, ``memory_history.csv``: memory at the end and at the last steps; ``memory_snapshot.pickle`` of CUDA.
- ``graph_build.0.pb``: the network, which the viewer shows.
"""

from __future__ import annotations

import json
import logging
import resource
import sys
import traceback
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from mindscope.formats import wire
from mindscope.formats.mindspore_schemas import MODEL
from mindscope.table.file import csv_text
from mindscope.types import Message

_LOG = logging.getLogger("mindscope")
_READ_ONLY = 0o400
Rows = list[tuple[Any, ...]]


@dataclass(slots=True)
class LastData:
    """The data of a training at its end."""

    state: dict[str, Any] = field(default_factory=dict[str, Any])
    """JSON values: epoch, step, shapes of the input."""
    order: Rows = field(default_factory=Rows)
    """Name, type and output shapes of the modules that ran in the last step, in order of execution."""
    statistics: Rows = field(default_factory=Rows)
    """Statistics of the tensors, a row each, with the columns ``statistics_columns``."""
    statistics_columns: Sequence[str] = ()
    memory: dict[str, Any] = field(default_factory=dict[str, Any])
    """Memory of the device, in bytes."""
    memory_history: Rows = field(default_factory=Rows)
    """Memory over the steps, a row each, ascending, with the columns ``memory_columns``."""
    memory_columns: Sequence[str] = ()
    memory_snapshot: bytes | None = None
    """A pickle of CUDA's allocator."""
    graph: Message | None = None
    """The ``GraphProto`` of the network."""
    error: BaseException | None = None
    culprit: dict[str, Any] = field(default_factory=dict[str, Any])
    """JSON values; empty if nothing is wrong."""


def write_running_data(path: Path, data: LastData, rank: int, module: str = "TORCH") -> Path | None:
    """Write the files; returns their directory, or None if it can't be made.

    It raises nothing, to hide no error of the training: a file that can't be written is logged, and the others are
    written.

    Args:
        path: the directory of all ranks.
        data: what to write.
        rank: of this process.
        module: the first part of the names.
    """
    directory = path / f"rank_{rank}" / "rdr"
    try:
        directory.mkdir(parents=True, exist_ok=True)
        time = _unused_time({entry.name for entry in directory.iterdir()})
    except OSError as error:
        _LOG.warning("running data of the training was not written: %s", error)
        return None
    for name, write in _writers(data).items():
        stem, _, kind = name.rpartition(".")
        file = directory / f"{module}.{stem}.{time}.{kind}"
        try:
            if write is not None:
                write(file)
                file.chmod(_READ_ONLY)
        except (OSError, ValueError) as error:
            _LOG.warning("%s of the running data was not written: %s", file.name, error)
    _LOG.warning("running data of the training was written to %s", directory)
    return directory


def _unused_time(names: Iterable[str]) -> str:
    """Return the local time, or the next second that no file has."""
    parts = {part for name in names for part in name.split(".")}
    moment = datetime.now()
    while (text := f"{moment:%Y%m%d%H%M%S}") in parts:
        moment += timedelta(seconds=1)
    return text


def _writers(data: LastData) -> dict[str, Callable[[Path], object] | None]:
    """Return what writes each file; None for one that there is not."""
    error, graph, snapshot = data.error, data.graph, data.memory_snapshot
    model = {"ir_version": 3, "domain": "mindscope", "model_version": 1, "graph": graph}
    memory = _host_memory() | data.memory
    order = [(position, *entry) for position, entry in enumerate(data.order)]
    return {
        "exception.txt": _text("".join(traceback.format_exception(error))) if error is not None else None,
        "stacks.txt": _text(_stacks()) if error is not None else None,
        "culprit.json": _json(data.culprit) if data.culprit else None,
        "state.json": _json(data.state),
        "exec_order.csv": _table(("order", "name", "type", "output"), order),
        "statistics.csv": _table(data.statistics_columns, data.statistics) if data.statistics else None,
        "memory.json": _json(memory),
        "memory_history.csv": _table(data.memory_columns, data.memory_history) if data.memory_history else None,
        "memory_snapshot.pickle": (lambda path: path.write_bytes(snapshot)) if snapshot is not None else None,
        "graph_build.0.pb": (lambda path: path.write_bytes(wire.encode(MODEL, model))) if graph is not None else None,
    }


def _text(text: str) -> Callable[[Path], object]:
    return lambda path: path.write_text(text, "utf-8", errors="backslashreplace")


def _json(value: Any) -> Callable[[Path], object]:
    return lambda path: path.write_text(json.dumps(value, indent=1, default=str), "utf-8")


def _table(columns: Iterable[str], rows: Iterable[tuple[Any, ...]]) -> Callable[[Path], object]:
    def write(path: Path) -> None:
        with path.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
            file.writelines(csv_text([tuple(columns), *rows]))

    return write


def _stacks() -> str:
    """Return the calls of each thread, the innermost call last."""
    frames = sys._current_frames()  # pyright: ignore[reportPrivateUsage]  # its documented name
    return "\n".join(f"thread {thread}:\n{''.join(traceback.format_stack(frame))}" for thread, frame in frames.items())


def _host_memory() -> dict[str, Any]:
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"host_peak_bytes": most if sys.platform == "darwin" else most * 1024}
