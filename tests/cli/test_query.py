# SPDX-License-Identifier: Apache-2.0
"""``mindscope query`` over a sweep that MindSpore wrote."""

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
BEST = "SELECT run, params['learning_rate'] AS lr FROM runs ORDER BY run DESC LIMIT 3"


def test_a_table_is_printed(mindscope: CommandLine) -> None:
    lines = mindscope("query", SWEEP, BEST).stdout.splitlines()
    expected = open_runs(SWEEP).sql(BEST).rows()
    assert lines[1].split() == ["run", "lr"]
    assert [tuple(line.split()) for line in lines[3:6]] == expected


def test_formats_hold_the_same_rows(mindscope: CommandLine, tmp_path: Path) -> None:
    expected = [dict(row) for row in open_runs(SWEEP).sql(BEST)]
    assert list(csv.DictReader(io.StringIO(mindscope("query", SWEEP, BEST, "--format", "csv").stdout))) == expected
    assert json.loads(mindscope("query", SWEEP, BEST, "--format", "json").stdout) == expected
    for name in ("a.csv", "a.json", "a.parquet"):
        done = mindscope("query", SWEEP, BEST, "--out", str(tmp_path / name))
        assert done.stderr == f"wrote 3 rows, 2 columns to {tmp_path / name}\n"
    assert pyarrow.parquet.read_table(tmp_path / "a.parquet").to_pylist() == expected
    assert json.loads((tmp_path / "a.json").read_text()) == expected


def test_a_limit_of_rows_is_said(mindscope: CommandLine) -> None:
    done = mindscope("query", SWEEP, "FROM range(10)", "--rows", "3", "--format", "csv")
    assert done.stdout == "range\n0\n1\n2\n"
    assert "there are more" in done.stderr
    assert mindscope("query", SWEEP, "FROM range(3)", "--rows", "3", "--format", "csv").stderr == ""


def test_errors_are_one_line_or_the_engine_s(mindscope: CommandLine, tmp_path: Path) -> None:
    refused = mindscope("query", SWEEP, "DROP TABLE runs", want=1)
    assert refused.stderr.startswith("mindscope: DROP can't run here, because queries only read.")
    assert "read no files" in mindscope("query", SWEEP, "FROM read_csv('/etc/passwd')", want=1).stderr
    late = mindscope("query", SWEEP, "FROM range(1000000) a, range(1000000) b ORDER BY 1", "--seconds", "0.2", want=1)
    assert "longer than 0.2 seconds" in late.stderr or "more memory" in late.stderr
    assert "--format" in mindscope("query", SWEEP, BEST, "--format", "parquet", want=2).stderr
    assert "want one of" in mindscope("query", SWEEP, BEST, "--format", "xml", want=2).stderr
    assert "No such file" in mindscope("query", SWEEP, BEST, "--out", str(tmp_path / "none" / "a.csv"), want=1).stderr
