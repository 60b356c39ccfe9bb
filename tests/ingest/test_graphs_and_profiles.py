# SPDX-License-Identifier: Apache-2.0
"""Directories with graph files or profiles are runs, and the list names what they hold."""

from __future__ import annotations

import gzip
import json
import os
import pickle
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from mindscope import open_run
from mindscope.errors import RunNotFoundError
from mindscope.ingest import Catalog, find_runs
from mindscope.ingest.discover import Finder
from mindscope.ingest.graphs_and_profiles import TraceSearch
from mindscope.profile.open import find_profiles
from mindscope.server.runs.query import RunList
from tests.event_log import DATA, MINDSPORE_NAME, append, steps, version

GRAPH = b"\x08\x03"
ASCEND = "vm_18613_20261122023153368_ascend_ms"


def write(base: Path, *names: str, content: bytes = GRAPH) -> None:
    for name in names:
        (base / name).parent.mkdir(parents=True, exist_ok=True)
        (base / name).write_bytes(content)


def contents(base: Path) -> dict[str, list[tuple[str, str, int]]]:
    runs = find_runs(base).runs.values()
    return {run.id: [(each.kind.value, each.name, each.count) for each in run.contents] for run in runs}


@pytest.mark.parametrize(
    ("files", "want"),
    [
        (["e/projector_config.pbtxt", "e/00001/a/b.tsv"], {"e": [("embedding", "projector_config.pbtxt", 1)]}),
        (["e/projector_config.pbtxt.bak", "e/projector_config.txt"], {}),
        (["g/ms_output_10.pb", "g/ms_output_2.pb"], {"g": [("graph_file", "ms_output_2.pb", 2)]}),
        ([f"p/{ASCEND}/ASCEND_PROFILER_OUTPUT/trace_view.json"], {"p": [("ascend_profile", ASCEND, 1)]}),
        ([f"{ASCEND}/PROF_000001_20240101000000000_ABCDEFGHIJKLMNOP/x.pb", f"{ASCEND}/y/z.pb"],
         {".": [("ascend_profile", ASCEND, 1)]}),
        (
            ["p/profiler/step_trace_raw_0_detail_time.csv", "p/profiler/memory_usage_0.pb", "p/profiler/x.pb"],
            {"p": [("mindspore_profile", "profiler", 1)]},
        ),
        (["p/profiler/cpu_op_detail_info_0.csv"], {"p": [("mindspore_profile", "profiler", 1)]}),
        (["p/results/step_trace_raw_0_detail_time.csv"], {"p": [("mindspore_profile", "results", 1)]}),
        (["p/results/minddata_pipeline_raw_0.csv"], {}),
        (["p/results/mindstudio_profiler_output/x.csv"], {"p": [("cann_profile", "results", 1)]}),
        (["p/PROF_000001_20240101000000000_ABCDEFGHIJKLMNOP/x"],
         {"p": [("cann_profile", "PROF_000001_20240101000000000_ABCDEFGHIJKLMNOP", 1)]}),
        (["t/h.1.pt.trace.json", "t/h.2.pt.trace.json.gz"], {"t": [("torch_profile", "h.1.pt.trace.json", 2)]}),
        (["x/plugins/profile/2024_01_01/h.xplane.pb"],
         {"x": [("xla_profile", "plugins/profile/2024_01_01/h.xplane.pb", 1)]}),
        (["m/saved_model.pb", "m/fingerprint.pb", "profiler/notes.txt", "a/trace.json"], {}),
    ],
)  # fmt: skip
def test_graph_files_and_profiles_make_runs(
    tmp_path: Path, files: list[str], want: dict[str, list[tuple[str, str, int]]]
) -> None:
    write(tmp_path, *files)
    assert contents(tmp_path) == want


@pytest.mark.parametrize(("content", "count"), [(GRAPH, 1), (b"\x3a\x02\x0a\x00\x08\x03", 1), (b"text", 1), (b"", 0)])
def test_an_onnx_file_makes_a_run_with_its_fields_in_any_order(tmp_path: Path, content: bytes, count: int) -> None:
    write(tmp_path, "m/net.onnx", content=content)
    assert contents(tmp_path) == ({"m": [("graph_file", "net.onnx", 1)]} if count else {})


def test_databases_and_pickles_of_profilers_make_runs(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "nsight.sqlite")) as file, file:
        file.execute("CREATE TABLE StringIds (id INTEGER, value TEXT)")
    with closing(sqlite3.connect(tmp_path / "other.sqlite")) as file, file:
        file.execute("CREATE TABLE bookmarks (url TEXT)")
    nsight, other = ((tmp_path / name).read_bytes() for name in ("nsight.sqlite", "other.sqlite"))
    snapshot = pickle.dumps({"segments": [], "device_traces": []})
    runs = tmp_path / "runs"
    write(runs, "n/report1.sqlite", "n/report2.sqlite3", content=nsight)
    write(runs, "n2/annotations.sqlite3", "n2/analysis.sqlite", content=other)
    write(runs, "a/ascend_pytorch_profiler_0.db", "b/analysis.db", content=other)
    write(runs, "b2/other.db", content=other)
    write(runs, "b3/analysis.db", content=b"text")
    write(runs, "m/worker.memory_snapshot.pickle", "m/x.pkl", content=snapshot)
    write(runs, "m2/data.pickle", content=pickle.dumps([1, 2]))
    write(runs, "m3/data.pickle", content=b"no pickle with segments")
    assert contents(runs) == {
        "n": [("nsight_profile", "report1.sqlite", 2)],
        "a": [("ascend_profile", "ascend_pytorch_profiler_0.db", 1)],
        "b": [("ascend_profile", "analysis.db", 1)],
        "m": [("memory_profile", "worker.memory_snapshot.pickle", 2)],
    }


TORCH_TRACE = b'{"schemaVersion": 1, "traceEvents": []}'


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("trace.json", TORCH_TRACE, "torch_profile"),
        ("rank-0.json.gz", gzip.compress(TORCH_TRACE, mtime=0), "torch_profile"),
        ("late.json", b'{"traceEvents": [], "schemaVersion": 1}', "torch_profile"),
        ("any.json", b'{"displayTimeUnit": "ms", "traceEvents": []}', "chrome_profile"),
        ("list.json", b'[{"name": "a", "args": {"b": 1}, "ph": "X", "ts": 1, "dur": 2}]', "chrome_profile"),
        ("trace_view.json", b"[]", "chrome_profile"),
        ("history.pt", pickle.dumps({"segments": [], "device_traces": []}), "memory_profile"),
        ("results.json", b"[]", None), ("metrics.json", b'[{"ts": 1, "pid": 3, "loss": 0.5}]', None),
        ("config.json", b'{"lr": 0.1}', None), ("broken.json.gz", b"\x1f\x8bno gzip", None),
        ("words.json", b"[1, 2]", None), ("weights.pt", b"PK\x03\x04", None),
    ],
)  # fmt: skip
def test_a_trace_of_any_name_is_a_profile_everywhere(
    tmp_path: Path, name: str, content: bytes, kind: str | None
) -> None:
    write(tmp_path, f"run/{name}", content=content)
    assert contents(tmp_path) == ({} if kind is None else {"run": [(kind, name, 1)]})
    paths = [each.path.name for each in find_profiles(tmp_path)]
    assert paths == ([] if kind is None else [name]), "the list and mindscope profile agree"
    if kind is not None:
        assert [path.name for path in open_run(tmp_path / "run").profiles().paths] == [name]


def test_what_jax_writes_beside_its_profile_is_no_second_one(tmp_path: Path) -> None:
    place = "run/plugins/profile/2024_01_01"
    write(tmp_path, f"{place}/h.xplane.pb")
    write(tmp_path, f"{place}/h.trace.json.gz", content=gzip.compress(b'{"traceEvents": []}'))
    assert contents(tmp_path) == {"run": [("xla_profile", "plugins/profile/2024_01_01/h.xplane.pb", 1)]}


def test_a_trace_that_is_still_empty_is_looked_at_again(tmp_path: Path) -> None:
    write(tmp_path, "run/trace.json", content=b"")
    finder = Finder(tmp_path)
    assert list(finder.find().runs) == []
    os.utime(tmp_path / "run", ns=(0, 0))  # its listing is old enough to be kept
    assert list(finder.find().runs) == []
    (tmp_path / "run" / "trace.json").write_bytes(TORCH_TRACE)
    assert list(finder.find().runs) == ["run"]


def test_a_data_set_of_many_json_files_is_not_read_whole(tmp_path: Path) -> None:
    write(tmp_path, *(f"images/{number}.json" for number in range(300)), content=b'{"boxes": []}')
    search = TraceSearch()
    with os.scandir(tmp_path / "images") as entries:
        assert [search.recognize(entry) for entry in entries] == [None] * 300
    write(tmp_path, "late/trace.json", content=TORCH_TRACE)
    with os.scandir(tmp_path / "late") as entries:
        assert [search.recognize(entry) for entry in entries] == [None], "after 256 others"


def test_recognizing_a_pickle_runs_nothing_of_it(tmp_path: Path) -> None:
    class Code:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return os.mkdir, (str(tmp_path / "was_run"),)

    write(tmp_path, "m/x.pickle", content=pickle.dumps({"segments": Code()}))
    assert contents(tmp_path) == {"m": [("memory_profile", "x.pickle", 1)]}
    assert not (tmp_path / "was_run").exists()


def test_a_file_that_is_no_graph_makes_no_run(tmp_path: Path) -> None:
    write(tmp_path, "a/weights.pb", content=b"\x80\x04pickled")
    write(tmp_path, "b/empty.pb", content=b"")
    assert contents(tmp_path) == {}
    with pytest.raises(RunNotFoundError):
        open_run(tmp_path / "a")


def test_the_list_names_what_a_run_holds_beside_its_events(tmp_path: Path) -> None:
    append(write_run(tmp_path) / MINDSPORE_NAME.format(1), version() + steps([1]))
    catalog = Catalog(tmp_path)
    catalog.refresh()
    runs = RunList(catalog)
    (before,) = json.loads(runs.answer(None))["runs"]
    assert before["contents"] == []
    write(tmp_path / "run", "ms_output.pb")
    assert catalog.refresh() == {"run"}
    (after,) = json.loads(runs.answer(None))["runs"]
    assert after["contents"] == [{"kind": "graph_file", "name": "ms_output.pb", "count": 1}]
    assert (after["files"], after["tags"]) == (1, {"scalar": 1})


def write_run(base: Path) -> Path:
    (base / "run").mkdir()
    return base / "run"


def test_a_run_of_graph_files_alone_is_opened_and_inspected(tmp_path: Path) -> None:
    source = next((DATA).rglob("*.pb"), None)
    write(tmp_path, "run/graph.pb", content=GRAPH if source is None else source.read_bytes())
    run = open_run(tmp_path / "run")
    assert [each.name for each in run.store.contents] == ["graph.pb"]
    assert not run.refresh()
    shown = subprocess.run(
        [sys.executable, "-m", "mindscope", "inspect", str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert "graph file: graph.pb" in shown.stdout


def test_a_written_profile_is_a_change_without_a_watch(tmp_path: Path) -> None:
    trace, plan = tmp_path / "run" / "a.pt.trace.json", tmp_path / "run" / "profiler" / "step_trace_raw_0.csv"
    plan.parent.mkdir(parents=True)
    trace.write_text("{")
    plan.write_text("step")
    catalog = Catalog(tmp_path)
    assert catalog.refresh() == {"run"}
    assert catalog.refresh() == frozenset()
    trace.write_text("{}")
    assert catalog.refresh() == {"run"}
    (tmp_path / "plan").write_text("step")
    (tmp_path / "plan").replace(plan)
    assert catalog.refresh() == {"run"}
    assert catalog.refresh() == frozenset()
    plan.write_text("step, time")
    assert catalog.refresh([str(plan)]) == {"run"}
