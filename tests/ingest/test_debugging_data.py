# SPDX-License-Identifier: Apache-2.0
"""Debugging data in or beside the directory of a run is listed with it."""

from __future__ import annotations

import os
import pickle
from pathlib import Path

import pytest

from mindscope.debug.open import read_debug_data
from mindscope.ingest import find_runs
from tests.debug.formats.made_dumps import raw_dump, short_dump
from tests.debug.formats.made_msprobe import dump as msprobe_dump
from tests.debug.formats.test_debug_mode import TEXT
from tests.event_log import MINDSPORE_NAME

NPY = "Conv2D.a-op1.0.0.1600000000000000.output.0.NCHW.npy"
EVENTS = MINDSPORE_NAME.format(1600000000)
ASYNC = "Conv2D.a-op1.0.0.1600000000000000"


def write(base: Path, *names: str) -> None:
    for name in names:
        (base / name).parent.mkdir(parents=True, exist_ok=True)
        (base / name).write_bytes(b"\x0a" if name.endswith(".pb") else b"\0")


def contents(base: Path) -> dict[str, list[tuple[str, str, int]]]:
    runs = find_runs(base).runs.values()
    return {run.id: [(each.kind.value, each.name, each.count) for each in run.contents] for run in runs}


@pytest.mark.parametrize(("files", "want"), [
    (["a/dump/rank_0/.dump_metadata/config.json"], {"a/dump": [("mindspore_dump", ".", 1)]}),
    ([f"a/dump/rank_0/net/0/1/{NPY}", f"a/dump/rank_1/net/0/2/{NPY}"], {"a/dump": [("mindspore_dump", ".", 1)]}),
    ([f"a/{EVENTS}", f"a/dump/rank_0/net/0/1/{NPY}"], {"a": [("mindspore_dump", "dump", 1)]}),
    ([f"a/{EVENTS}", f"a/rank_0/net/0/1/{NPY}"], {"a": [("mindspore_dump", ".", 1)]}),
    ([f"a/sum/{EVENTS}", f"a/dump/rank_0/net/0/1/{NPY}"], {"a/sum": [("mindspore_dump", "../dump", 1)]}),
    ([f"a/x/{EVENTS}", f"a/y/{EVENTS}", f"a/dump/rank_0/net/0/1/{NPY}"],
     {"a/dump": [("mindspore_dump", ".", 1)], "a/x": [], "a/y": []}),
    ([f"rank_0/net/0/1/{NPY}"], {".": [("mindspore_dump", ".", 1)]}),
    ([f"d/7/20240101120000/0/Net/1/0/{ASYNC}"], {"d": [("mindspore_dump", ".", 1)]}),
    (["d/20240101120000/0/Net/1/0/statistic.csv"], {"d": [("mindspore_dump", ".", 1)]}),
    ([f"d/0/Net_graph_1/1/5/{ASYNC}"], {"d": [("mindspore_dump", ".", 1)]}),
    (["d/net/device_1/iteration_3/x_output_0_shape_1_Float16_NCHW.bin"], {"d": [("mindspore_dump", ".", 1)]}),
    (["d/net/iteration_3/x_output_0_shape_1_Float16_NCHW.bin"], {"d": [("mindspore_dump", ".", 1)]}),
    (["p/step0/rank0/dump.json", "p/step1/proc12/dump.json"], {"p": [("msprobe_dump", ".", 1)]}),
    ([f"r/{EVENTS}", "r/rank_0/rdr/SESSION.graph_exec_order.0.txt"], {"r": [("running_data", ".", 1)]}),
    ([f"r/{EVENTS}", "r/a/b/c/rank_0/rdr/SESSION.graph_exec_order.0.txt"], {"r": [("running_data", "a/b/c", 1)]}),
    ([f"r/{EVENTS}", f"r/a/{EVENTS}", "r/a/b/c/rank_0/rdr/x.txt"], {"r": [], "r/a": [("running_data", "b/c", 1)]}),
    ([f"{EVENTS}", "a/b/c/rank_0/rdr/x.txt"], {".": [("running_data", "a/b/c", 1)]}),
    ([f"r/rank_0/{EVENTS}", f"r/rank_1/{EVENTS}", "r/rank_0/rdr/x.txt", "r/rank_1/rdr/x.txt"],
     {"r/rank_0": [("running_data", "..", 1)], "r/rank_1": []}),
    ([f"r/{EVENTS}", f"r/a/b/dump/rank_0/net/0/1/{NPY}"], {"r": [("mindspore_dump", "a/b/dump", 1)]}),
    ([f"r/{EVENTS}", f"r/a/b/c/dump/rank_0/net/0/1/{NPY}"], {"r": [], "r/a/b/c/dump": [("mindspore_dump", ".", 1)]}),
    (["t/loss_float32_0.npy", "t/grad_in_bfloat16_1.npy"], {"t": [("tensor_dump", ".", 1)]}),
    ([f"s/{EVENTS}", "dump/0_loss.npy", "dump/1_loss.npy"], {"s": [("tensor_dump", "../dump", 1)]}),
    (["d/a.npy", "e/3_x.npy", "e/9_y.npy", "f/rank_0", "f/notes.txt"], {}),
    (["d/rank_0/.dump_metadata/x.json", "d/rank_0/graphs/g_0.pb", "d/rank_1/graphs/g_0.pb", "d/rank_0/graphs/g_0.ir"],
     {"d": [("graph_file", "rank_0/graphs/g_0.pb", 2), ("mindspore_dump", ".", 1)]}),
    ([f"a/{EVENTS}", f"a/dump/rank_0/net/0/1/{NPY}", "a/dump/rank_0/graphs/g.pb"],
     {"a": [("graph_file", "dump/rank_0/graphs/g.pb", 1), ("mindspore_dump", "dump", 1)]}),
    ([f"a/{EVENTS}", f"a/rank_0/net/0/1/{NPY}", "a/rank_0/graphs/g.pb"],
     {"a": [("graph_file", "rank_0/graphs/g.pb", 1), ("mindspore_dump", ".", 1)]}),
    (["no_dump/rank_0/graphs/g.pb"], {"no_dump/rank_0/graphs": [("graph_file", "g.pb", 1)]}),
    (["x/7/notes.csv", "x/rank_0/weights.bin", "x/step1/rank0/other.json", "x/iteration_1/model.bin"], {}),
])  # fmt: skip
def test_debugging_data_belongs_to_the_nearest_run(
    tmp_path: Path, files: list[str], want: dict[str, list[tuple[str, str, int]]]
) -> None:
    write(tmp_path, *files)
    assert contents(tmp_path) == want


def test_what_is_listed_can_be_read(tmp_path: Path) -> None:
    short_dump(tmp_path / "a")
    raw_dump(tmp_path / "b")
    msprobe_dump(tmp_path / "c" / "step0" / "rank0")
    found = find_runs(tmp_path).runs
    formats = {id: read_debug_data(run.path / run.contents[0].name).format for id, run in found.items()}
    assert formats == {"a": "mindspore_dump", "b": "mindspore_dump", "c": "msprobe"}


def test_files_belong_to_the_only_run_beside_them(tmp_path: Path) -> None:
    write(tmp_path, f"a/first/{EVENTS}")
    (tmp_path / "a" / "operators.txt").write_text(TEXT)
    (tmp_path / "a" / "nccl_trace_rank_0").write_bytes(pickle.dumps({"version": "2", "entries": []}))
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "debug.log").write_text(TEXT)
    assert contents(tmp_path) == {
        "a/first": [("debug_mode_log", "../operators.txt", 1), ("flight_record", "../nccl_trace_rank_0", 1)],
        "b": [("debug_mode_log", "debug.log", 1)],
    }


def test_a_new_step_changes_the_version(tmp_path: Path) -> None:
    short_dump(tmp_path, steps=(0,))
    os.utime(tmp_path / "rank_0" / "Net" / "0", ns=(0, 0))
    before = find_runs(tmp_path).runs["."].contents
    short_dump(tmp_path, steps=(1,))
    after = find_runs(tmp_path).runs["."].contents
    assert [each.kind for each in before] == [each.kind for each in after]
    assert before != after
