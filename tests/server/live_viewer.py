# SPDX-License-Identifier: Apache-2.0
"""A real viewer in a process of its own, and logs that grow under it."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from random import SystemRandom
from typing import Any

import httpx
import numpy as np

from mindscope.formats import frames, mindspore
from mindscope.server.http.columns import pack
from mindscope.server.http.schema import Answer

from .viewer_process import ForkedViewer, Start, ViewerProcess

DATA = Path(__file__).parents[1] / "data"
DEADLINE_S = 60.0


def free_port() -> int:
    """Of those that no system gives away by itself, so that it stays free while nobody listens."""
    while True:
        with socket.socket() as probe, suppress(OSError):
            port = SystemRandom().randrange(20_000, 32_000)
            probe.bind(("127.0.0.1", port))
            return port


def eventually(look: Callable[[], Any]) -> Any:
    """The first true result of ``look``."""
    deadline = time.monotonic() + DEADLINE_S
    while not (result := look()):
        assert time.monotonic() < deadline, f"not true within {DEADLINE_S} s"
        time.sleep(0.01)
    return result


@dataclass
class Columns:
    """An answer of /api/curves, taken apart."""

    header: dict[str, Any]
    data: bytes

    def column(self, series: int, name: str) -> np.ndarray[Any, Any]:
        place = self.header["series"][series]["columns"][name]
        return np.frombuffer(self.data, place["dtype"], place["length"], place["offset"])


def unpack(body: bytes) -> Columns:
    assert body[:4] == b"MSC1"
    length = int.from_bytes(body[4:8], "little")
    assert (8 + length) % 8 == 0
    assert len(body) % 8 == 0
    return Columns(json.loads(body[8 : 8 + length]), body[8 + length :])


def check_header(model: type[Answer], answer: Columns) -> None:
    """Check that the message is of a model: the same message can be made of its values and columns."""
    again = unpack(bytes(pack(model.model_validate(_column_values(answer.header, answer.data)))))
    assert _without_offsets(again.header) == _without_offsets(answer.header)


def _column_values(value: Any, data: bytes) -> Any:
    if isinstance(value, dict):
        if value.keys() == {"dtype", "offset", "length"}:
            return np.frombuffer(data, value["dtype"], value["length"], value["offset"])
        return {name: _column_values(each, data) for name, each in value.items()}
    return [_column_values(each, data) for each in value] if isinstance(value, list) else value


def _without_offsets(header: Any) -> Any:
    return json.loads(re.sub(r'"offset": \d+', '"offset": 0', json.dumps(header)))


@dataclass
class LiveViewer:
    """A viewer that answers."""

    process: ViewerProcess
    http: httpx.Client
    port: int
    workspace: Path

    def runs(self) -> dict[str, Any]:
        return {run["id"]: run for run in self.http.get("/api/runs").raise_for_status().json()["runs"]}

    def requests(self) -> list[str]:
        """Method and address of each request that was answered, in this order, as the access log has them."""
        log = (self.workspace / "log" / f"access.{self.port}.log").read_text()
        return re.findall('"([A-Z]+ [^ ]+) HTTP/', log)

    def tags(self, *runs: str, kind: str = "scalar") -> dict[str, Any]:
        answer = self.http.post("/api/tags", json={"runs": runs, "kind": kind}).raise_for_status()
        return {tag["tag"]: tag for tag in answer.json()["tags"]}

    def curves(self, *series: tuple[str, str], **query: Any) -> Columns:
        names = [{"run": run, "tag": tag} for run, tag in series]
        answer = self.http.post("/api/curves", json={"series": names, **query}).raise_for_status()
        assert answer.headers["content-type"] == "application/vnd.mindscope.columns"
        return unpack(answer.content)


@contextmanager
def running_viewer(
    base: Path, room: Path, *flags: str, port: int | None = None, start: Start = ForkedViewer
) -> Iterator[LiveViewer]:
    """Run ``mindscope start --foreground``, on a free port unless told, and end it in the end."""
    port = port or free_port()
    arguments = ["start", "--foreground", "--port", str(port), "--summary-base-dir", str(base)]
    arguments += ["--workspace", str(room / "workspace"), *flags]
    process = start(arguments, os.environ | {"XDG_STATE_HOME": str(room / "state"), "PYTHONUNBUFFERED": "1"})
    with process.output as output, httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=DEADLINE_S) as http:
        try:
            first_line = output.readline()
            if first_line.startswith("warning: clients that reach"):  # of a host that is open to others
                first_line = output.readline()
            assert first_line.startswith("viewer:"), first_line + output.read()
            yield LiveViewer(process, http, port, room / "workspace")
        finally:
            process.send_signal(signal.SIGTERM)
            output.read()
            process.wait(DEADLINE_S)


class GrowingLog:
    """An event file as MindSpore writes it, record by record."""

    def __init__(self, run: Path) -> None:
        run.mkdir(parents=True, exist_ok=True)
        self.path = run / "events.out.events.summary.1795225259.0.test_MS"
        self._append(mindspore.version_event(1.5))

    def scalar(self, step: int, value: float, tag: str = "loss", wall_time: float | None = None) -> None:
        values = mindspore.value_field({"tag": tag, "scalar_value": value})
        self._append(mindspore.summary_event(1000.0 + step if wall_time is None else wall_time, step, values))

    def _append(self, payload: bytes) -> None:
        with self.path.open("ab") as file:
            file.write(frames.frame(payload))
