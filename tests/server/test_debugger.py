# SPDX-License-Identifier: Apache-2.0
"""Debugging data over HTTP: recorded statistics, ranks, dumps, pages of rows, histories, heat maps, what is missing."""

from __future__ import annotations

import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

from mindscope.debug.model.fields import Field
from mindscope.ingest import Catalog
from mindscope.reading.run_debug import open_debug
from mindscope.server.app import create_app
from mindscope.server.debugger.scans import Scans
from mindscope.settings import Settings
from tests.debug.formats.made_dumps import raw_dump, short_dump
from tests.debug.formats.test_debug_mode import TEXT
from tests.debug.formats.test_flight_recorder import entry, write
from tests.debug.formats.test_statistics_cache import aged, spoil_unseen, tensor_file
from tests.reading.test_failures import write_failure

from .debug_runs import STACK, arrays_of, write_run
from .live_viewer import DATA, Columns, unpack

RUN = {"run": "run"}
Open = Callable[[], TestClient]


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    write_run(tmp_path / "logs" / "run")
    return tmp_path / "logs"


@pytest.fixture
def client(logs: Path, tmp_path: Path) -> Iterator[TestClient]:
    settings = Settings(workspace=tmp_path / "workspace", summary_base_dir=logs)
    catalog = Catalog(settings.summary_base_dir, settings.workspace)
    catalog.refresh()
    with TestClient(create_app(settings, catalog), base_url="http://127.0.0.1:8080") as opened:
        opened.catalog = catalog  # type: ignore[attr-defined]
        yield opened
    catalog.close()


def ask(client: TestClient, path: str, **query: Any) -> Any:
    answer = client.post(f"/api/debugger/{path}", json=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


def columns(client: TestClient, path: str, **query: Any) -> Columns:
    answer = client.post(f"/api/debugger/{path}", json={**RUN, **query})
    assert answer.status_code == 200, answer.text
    return unpack(answer.content)


def column(found: Columns, place: dict[str, Any]) -> np.ndarray:
    return np.frombuffer(found.data, place["dtype"], place["length"], place["offset"])


def error_of(client: TestClient, path: str, status: int, **query: Any) -> str:
    answer = client.post(f"/api/debugger/{path}", json={**RUN, **query})
    assert answer.status_code == status, answer.text
    return str(answer.json()["error"]["code"])


def test_sources_say_what_was_recorded(client: TestClient) -> None:
    (source,) = ask(client, "sources", runs=["run", "nix"])["sources"]
    assert (source["run"], source["source"], source["format"], source["tensors"]) == ("run", ".", "mindscope", 5)
    assert source["ranks"] == [{"rank": 0, "steps": 4, "first_step": 1, "last_step": 4}]
    assert source["facts"]["level"] == "module"
    assert {"nan", "max", "norm", "update_ratio"} <= set(source["figures"])
    assert ask(client, "steps", run="run")["steps"] == [1, 2, 3, 4]


def test_a_page_of_rows_has_the_figures_of_its_tensors(client: TestClient) -> None:
    found = columns(client, "rows", step=2, sort="max_abs", is_descending=True, first=1, count=3)
    largest = np.array([np.abs(each).max() for each in arrays_of(2)])
    order = np.argsort(-largest, kind="stable")[1:4]
    assert found.header["step"] == 2
    assert (found.header["total"], found.header["matching"], found.header["non_finite"]) == (5, 5, 0)
    assert column(found, found.header["row"]).tolist() == order.tolist()
    np.testing.assert_array_equal(column(found, found.header["figures"]["max_abs"]), largest[order])
    assert [each["tensor"] for each in found.header["tensors"]] == order.tolist()


def test_filters_and_the_last_step(client: TestClient) -> None:
    found = columns(client, "rows", only_non_finite=True)
    assert found.header["step"] == 4
    assert found.header["non_finite"] == 2
    assert [each["operator"] for each in found.header["tensors"]] == ["loss/aten::log", "fc1/Linear"]
    assert column(found, found.header["figures"]["negative_inf"]).tolist() == [1, 0]
    assert column(found, found.header["figures"]["nan"]).tolist() == [0, 3]
    narrowed = columns(client, "rows", module="fc1", phases=["forward"], roles=["output", "input"], words=["LINEAR"])
    assert column(narrowed, narrowed.header["row"]).tolist() == [0, 1]


def test_a_row_comes_with_its_operator_and_stack(client: TestClient) -> None:
    found = ask(client, "row", run="run", step=3, row=1)
    assert found["stack"] == STACK
    assert [each["row"] for each in found["operator_rows"]] == [0, 1, 2]
    assert (found["previous_step"], found["next_step"]) == (2, 4)
    assert found["row"]["digest"] == f"{2:016x}"
    assert found["row"]["figures"]["update_ratio"] is None
    assert found["row"]["figures"]["max"] == pytest.approx(arrays_of(3)[1].max())


def test_a_tensor_is_found_in_another_step(client: TestClient) -> None:
    found = ask(client, "row", run="run", step=4, tensor=3)
    assert found["row"]["row"] == 3
    assert found["row"]["figures"]["negative_inf"] == 1
    assert error_of(client, "row", 404, step=4, tensor=9) == "debug_data_not_found"
    assert error_of(client, "row", 404, step=4) == "debug_data_not_found"


def test_histories_and_heat_maps_cover_all_steps(client: TestClient) -> None:
    found = columns(client, "history", tensors=[3, 4], figure="max")
    assert column(found, found.header["step"]).tolist() == [1, 2, 3, 4]
    want = [[arrays_of(step)[tensor][np.isfinite(arrays_of(step)[tensor])].max() for step in range(1, 5)]
            for tensor in (3, 4)]  # fmt: skip
    for place in (0, 1):
        np.testing.assert_array_equal(column(found, found.header["values"][place]), want[place])
    assert [column(found, each).tolist() for each in found.header["non_finite"]] == [[0, 0, 1, 1], [0, 0, 3, 3]]
    heat = columns(client, "heat", figure="norm", columns=2)
    assert heat.header["steps_per_column"] == 2
    assert column(heat, heat.header["step"]).tolist() == [1, 3]
    assert column(heat, heat.header["bits"]).reshape(2, 5).tolist() == [[1, 1, 1, 1, 1], [1, 1, 1, 5, 3]]
    assert [each["tensor"] for each in heat.header["first_tensors"]] == [0, 1, 2, 3, 4]


def test_a_long_scan_continues_with_the_next_request(client: TestClient) -> None:
    client.app.state.viewer.shared(Scans, lambda: Scans(budget_s=-1))  # type: ignore[attr-defined]
    read = [columns(client, "heat", figure="max").header["read_steps"] for _ in range(5)]
    assert read == [1, 2, 3, 4, 4]
    assert columns(client, "history", tensors=[0], figure="max").header["read_steps"] == 1


def test_steps_that_come_later_are_shown(client: TestClient, logs: Path) -> None:
    assert columns(client, "heat", figure="max").header["steps"] == 4
    write_run(logs / "run", range(5, 7))
    client.catalog.refresh()  # type: ignore[attr-defined]
    found = columns(client, "heat", figure="max")
    assert found.header["read_steps"] == 6
    assert column(found, found.header["step"]).tolist() == [1, 2, 3, 4, 5, 6]
    assert columns(client, "rows").header["step"] == 6


def test_ranks_of_a_training_are_one_source(client: TestClient, logs: Path) -> None:
    for rank in (0, 1):
        write_run(logs / "many" / f"rank_{rank}", rank=rank, table=rank + 20)
    client.catalog.refresh()  # type: ignore[attr-defined]
    (source,) = ask(client, "sources", runs=["many/rank_1", "many/rank_0"])["sources"]
    assert [each["rank"] for each in source["ranks"]] == [0, 1]
    found = columns(client, "rows", run="many/rank_1", rank=0, step=1)
    assert found.header["total"] == 5


def test_a_dump_below_a_run_is_a_source(client: TestClient, logs: Path) -> None:
    with tarfile.open(DATA / "mindspore" / "dump_e2e.tar.xz") as archive:
        archive.extractall(logs / "run", filter="data")
    sources = {each["source"]: each for each in ask(client, "sources", runs=["run"])["sources"]}
    (name,) = set(sources) - {"."}
    dump = sources[name]
    assert dump["format"] == "mindspore_dump"
    assert dump["framework"] == "mindspore"
    rank = dump["ranks"][0]
    found = columns(client, "rows", source=name, rank=rank["rank"], count=500)
    assert found.header["total"] > 5
    assert found.header["tensors"][0]["shape"] is not None


def test_a_dump_beside_the_only_run_is_a_source(client: TestClient, logs: Path) -> None:
    raw_dump(logs / "dump")
    (logs / "debug.txt").write_text(TEXT)
    names = [each["source"] for each in ask(client, "sources", runs=["run"])["sources"]]
    assert names == [".", "../debug.txt", "../dump"]
    assert columns(client, "rows", source="../dump", rank=1, step=3).header["total"] == 5
    write_run(logs / "other")
    assert [each["source"] for each in ask(client, "sources", runs=["run"])["sources"]] == ["."]


def test_statistics_of_a_dump_are_computed_once_for_the_viewer_and_for_programs(
    client: TestClient, logs: Path, tmp_path: Path
) -> None:
    dump = aged(short_dump(logs / "dump"))
    before = [columns(client, "rows", source="../dump", step=step) for step in (0, 1)]
    spoil_unseen(tensor_file(dump))
    kept, fresh = (open_debug(dump, tmp_path / name).source.at(1, 0) for name in ("workspace", "none"))
    largest = column(before[1], before[1].header["figures"]["max"])
    assert kept.column(Field.MAX).tolist() == largest.tolist()
    assert fresh.column(Field.MAX).max() == 77
    assert not (tmp_path / "none").exists()


def test_failures_of_a_run(client: TestClient, logs: Path) -> None:
    write_failure(logs / "run")
    write(logs, 0, entry(1), entry(2))
    write(logs, 1, entry(1, state="started"))
    (logs / "run" / "train.log").write_text("step 1\nTraceback (most recent call last):\nRuntimeError: out of memory\n")
    found = ask(client, "failures", runs=["run", "nix"])
    (crash,) = found["crashes"]
    assert (crash["run"], crash["file"], crash["kind"], crash["is_memory"], crash["before"]) == (
        "run", "train.log", "error", True, ["step 1"],
    )  # fmt: skip
    assert (found["logs"], found["unclosed"], crash["errors"]) == (
        1, [], [{"error": "RuntimeError: out of memory", "line": ""}],
    )  # fmt: skip
    assert found["failures"] == [
        {"run": "run", "source": "rank_0/rdr", "rank": 0, "error": "ValueError: loss is nan"}
    ]  # fmt: skip
    assert [(each["rank"], each["collectives"], each["last"][-1]["state"]) for each in found["ranks"]] == [
        (0, 2, "completed"), (1, 1, "started"),
    ]  # fmt: skip
    assert [each["kind"] for each in found["mismatches"]] == ["state", "missing"]
    assert found["mismatches"][1]["values"] == {"0": "nccl:all_reduce", "1": ""}
    failure = ask(client, "failure", run="run", source="rank_0/rdr")
    assert (failure["phase"], failure["module"], failure["not_finite"]) == (
        "forward", "fc1", "output fc1 float32 [4, 3]",
    )  # fmt: skip
    assert (failure["facts"]["cur_step_num"], failure["statistics"]["rows"][0][1]) == ("7", "fc1")
    assert error_of(client, "failure", 404, source="../x") == "debug_source_not_found"


def test_what_is_not_there_says_so(client: TestClient) -> None:
    assert error_of(client, "rows", 404, run="nix") == "run_not_found"
    assert error_of(client, "rows", 404, source="dump") == "debug_source_not_found"
    assert error_of(client, "rows", 404, step=99) == "debug_data_not_found"
    assert error_of(client, "rows", 404, rank=3) == "debug_data_not_found"
    assert error_of(client, "rows", 404, sort="size") == "debug_data_not_found"
    assert error_of(client, "rows", 404, regex="(") == "debug_data_not_found"
    assert error_of(client, "row", 404, step=1, row=5) == "debug_data_not_found"
    assert error_of(client, "history", 404, tensors=[9], figure="max") == "debug_data_not_found"
    assert error_of(client, "history", 422, tensors=[1], figure="size") == "invalid_request"
    assert error_of(client, "history", 422, tensors=[-1], figure="max") == "invalid_request"


def test_a_damaged_step_costs_only_itself(logs: Path, client: TestClient) -> None:
    (file,) = [each for each in (logs / "run").iterdir() if "events" in each.name]
    content = bytearray(file.read_bytes())
    at = content.rfind(b"rank_0/steps")
    content[at + 60 : at + 90] = bytes(range(30))
    file.write_bytes(content)
    client.catalog.refresh()  # type: ignore[attr-defined]
    assert columns(client, "rows", step=2).header["total"] == 5
    assert columns(client, "history", tensors=[0], figure="max").header["read_steps"] >= 3
