# SPDX-License-Identifier: Apache-2.0
"""What is known of failed trainings: running data of ours and of MindSpore, flight recorders, printed values."""

from __future__ import annotations

import json
import pickle
import re
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import mindscope
from mindscope.debug import LastData, value_text, write_running_data
from mindscope.debug.formats import running_data_directory as running_data_module
from mindscope.debug.formats.running_data_directory import read_running_data
from mindscope.formats import wire
from mindscope.formats.print_schemas import PRINT
from mindscope.reading.failures import find_failures, read_failures
from tests.debug.formats.test_flight_recorder import entry, write
from tests.debug.formats.test_print_file import VALUES
from tests.debug.formats.test_running_data_files import MEMORY, ORDER


def write_failure(path: Path, rank: int = 0) -> Path:
    """Running data as of a training that failed."""
    try:
        raise ValueError("loss is nan")
    except ValueError as error:
        data = LastData(
            state={"cur_epoch_num": 2, "cur_step_num": 7, "train_dataset_element": ["float32 [4, 3] cpu"]},
            order=[("fc1", "Linear", "float32 [4, 3] cpu"), ("", "Net", "float32 [4, 3] cpu")],
            statistics=[("output", "fc1", "float32", "[4, 3]", 12, 1, "")],
            statistics_columns=("kind", "name", "dtype", "shape", "count", "nan", "problem"),
            memory={"parameters_bytes": 48}, memory_history=[(6, 1.5, 1 << 20)],
            memory_columns=("step", "seconds", "host_bytes"), error=error,
            culprit={
                "error": "ValueError: loss is nan", "phase": "forward", "module": "fc1", "type": "Linear",
                "call": "net.py:7 forward: x.log()", "lines": ["train.py:3 main: net(x)"],
                "first_not_finite": {"kind": "output", "name": "fc1", "dtype": "float32", "shape": [4, 3]},
            },
        )  # fmt: skip
        written = write_running_data(path, data, rank)
    assert written is not None
    return written


def write_scalars(directory: Path) -> None:
    with mindscope.SummaryRecord(directory) as record:
        record.add_value("scalar", "loss", 1.0)
        record.record(1)


def test_running_data_of_a_training(tmp_path: Path) -> None:
    write_scalars(tmp_path / "run")
    write_failure(tmp_path / "run", 1)
    write_scalars(tmp_path / "run" / "inner")
    write_failure(tmp_path / "run" / "inner")
    (found,) = mindscope.open_run(tmp_path / "run").failures().running_data
    assert (found.rank, found.error, found.culprit["module"]) == (1, "ValueError: loss is nan", "fc1")
    assert found.statistics.rows == [["output", "fc1", "float32", "[4, 3]", "12", "1", ""]]
    assert [row[1] for row in found.order.rows] == ["fc1", ""]
    assert (found.state["cur_step_num"], found.memory["parameters_bytes"]) == (7, 48)
    assert found.memory_history.rows == [["6", "1.5", "1048576"]]
    assert "raise ValueError" in found.exception
    assert "thread" in found.stacks
    assert len(found.problems) == 0


@pytest.mark.parametrize("below", ["", "a", "a/b/c/d/e/f"])
def test_running_data_deep_below_a_run_is_of_the_run(tmp_path: Path, below: str) -> None:
    write_scalars(tmp_path / "run")
    write_failure(tmp_path / "run" / below)
    runs = mindscope.open_runs(tmp_path)
    assert list(runs) == ["run"]
    assert [each.kind.value for each in runs["run"].store.contents] == ["running_data"]
    assert [each.rank for each in runs["run"].failures().running_data] == [0]


@pytest.mark.parametrize("missing", ["culprit.json", "exception.txt", "statistics.csv", "state.json", "exec_order.csv"])
def test_a_missing_or_damaged_file_costs_only_itself(tmp_path: Path, missing: str) -> None:
    directory = write_failure(tmp_path)
    stem, kind = missing.split(".")
    (path,) = directory.glob(f"*.{stem}.*.{kind}")
    path.unlink()
    found = read_running_data(directory)
    assert (found.error, len(found.problems)) == ("ValueError: loss is nan", 0)
    path.write_bytes(b'["\xff\0')
    assert len(read_running_data(directory).files) == 8


def test_the_last_of_several_failures_counts(tmp_path: Path) -> None:
    directory = write_failure(tmp_path)
    for path in tuple(directory.iterdir()):
        path.rename(directory / re.sub(r"\d{14}", "20200101000000", path.name))
    (directory / "TORCH.culprit.20200101000000.json").write_text('{"error": "an older one"}')
    write_failure(tmp_path)
    assert read_running_data(directory).error == "ValueError: loss is nan"


def test_running_data_of_mindspore(tmp_path: Path) -> None:
    directory = tmp_path / "run" / "rank_3" / "rdr"
    directory.mkdir(parents=True)
    write_scalars(tmp_path / "run")
    write_scalars(tmp_path / "other" / "run")
    write_failure(tmp_path / "other" / "run")
    (directory / "SESSION.graph_exec_order.0.20260101000000.txt").write_text(ORDER)
    (directory / "KERNEL.mem_address_list.20260101000000.txt").write_text(MEMORY)
    (found,) = mindscope.open_run(tmp_path / "run").failures().running_data
    assert (found.rank, found.error) == (3, "")
    assert [each.number for each in found.nodes] == [0, 1]
    assert [each.size for each in found.addresses] == [4096, 16, 64, 64]


def test_flight_records_beside_a_run_are_compared(tmp_path: Path) -> None:
    write_scalars(tmp_path / "run")
    write(tmp_path, 0, entry(1), entry(2))
    write(tmp_path, 1, entry(1))
    (tmp_path / "nccl_trace_rank_2").write_bytes(b"\x80version entries cut")
    (tmp_path / "nccl_trace_rank_3").write_bytes(pickle.dumps({"version": "", "entries": [Path]}))
    found = mindscope.open_run(tmp_path / "run").failures()
    assert [each.rank for each in found.flight_records] == [0, 1]
    assert [(each.kind, each.sequence) for each in found.mismatches] == [("missing", 2)]
    assert [each.count(f"nccl_trace_rank_{rank}") for rank, each in enumerate(found.problems, 2)] == [1, 1]


def test_printed_values_of_files_and_logs(tmp_path: Path) -> None:
    write_scalars(tmp_path)
    (tmp_path / "print.pb").write_bytes(wire.encode(PRINT, {"value": VALUES[:2]}))
    (tmp_path / "train.log").write_text(f"step 1\n{value_text(np.arange(4).reshape(2, 2), 'Int64')}\nend\n")
    found = list(mindscope.open_run(tmp_path).printed())
    assert [(path.name, value.text[:5]) for path, value in found][:2] == [("print.pb", "loss:"), ("print.pb", "")]
    assert found[2][1].array is not None
    assert found[2][1].array.tolist() == [[0, 1], [2, 3]]


def test_running_data_of_many_ranks_stay_in_their_files(tmp_path: Path) -> None:
    for rank in range(8):
        directory = tmp_path / f"rank_{rank}" / "rdr"
        directory.mkdir(parents=True)
        (directory / "exception.txt").write_text("x" * 900_000 + "\nValueError: odd")
        (directory / "memory.json").write_text(json.dumps({"blocks": [[]] * 100_000}))
    tracemalloc.start()
    try:
        found = read_failures(find_failures(tmp_path))
        assert tracemalloc.get_traced_memory()[0] < 1 << 20
    finally:
        tracemalloc.stop()
    assert [each.error for each in found.running_data] == ["ValueError: odd"] * 8
    assert len(found.running_data[7].memory["blocks"]) == 100_000


def test_tables_of_running_data_are_cut_and_say_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running_data_module, "MOST_ROWS", 5)
    (tmp_path / "exec_order.csv").write_text("a,b\n" + "1,2\n" * 6)
    (tmp_path / "statistics.csv").write_text("a,b\n" + "1,2\n" * 5)
    (tmp_path / "memory_history.csv").write_text("a\n" + "," * 60_000 + "\n")
    (tmp_path / "graph_exec_order.0.txt").write_text("".join(f"{number}:node\n" + "x\n" * 50 for number in range(7)))
    (tmp_path / "mem_address_list.0.txt").write_text("op\nkernel_inputs 5\n" + "&1 #2\n" * 5)
    found = read_running_data(tmp_path)
    assert (len(found.order.rows), len(found.statistics.rows), len(found.nodes), len(found.addresses)) == (5, 5, 5, 5)
    assert {(reason.code, Path(file).name) for file, reason in found.problems.items()} == {
        ("debug_entries_left", "exec_order.csv"), ("debug_entries_left", "graph_exec_order.0.txt"),
    }  # fmt: skip
    monkeypatch.setattr(running_data_module, "_MOST_CELLS", 60_000)
    assert found.memory_history.rows == []
    assert found.memory_history.is_cut
    assert "memory_history.csv" in {Path(file).name for file in found.problems}
