# SPDX-License-Identifier: Apache-2.0
"""The tables of queries hold what the Python API returns."""

from __future__ import annotations

import math
import shutil
from pathlib import Path

import numpy as np
import pytest

from mindscope import SummaryRecord, open_runs
from mindscope.alerts import CHECKS, check_rule, find_alerts
from mindscope.ingest import Catalog
from mindscope.reading import Runs
from mindscope.reading.sql.schema import TABLES
from mindscope.types import Kind
from tests.event_log import DATA

from .sql_runs import ODD_RUN, ODD_TAG, write_runs


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    return open_runs(write_runs(tmp_path_factory.mktemp("runs")))


def test_scalars_are_all_points_of_the_store(runs: Runs) -> None:
    rows = runs.sql("SELECT run, tag, step, wall_time, value FROM scalars ORDER BY run, tag, wall_time").rows()
    expected = [
        (id, tag, *point)
        for id, run in runs.items()
        for tag in run.tags(Kind.SCALAR)
        for points in [run.scalars(tag, overwritten=True)]
        for point in zip(points.step.tolist(), points.wall_time.tolist(), points.value.tolist(), strict=True)
    ]
    assert sorted(map(repr, rows)) == sorted(map(repr, expected))
    assert len(rows) > 1000


def test_overwritten_points_are_marked(runs: Runs) -> None:
    visible = runs.sql("SELECT step, value FROM scalars WHERE run = 'restarted' AND NOT is_overwritten ORDER BY step")
    points = runs["restarted"].scalars("loss")
    assert visible.rows() == list(zip(points.step.tolist(), points.value.tolist(), strict=True))
    hidden = runs.sql("SELECT step, value FROM scalars WHERE run = 'restarted' AND is_overwritten ORDER BY step")
    assert hidden.rows() == [(step, 1.0) for step in range(5, 10)]


@pytest.mark.parametrize(
    "condition",
    [
        "tag = 'loss'",
        "tag = 'loss' AND step > 100",
        "run IN ('first', 'restarted') AND NOT is_overwritten",
        "run = 'first' OR tag = 'loss'",
        "tag LIKE 'acc%' AND value < 0.5",
        "tag <> 'loss'",
        "run IS NULL",
        "step IS NOT NULL AND tag = 'accuracy'",
        "run = 'nothing'",
        "value = 1 / 0",
        "tag = 'loss' AND run >= 'r' AND value BETWEEN 0.5 AND 3",
        "NOT (run = 'first')",
        "run || tag = 'firstloss'",
    ],
)
def test_conditions_choose_the_same_rows_as_over_a_plain_table(runs: Runs, condition: str) -> None:
    import duckdb

    everything = runs.sql("FROM scalars").to_arrow()
    expected = duckdb.from_arrow(everything).filter(condition).aggregate("count(*), sum(step)").fetchall()
    assert runs.sql(f"SELECT count(*), sum(step) FROM scalars WHERE {condition}").rows() == expected


def test_odd_names_and_numbers_come_back(runs: Runs) -> None:
    quoted = ODD_TAG.replace("'", "''")
    values = runs.sql(f"SELECT run, value FROM scalars WHERE tag = '{quoted}' ORDER BY step")
    assert [run for run, _ in values.rows()] == [ODD_RUN] * 5
    assert np.array_equal(values.to_arrow()["value"].to_numpy(), runs[ODD_RUN].scalars(ODD_TAG).value, equal_nan=True)


def test_metrics_are_figures_of_visible_points(runs: Runs) -> None:
    rows = {(row["run"], row["tag"]): row for row in runs.sql("FROM metrics")}
    for id, run in runs.items():
        for tag in run.tags(Kind.SCALAR):
            row, value = rows.pop((id, tag)), run.scalars(tag).value.astype(np.float64)
            assert row["last"] == value[-1] or math.isnan(value[-1])
            assert (row["min"], row["max"]) == (np.nanmin(value), np.nanmax(value))
    assert rows == {}
    best = runs.sql("SELECT tag, best, best_step FROM metrics WHERE run = 'first' ORDER BY tag").rows()
    assert best == [("accuracy", 1.0, 500), ("loss", pytest.approx(0.002), 500)]
    assert runs.sql("SELECT best, best_step FROM metrics WHERE run LIKE 'it''s%'").rows() == [(2.0, 3)]


def test_runs_and_parameters_are_those_of_the_lineage_table() -> None:
    runs = open_runs(DATA / "mindspore" / "lineage_sweep")
    lineage = runs.lineage()
    rows = {row["run"]: row for row in runs.sql("FROM runs")}
    assert list(rows) == list(lineage.runs)
    for given in lineage:
        row = rows[given["run"]]
        assert row["state"] == given["fact/state"]
        assert row["duration_s"] == given["fact/duration"]
        assert row["params"]["learning_rate"] == str(given["learning_rate"])
    numbers = runs.sql("SELECT run, number FROM params WHERE name = 'learning_rate'").rows()
    assert numbers == [(row["run"], row["learning_rate"]) for row in lineage]
    texts = runs.sql("SELECT DISTINCT number FROM params WHERE name = 'optimizer'").rows()
    assert texts == [(None,)]


def test_a_run_of_init_has_name_group_and_tags(tmp_path: Path) -> None:
    import mindscope

    mindscope.init(dir=str(tmp_path), name="nice", group="ablation", tags=["a", "b"], config={"lr": 0.1})
    mindscope.log({"loss": 1.0}, 1)
    mindscope.finish()
    rows = open_runs(tmp_path).sql('SELECT name, "group", tags, params FROM runs').rows()
    assert rows == [("nice", "ablation", ["a", "b"], {"lr": "0.1"})]


def test_alerts_are_those_of_watch(runs: Runs) -> None:
    found = find_alerts(runs.base, [check_rule(name) for name in CHECKS])
    rows = runs.sql("SELECT id, rule, run, tag, step FROM alerts").rows()
    expected = [(each.id, each.rule, each.run, each.tag, each.finding.step) for each in found]
    assert sorted(rows) == sorted(expected)
    assert "nan" in {row[1] for row in rows}


def test_logs_are_the_messages_of_a_run(tmp_path: Path) -> None:
    with SummaryRecord(str(tmp_path / "run")) as record:
        record.add_value("scalar", "loss", 1.0)
        record.record(1)
    line = "2026-01-02 03:04:05,678 - trainer - ERROR - 显存不足"
    (tmp_path / "run" / "train.log").write_text(f"{line}\nplain\n", encoding="utf-8")
    rows = open_runs(tmp_path).sql("SELECT run, file, severity, text FROM logs ORDER BY message").rows()
    assert [row[:2] for row in rows] == [("run", "train.log")] * 2
    assert rows[0][2] == "error"
    assert "显存不足" in rows[0][3]


def test_every_table_has_its_declared_columns(runs: Runs) -> None:
    for name, table in TABLES.items():
        described = runs.sql(f"SELECT column_name, column_type FROM (DESCRIBE {name})").rows()
        assert described == list(table.columns.items()), name


def test_an_empty_base_has_empty_tables(tmp_path: Path) -> None:
    runs = Runs(Catalog(tmp_path))
    for name in TABLES:
        assert runs.sql(f"SELECT count(*) FROM {name}").rows() == [(0,)], name


def test_results_see_new_points_after_refresh(tmp_path: Path) -> None:
    record = SummaryRecord(str(tmp_path / "live"))
    record.add_value("scalar", "loss", 1.0)
    record.record(1)
    record.flush()
    runs = open_runs(tmp_path)
    assert runs.sql("SELECT count(*) FROM scalars").rows() == [(1,)]
    record.add_value("scalar", "loss", 2.0)
    record.record(2)
    record.close()
    runs.refresh()
    assert runs.sql("SELECT count(*) FROM scalars").rows() == [(2,)]


def test_a_removed_run_does_not_harm_a_query_that_reads_it(tmp_path: Path) -> None:
    base = write_runs(tmp_path / "runs")
    catalog = Catalog(base, tmp_path / "workspace")
    catalog.refresh()
    runs = Runs(catalog)
    shutil.rmtree(base / "first")
    assert runs.sql("SELECT count(*) FROM scalars WHERE run = 'first'").rows() == [(1000,)]
    assert runs.sql("SELECT count(*) FROM logs").rows() == [(0,)]
    catalog.refresh()
    assert runs.sql("SELECT count(*) FROM scalars WHERE run = 'first'").rows() == [(0,)]
    catalog.close()
