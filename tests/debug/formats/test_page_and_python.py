# SPDX-License-Identifier: Apache-2.0
"""What the page gets of debugging data of each format is what ``open_debug`` gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

import mindscope
from mindscope.debug.formats import FORMATS
from mindscope.debug.model.fields import Field
from mindscope.debug.model.source import DebugSource
from mindscope.ingest import Catalog
from mindscope.reading.run_debug import open_debug
from mindscope.server.app import create_app
from mindscope.settings import Settings
from tests.debug.formats import made_msprobe
from tests.debug.formats.made_dumps import raw_dump, save, short_dump
from tests.debug.formats.test_debug_mode import TEXT
from tests.server.debug_runs import write_run
from tests.server.live_viewer import unpack

FIGURES = (Field.COUNT, Field.NAN, Field.POSITIVE_INF, Field.NEGATIVE_INF, Field.ZERO, Field.MIN, Field.MAX)
MOST_ROWS = 200


def debug_mode(directory: Path) -> None:
    directory.mkdir(parents=True)
    (directory / "log_rank_0.txt").write_text(TEXT)


def tensor_dump(directory: Path) -> None:
    for number in range(4):
        save(directory, f"{number}_loss.npy", np.array([number, np.nan, np.inf], np.float32))


MAKERS: dict[str, tuple[str, Callable[[Path], Any]]] = {
    "recorded": ("mindscope", write_run),
    "short": ("mindspore_dump", short_dump),
    "raw": ("mindspore_dump", raw_dump),
    "msprobe": ("msprobe", lambda directory: made_msprobe.dump(directory / "step0" / "rank0")),
    "debug_mode": ("debug_mode", debug_mode),
    "tensors": ("tensor_dump", tensor_dump),
}

DUMP = {name: "dump" if name != "recorded" else "" for name in MAKERS}


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.mktemp("debugging")
    for name, (_, make) in MAKERS.items():
        make(base / "logs" / name / DUMP[name])
        if DUMP[name]:  # a dump belongs to the run above it
            with mindscope.SummaryRecord(base / "logs" / name) as record:
                record.add_value("scalar", "loss", 1.0)
                record.record(1)
    return base


@pytest.fixture(scope="module")
def client(base: Path) -> Iterator[TestClient]:
    settings = Settings(workspace=base / "workspace", summary_base_dir=base / "logs")
    catalog = Catalog(settings.summary_base_dir, settings.workspace)
    catalog.refresh()
    with TestClient(create_app(settings, catalog), base_url="http://127.0.0.1:8080") as opened:
        yield opened
    catalog.close()


def test_each_format_is_here() -> None:
    assert {format for format, _ in MAKERS.values()} == {"mindscope", *(each.name for each in FORMATS.rows)}


@pytest.mark.parametrize("name", MAKERS)
def test_rows_are_those_of_python(client: TestClient, base: Path, name: str) -> None:
    (of,) = client.post("/api/debugger/sources", json={"runs": [name]}).json()["sources"]
    source: DebugSource = open_debug(base / "logs" / name / DUMP[name]).source
    assert (source.format, of["tensors"]) == (MAKERS[name][0], len(source.tensors))
    assert [each["rank"] for each in of["ranks"]] == list(source.ranks)
    compared = 0
    for rank in source.ranks:
        for step in source.steps(rank):
            compared += compare(client, {"run": of["run"], "source": of["source"], "rank": rank}, source, step)
    assert compared > 0


def compare(client: TestClient, of: dict[str, Any], source: DebugSource, step: int) -> int:
    """Returns how many figures were compared."""
    answer = client.post("/api/debugger/rows", json={**of, "step": step, "count": MOST_ROWS})
    assert answer.status_code == 200, answer.text
    got, recorded = unpack(answer.content), source.at(step, of["rank"])

    def column(place: dict[str, Any]) -> np.ndarray[Any, Any]:
        return np.frombuffer(got.data, place["dtype"], place["length"], place["offset"])

    rows = column(got.header["row"]).astype(int)
    assert sorted(rows.tolist()) == list(range(len(recorded.tensor)))
    names = [source.tensors[place].operator for place in recorded.tensor[rows].tolist()]
    assert [each["operator"] for each in got.header["tensors"]] == names
    figures = got.header["figures"]
    shared = [field for field in FIGURES if str(field) in figures]
    for field in shared:
        np.testing.assert_array_equal(column(figures[str(field)]), recorded.column(field)[rows], err_msg=str(field))
    return len(shared) * len(rows)
