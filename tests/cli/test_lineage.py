# SPDX-License-Identifier: Apache-2.0
"""``mindscope lineage`` and ``mindscope diff`` over a sweep that MindSpore wrote."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pyarrow.parquet

from mindscope.reading import open_runs
from tests.cli.conftest import CommandLine
from tests.event_log import DATA

SWEEP = str(DATA / "mindspore" / "lineage_sweep")


def test_a_table_of_what_differs(mindscope: CommandLine) -> None:
    printed = mindscope("lineage", SWEEP).stdout
    header = next(line for line in printed.splitlines() if "learning_rate" in line).split()
    assert header[:3] == ["run", "optimizer", "learning_rate"]
    assert "parallel_mode" not in header  # equal in every run
    assert "fact/state" in header
    assert sum("run_" in line for line in printed.splitlines()) == 12


def test_rows_and_columns_are_chosen_and_sorted(mindscope: CommandLine) -> None:
    where = "optimizer == 'Adam' and metric['Accuracy'] > 0"
    options = ("--where", where, "--sort", "-Accuracy", "--columns", "Accuracy", "--columns", "learning_rate")
    rows = list(csv.DictReader(io.StringIO(mindscope("lineage", SWEEP, *options, "--csv").stdout)))
    table = open_runs(SWEEP).lineage().filter(where).sort("-Accuracy")
    assert [row["run"] for row in rows] == list(table.runs)
    assert list(rows[0]) == ["run", "metric/Accuracy", "learning_rate"]
    assert [float(row["metric/Accuracy"]) for row in rows] == [row["metric/Accuracy"] for row in table]


def test_files_hold_every_column(mindscope: CommandLine, tmp_path: Path) -> None:
    table = open_runs(SWEEP).lineage(scalars=["loss/*"])
    rows = json.loads(mindscope("lineage", SWEEP, "--scalars", "loss/*", "--json").stdout)
    assert rows[-1]["algorithm/loss"] == "Infinity"
    assert "metric/Accuracy" not in rows[2]
    assert rows[0] == dict(table[0])
    out = tmp_path / "runs.parquet"
    mindscope("lineage", SWEEP, "--scalars", "loss/*", "--parquet", str(out))
    assert pyarrow.parquet.read_table(out).equals(table.to_arrow())
    printed = list(csv.reader(io.StringIO(mindscope("lineage", SWEEP, "--csv").stdout)))
    column = printed[0].index("algorithm/loss")
    assert printed[12][column] == "Infinity"
    assert printed[3][printed[0].index("metric/Accuracy")] == ""


def test_an_error_of_a_filter_is_one_line(mindscope: CommandLine) -> None:
    refused = mindscope("lineage", SWEEP, "--where", "lr < ", want=2)
    assert refused.stderr.startswith("mindscope: The expression is incomplete")
    refused = mindscope("lineage", SWEEP, "--sort", "acuracy", want=1)
    assert "did you mean 'metric/Accuracy'" in refused.stderr


def test_two_runs_differences_first(mindscope: CommandLine) -> None:
    one, other = f"{SWEEP}/run_01", f"{SWEEP}/run_06"
    entries = json.loads(mindscope("diff", one, other, "--json").stdout)
    by_field = {entry["field"]: entry for entry in entries}
    assert by_field["learning_rate"] == {"field": "learning_rate", "one": 0.001, "other": 0.01, "differs": True}
    assert by_field["custom/only_here"] == {"field": "custom/only_here", "one": None, "other": "x", "differs": True}
    assert not by_field["algorithm/network"]["differs"]
    differs = [entry["differs"] for entry in entries]
    assert differs == sorted(differs, reverse=True)
    printed = mindscope("diff", one, other).stdout
    assert f"{sum(differs)} of {len(entries)} fields differ" in printed
    table = open_runs(SWEEP).lineage()
    assert {pair.key.id for pair in table.diff("run_01", "run_06") if pair.differs} == {
        entry["field"] for entry in entries if entry["differs"]
    }
