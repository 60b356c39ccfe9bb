# SPDX-License-Identifier: Apache-2.0
"""Writes the running data of a training: one file for each kind of data.

``<path>/rank_<N>/rdr/`` holds ``exception.txt`` (the traceback, if the training failed), ``state.json`` (epoch, step,
and shapes of the last input), ``exec_order.csv`` (the modules in the order of execution in the last step, with
the shapes of their outputs), ``memory.json`` and ``graph_0.pb`` (the network, which the viewer shows).
"""

from __future__ import annotations

import csv
import json
import logging
import os
import resource
import sys
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mindscope.formats import wire
from mindscope.formats.csv_cells import text_cell
from mindscope.formats.mindspore_schemas import MODEL
from mindscope.rank import rank_id
from mindscope.types import Message

_LOG = logging.getLogger("mindscope")


@dataclass(slots=True)
class LastData:
    """The data of a training at its end."""

    state: dict[str, Any] = field(default_factory=dict[str, Any])
    """JSON values: epoch, step, shapes of the input."""
    order: list[tuple[str, str, str]] = field(default_factory=list[tuple[str, str, str]])
    """Name, type and output shapes of the modules that ran in the last step, in order of execution."""
    memory: dict[str, Any] = field(default_factory=dict[str, Any])
    """Memory of the device, in bytes."""
    graph: Message | None = None
    """The ``GraphProto`` of the network."""
    error: BaseException | None = None


def write_running_data(path: Path, data: LastData, environ: Mapping[str, str] = os.environ) -> Path | None:
    """Write the files; returns their directory. On failure it logs a warning and returns None, to hide no error."""
    directory = path / f"rank_{rank_id(environ)}" / "rdr"
    try:
        directory.mkdir(parents=True, exist_ok=True)
        _write(directory, data)
    except OSError as error:
        _LOG.warning("running data of the training was not written: %s", error)
        return None
    _LOG.warning("running data of the training was written to %s", directory)
    return directory


def _write(directory: Path, data: LastData) -> None:
    (directory / "exception.txt").unlink(missing_ok=True)
    if data.error is not None:
        (directory / "exception.txt").write_text("".join(traceback.format_exception(data.error)), "utf-8")
    (directory / "state.json").write_text(json.dumps(data.state, indent=1, default=str), "utf-8")
    memory = _host_memory() | data.memory
    (directory / "memory.json").write_text(json.dumps(memory, indent=1, default=str), "utf-8")
    with (directory / "exec_order.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("order", "name", "type", "output"))
        writer.writerows((place, *map(text_cell, entry)) for place, entry in enumerate(data.order))
    if data.graph is not None:
        model = {"ir_version": 3, "domain": "mindscope", "model_version": 1, "graph": data.graph}
        (directory / "graph_0.pb").write_bytes(wire.encode(MODEL, model))


def _host_memory() -> dict[str, Any]:
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"host_peak_bytes": most if sys.platform == "darwin" else most * 1024}
