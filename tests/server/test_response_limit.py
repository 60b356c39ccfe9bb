# SPDX-License-Identifier: Apache-2.0
"""No question takes the memory or the processor of the viewer."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from numpy.typing import NDArray

from mindscope.formats import mindspore
from mindscope.formats.frames import frame
from mindscope.ingest import Catalog
from mindscope.server.app import create_app
from mindscope.server.http.columns import CHUNK_BYTES, Float64, each_once, pack
from mindscope.server.http.response_limit import (
    MAX_ANSWER_BYTES,
    MAX_ENTRIES,
    AnswerTooLargeError,
    DeadlineMiddleware,
    limited,
)
from mindscope.server.http.schema import Answer, Query
from mindscope.settings import Settings

from .live_viewer import GrowingLog, LiveViewer, eventually, running_viewer, unpack

STEPS = 10_000
POINT_BYTES = 24
"""Step and time as float64, value and mean as float32."""
QUANTILES_BYTES = 4 * 64
"""Of a curve beside the columns of its points."""


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A viewer over a run of one long series."""
    room = tmp_path_factory.mktemp("long")
    log = GrowingLog(room / "logs" / "run")
    with log.path.open("ab") as file:
        for step in range(STEPS):
            value = mindspore.value_field({"tag": "loss", "scalar_value": float(step % 7)})
            file.write(frame(mindspore.summary_event(1000.0 + step, step, value)))
    with running_viewer(room / "logs", room) as viewer:
        eventually(lambda: viewer.runs().get("run", {}).get("last_step") == STEPS - 1)
        yield viewer


def series(count: int, **more: Any) -> list[dict[str, Any]]:
    return [{"run": "run", "tag": "loss", **more} for _ in range(count)]


def test_equal_series_share_their_columns(long: LiveViewer):
    answer = long.http.post("/api/curves", json={"series": series(5000), "pixels": 5000})
    curves = unpack(answer.content)
    assert len(curves.header["series"]) == 5000
    assert len({str(one["columns"]) for one in curves.header["series"]}) == 1
    assert len(curves.data) == POINT_BYTES * STEPS + QUANTILES_BYTES
    assert curves.column(4999, "step").tolist() == [*range(STEPS)]


@pytest.mark.parametrize(
    ("address", "query", "list_name"),
    [
        ("/api/expressions", {"lines": [{"run": "run", "y": "loss * 2"}] * 50}, "lines"),
        ("/api/groups", {"groups": [{"key": "all", "y": "loss", "runs": ["run"]}] * 50}, "groups"),
    ],
)
def test_equal_lines_and_groups_share_their_columns(
    long: LiveViewer, address: str, query: dict[str, Any], list_name: str
):
    lines = unpack(long.http.post(address, json=query).raise_for_status().content).header[list_name]
    assert len(lines) == 50
    assert len({str(one["columns"]) for one in lines}) == 1


def test_a_large_answer_has_every_byte(long: LiveViewer):
    names = [{"run": "run", "tag": "loss", "since": str(number)} for number in range(20)]
    curves = unpack(long.http.post("/api/curves", json={"series": names, "pixels": 8000}).content)
    assert len(curves.data) == 20 * (POINT_BYTES * STEPS + QUANTILES_BYTES) > CHUNK_BYTES
    for number in range(20):
        assert curves.column(number, "value").tolist() == [float(step % 7) for step in range(STEPS)]


def test_an_answer_that_is_too_large_is_refused_with_the_limit(long: LiveViewer):
    names = [{"run": "run", "tag": "loss", "since": str(number)} for number in range(1000)]
    answer = long.http.post("/api/curves", json={"series": names, "pixels": 8000})
    assert answer.status_code == 413
    error = answer.json()["error"]
    assert error["code"] == "answer_too_large"
    assert error["values"]["most"] == MAX_ANSWER_BYTES < error["values"]["size"]
    assert "fewer runs" in error["remedy"]


@pytest.mark.parametrize(
    ("address", "query"),
    [
        ("/api/curves", {"series": series(1)}),
        ("/api/tags", {"runs": ["run"]}),
        ("/api/statistics", {"runs": ["run"], "tags": ["loss"]}),
        ("/api/lineage/pipelines", {}),
        ("/api/histograms", {"series": series(1)}),
        ("/api/pr_curves", {"series": series(1)}),
        ("/api/expressions", {"lines": [{"run": "run", "y": "loss"}]}),
        ("/api/groups", {"groups": [{"key": "", "y": "loss", "runs": ["run"]}]}),
    ],
)
def test_an_answer_that_takes_too_long_is_refused_with_the_limit(tmp_path: Path, address: str, query: dict[str, Any]):
    GrowingLog(tmp_path / "logs" / "run").scalar(1, 1.0)
    catalog = Catalog(tmp_path / "logs", tmp_path / "workspace")
    catalog.refresh()
    app = DeadlineMiddleware(
        create_app(Settings(summary_base_dir=tmp_path / "logs", workspace=tmp_path / "workspace"), catalog), 0.0
    )

    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return await client.post(address, json=query)

    answer = asyncio.run(ask())
    catalog.close()
    assert answer.status_code == 503
    assert answer.json()["error"]["code"] == "answer_too_slow"
    assert answer.json()["error"]["values"] == {"most": 0.0}


class Zeros(Answer):
    """A message with columns."""

    zeros: Float64
    more: Float64


class Length(Query):
    """Names a message by the length of its columns."""

    length: int


def test_columns_are_counted_before_they_are_made():
    all_zero: NDArray[np.float64] = np.broadcast_to(np.zeros(1), MAX_ANSWER_BYTES // 8)
    with pytest.raises(AnswerTooLargeError):
        pack(Zeros(zeros=all_zero, more=[0.0]))
    names = [Length(length=each) for each in (7, MAX_ANSWER_BYTES // 8, 7)]
    made = each_once(names, lambda name: Zeros(zeros=all_zero[: name.length], more=[]))
    assert len(bytes(pack(next(made)))) < 300
    with pytest.raises(AnswerTooLargeError):
        next(made)


def test_entries_are_counted():
    assert sum(1 for _ in limited(range(MAX_ENTRIES))) == MAX_ENTRIES
    with pytest.raises(AnswerTooLargeError):
        list(limited(range(MAX_ENTRIES + 1)))


FREED = """
from mindscope.store.free_memory import release_free_memory
from pathlib import Path
def pages(): return int(Path("/proc/self/statm").read_text().split()[1])
blocks = [bytes(2000) for _ in range(20_000)]
last = bytes(2000)
del blocks
before = pages()
release_free_memory()
print(before - pages())
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_freed_memory_goes_back_to_the_system():
    done = subprocess.run([sys.executable, "-c", FREED], capture_output=True, text=True, check=True)
    assert int(done.stdout) > 5000
