# SPDX-License-Identifier: Apache-2.0
"""One table over all runs, from every source."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pytest

from mindscope import SummaryRecord
from mindscope.capture.messages import to_json
from mindscope.errors import RunNotFoundError
from mindscope.lineage.cell import CellKind
from mindscope.reading import open_runs
from tests.event_log import (
    DATA,
    LINEAGE_NAME,
    MINDSPORE_NAME,
    TENSORBOARD_NAME,
    append,
    lineage,
    scalars,
    tensorboard_event,
    tensorboard_version,
    version,
)
from tests.lineage_sweep import SWEEP, expected_rows
from tests.reading.lineage_cache import custom


def test_the_sweep_is_what_mindspore_finds_in_it() -> None:
    table = open_runs(SWEEP).lineage()
    want = expected_rows()
    assert len(want) == 12
    for row in table:
        got = {id: cell for id, cell in row.items() if not id.startswith("fact/") and id != "run"}
        expected = want[row["run"]]
        assert {id: type(cell) for id, cell in got.items()} == {id: type(cell) for id, cell in expected.items()}
        for id, cell in got.items():
            assert cell == (pytest.approx(expected[id], rel=1e-6) if isinstance(cell, float) else expected[id])
    by_run = dict(zip(table.runs, table, strict=True))
    assert by_run["run_12"]["algorithm/loss"] == math.inf
    assert "metric/Accuracy" not in by_run["run_03"]
    assert "custom/only_here" in by_run["run_06"]


def test_columns_say_kind_count_and_range() -> None:
    columns = open_runs(SWEEP).lineage().columns
    assert list(columns)[:3] == ["run", "optimizer", "learning_rate"]
    rate = columns["learning_rate"]
    assert (rate.kind, rate.count, rate.range) == (CellKind.FLOAT, 12, (0.001, 50.0))
    assert columns["metric/Accuracy"].count == 9
    assert columns["batch_size"].kind is CellKind.INT


def train(**hyper: Any) -> bytes:
    return lineage({"train_lineage": {"hyper_parameters": hyper}})


def evaluation(metric: str) -> bytes:
    return lineage({"evaluation_lineage": {"metric": metric}})


def run(base: Path, id: str, *records: bytes) -> Path:
    path = base / id
    path.mkdir(parents=True, exist_ok=True)
    append(path / LINEAGE_NAME.format(1), b"".join(records))
    return path


def test_types_are_kept_and_what_is_missing_is_no_zero(tmp_path: Path) -> None:
    run(tmp_path, "a", custom(size=3, zero=0), evaluation('{"F1": [0.5, 1], "loss": NaN, "by": {"cat": 1}}'))
    run(tmp_path, "b", custom(size="large"), evaluation('{"F1": [0.25], "loss": Infinity}'))
    run(tmp_path, "c", evaluation("no json"))
    table = open_runs(tmp_path).lineage()
    assert table.runs == ("a", "b", "c")
    columns = table.columns
    assert (columns["custom/size"].kind, columns["custom/size"].cells.tolist()) == (CellKind.MIXED, [3, "large", None])
    assert columns["custom/zero"].cells.tolist() == [0, None, None]
    assert columns["metric/F1"].cells.tolist() == [(0.5, 1), (0.25,), None]
    assert columns["metric/by.cat"].cells.tolist() == [1, None, None]
    assert repr(columns["metric/loss"].cells.tolist()) == "[nan, inf, None]"
    arrow = table.to_arrow()
    assert arrow["custom/size"].to_pylist() == ["3", "large", None]
    assert arrow["custom/zero"].type == pyarrow.int64()
    assert arrow["metric/F1"].to_pylist() == [[0.5, 1], [0.25], None]
    assert repr(arrow["metric/loss"].to_pylist()) == "[nan, inf, None]"
    frame = table.to_pandas()
    assert str(frame["custom/zero"].dtype) == "Int64"
    assert frame["custom/zero"].isna().tolist() == [False, True, True]
    assert frame["metric/loss"].isna().tolist() == [True, False, True]


def test_whole_numbers_of_any_size_are_exact(tmp_path: Path) -> None:
    (run(tmp_path, "a", custom(x=1)) / "params.json").write_text(f'{{"seed": {2**63 + 1}, "id": {2**62 + 1}}}')
    table = open_runs(tmp_path).lineage()
    assert table[0]["seed"] == 2**63 + 1
    assert table.to_arrow()["seed"].to_pylist() == [str(2**63 + 1)]
    assert table.to_arrow()["id"].to_pylist() == [2**62 + 1]
    assert table.to_pandas()["id"].tolist() == [2**62 + 1]


def test_settings_beside_event_files(tmp_path: Path) -> None:
    path = run(tmp_path, "a", train(learning_rate=0.5))
    (path / "params.json").write_text('{"learning_rate": 9.0, "model": {"depth": 3}}')
    (path / "hparams.yaml").write_text("act: !!python/name:torch.nn.ReLU ''\nlr: 1e-3\n")
    (path / "config.yaml").write_text("a: &a [*a]")
    table = open_runs(tmp_path).lineage()
    row = table[0]
    assert (row["learning_rate"], row["model.depth"], row["act"], row["lr"]) == (0.5, 3, "torch.nn.ReLU", 0.001)
    (problem,) = table.problems
    assert problem.startswith(f"Could not read the settings in {path / 'config.yaml'}: ")


def value(number: float | str | bool) -> dict[str, Any]:
    field = {float: "number_value", str: "string_value", bool: "bool_value"}[type(number)]
    return {field: number}


def hparams_event(tag: str, **data: Any) -> bytes:
    from mindscope.formats import tensorboard_schemas, wire

    content = wire.encode(tensorboard_schemas.HPARAMS, data)
    metadata = {"plugin_data": {"plugin_name": "hparams", "content": content}}
    return tensorboard_event(0, {"tag": f"_hparams_/{tag}", "metadata": metadata})


def test_sessions_of_tensorboard(tmp_path: Path) -> None:
    """The experiment stands in the directory above, a metric of a group in a directory below, as Keras writes them."""
    infos = [{"name": {"tag": "acc"}}, {"name": {"tag": "loss", "group": "validation"}}, {"name": {"tag": "none"}}]
    append(
        tmp_path / TENSORBOARD_NAME.format(1),
        tensorboard_version() + hparams_event("experiment", experiment={"metric_infos": infos}),
    )
    for number, rate in enumerate((0.1, 0.2)):
        session = tmp_path / f"session_{number}"
        (session / "validation").mkdir(parents=True)
        start = {"hparams": {"lr": value(rate), "opt": value("adam"), "amp": value(True)}, "group_name": "g"}
        append(
            session / TENSORBOARD_NAME.format(1),
            tensorboard_version()
            + hparams_event("session_start_info", session_start_info=start)
            + tensorboard_event(1, {"tag": "acc", "simple_value": 0.5})
            + tensorboard_event(2, {"tag": "acc", "simple_value": 0.75 + number / 8}, {"tag": "x", "simple_value": 1.0})
            + hparams_event("session_end_info", session_end_info={"status": 2 - number}),
        )
        append(
            session / "validation" / TENSORBOARD_NAME.format(1),
            tensorboard_version() + tensorboard_event(1, {"tag": "loss", "simple_value": 0.25}),
        )
    runs = open_runs(tmp_path)
    rows = {row["run"]: row for row in runs.lineage()}
    got = rows["session_1"]
    assert (got["lr"], got["opt"], got["amp"]) == (0.2, "adam", True)
    assert (got["metric/acc"], got["metric/validation/loss"]) == (0.875, 0.25)
    assert {id for id in got if id.startswith("metric/")} == {"metric/acc", "metric/validation/loss"}
    assert (got["fact/session_status"], rows["session_0"]["fact/session_status"]) == ("success", "failure")
    assert got["fact/session_group"] == "g"
    append(
        tmp_path / "session_1" / "validation" / TENSORBOARD_NAME.format(1),
        tensorboard_event(2, {"tag": "loss", "simple_value": 0.125}),
    )
    runs.refresh()
    assert {row["run"]: row for row in runs.lineage()}["session_1"]["metric/validation/loss"] == 0.125


def test_a_session_without_an_experiment_has_every_scalar_as_metric() -> None:
    rows = {row["run"]: row for row in open_runs(DATA / "tensorboard").lineage()}
    (row,) = [row for row in rows.values() if "opt" in row]
    assert (row["opt"], row["bs"], row["lr"]) == ("adam", 32.0, 0.1)
    assert {id for id in row if id.startswith("metric/")} == {"metric/acc", "metric/loss"}


def test_metrics_that_diverged_are_numbers(tmp_path: Path) -> None:
    run(tmp_path, "bare", evaluation('{"loss": NaN, "F1": [NaN, 1], "best": -Infinity, "name": "nan"}'))
    with SummaryRecord(tmp_path / "recorded") as record:
        record.add_value("eval_lineage", "", {"metric": to_json({"loss": np.nan, "F1": [np.nan, 1], "best": -np.inf})})
        record.record(1)
    columns = open_runs(tmp_path).lineage().columns
    for id, kind in {"loss": CellKind.FLOAT, "F1": CellKind.LIST, "best": CellKind.FLOAT}.items():
        column = columns[f"metric/{id}"]
        assert (column.kind, repr(column.cells[0])) == (kind, repr(column.cells[1]))
    assert columns["metric/name"].cells.tolist() == ["nan", None]
    assert open_runs(tmp_path).lineage().filter('metric["loss"] is nan').runs == ("bare", "recorded")


def test_a_collectors_fields_name_their_group_and_keep_their_types(tmp_path: Path) -> None:
    fields = {
        "env/parameter/seed": "67280421310721",
        "env/parameter/optimizer.weight_decay": 0.01,
        "env/parameter/optimizer.betas": "[0.9, 0.999]",
        "env/parameter/optimizer.nesterov": "true",
        "env/parameter/scheduler": "StepLR",
        "env/parameter/text": '{"a": 1',
        "env/model/parameters": "7000000000",
        "env/git_dirty": "false",
        "env/command_line": "[1]",
        "env/versions.numpy": "2.1",
        "env/parameter/": "no name",
        "env/odd/name": 1,
        "parameter/mine": 1,
    }
    run(tmp_path, "a", custom(**fields))
    (row,) = open_runs(tmp_path).lineage()
    of_run = {"run", *(f"fact/{name}" for name in ("state", "start", "duration", "host"))}
    found = {id: cell for id, cell in row.items() if id not in of_run}
    assert found == {
        "seed": 67280421310721,
        "optimizer.weight_decay": 0.01,
        "optimizer.betas": (0.9, 0.999),
        "optimizer.nesterov": True,
        "scheduler": "StepLR",
        "text": '{"a": 1',
        "model/parameters": 7_000_000_000,
        "fact/git_dirty": False,
        "fact/command_line": "[1]",
        "fact/versions.numpy": "2.1",
        "fact/parameter/": "no name",
        "fact/odd/name": 1,
        "custom/parameter/mine": 1,
    }
    assert type(row["optimizer.nesterov"]) is bool


def test_facts_of_a_run(tmp_path: Path) -> None:
    path = run(tmp_path, "a", custom(**{"env/host": "node-7", "env/git_commit": "abc", "env/torch": "2.13.0"}))
    append(path / MINDSPORE_NAME.format(1), version() + b"".join(scalars(s, {"loss": 1.0}) for s in (3, 10)))
    (path / MINDSPORE_NAME.format(1)).chmod(0o400)
    (path / LINEAGE_NAME.format(1)).chmod(0o400)
    other = tmp_path / "b"
    other.mkdir()
    append(other / "events.out.tfevents.17.my.host.name.123.0.v2", tensorboard_version())
    first, second = open_runs(tmp_path).lineage()
    facts = {id.removeprefix("fact/"): cell for id, cell in first.items() if id.startswith("fact/")}
    assert facts == {
        "state": "finished",
        "start": 1.0,
        "duration": 9.0,
        "last_step": 10,
        "host": "node-7",
        "git_commit": "abc",
        "torch": "2.13.0",
    }
    assert second["fact/host"] == "my.host.name"


def test_chosen_scalars(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.mkdir()
    values = [3.0, math.nan, 0.5, 0.5, 2.0, 4.0]
    records = [scalars(step, {"loss": value, "other": 1.0}) for step, value in enumerate(values)]
    append(path / MINDSPORE_NAME.format(1), version() + b"".join(records))
    row = open_runs(tmp_path).lineage(scalars=["lo*"], mean_of=2)[0]
    got = {id.removeprefix("scalar/loss:"): cell for id, cell in row.items() if id.startswith("scalar/")}
    assert got == {"last": 4.0, "min": 0.5, "min_step": 2, "max": 4.0, "max_step": 5, "mean": 3.0}
    assert math.isnan(open_runs(tmp_path).lineage(scalars=["loss"], mean_of=10)[0]["scalar/loss:mean"])


def test_a_curve_without_any_number_has_no_extremes(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    append(tmp_path / "a" / MINDSPORE_NAME.format(1), version() + scalars(1, {"loss": math.nan}))
    row = open_runs(tmp_path).lineage(scalars=["*"])[0]
    assert {id for id in row if id.startswith("scalar/")} == {"scalar/loss:last", "scalar/loss:mean"}


def test_changed_and_new_runs_appear(tmp_path: Path) -> None:
    for number in range(3):
        run(tmp_path, f"run_{number}", custom(x=number))
    runs = open_runs(tmp_path)
    before = runs.lineage()
    assert before.columns["custom/x"].cells.tolist() == [0, 1, 2]
    again = runs.lineage()
    assert again.table is before.table
    append(tmp_path / "run_1" / LINEAGE_NAME.format(1), custom(x=7))
    run(tmp_path, "run_10", custom(x=10))
    (tmp_path / "run_2" / "params.json").write_text('{"lr": 0.5}')
    runs.refresh()
    after = runs.lineage()
    assert after.runs == ("run_0", "run_1", "run_2", "run_10")
    assert after.columns["custom/x"].cells.tolist() == [0, 7, 2, 10]
    assert after.columns["lr"].cells.tolist() == [None, None, 0.5, None]
    assert before.columns["custom/x"].cells.tolist() == [0, 1, 2]


def test_a_chosen_column_and_slices(tmp_path: Path) -> None:
    for number in range(4):
        run(tmp_path, f"run_{number}", custom(x=number, y="t"))
    table = open_runs(tmp_path).lineage()
    got = table[1:3].choose("y", "custom/x")
    assert [dict(row) for row in got] == [{"custom/y": "t", "custom/x": 1}, {"custom/y": "t", "custom/x": 2}]
    assert got.to_arrow().column_names == ["custom/y", "custom/x"]
    assert np.isnan(table.columns["custom/y"].numbers).all()


def test_damaged_lineage_hides_nothing_else(tmp_path: Path) -> None:
    path = run(tmp_path, "a", custom(x=1), evaluation('{"a": ' + "[" * 200 + "1" + "]" * 200 + "}"))
    (path / "params.json").write_text('{"lr": 1}')
    row = open_runs(tmp_path).lineage()[0]
    assert (row["custom/x"], row["lr"]) == (1, 1)


def test_a_filter_selects_runs() -> None:
    table = open_runs(SWEEP).lineage()
    got = table.filter("optimizer in ['Adam', 'SGD'] and metric[\"Accuracy\"] > 0.5 and not learning_rate > 1")
    want = [
        run
        for run, row in expected_rows().items()
        if row["optimizer"] in ("Adam", "SGD") and row.get("metric/Accuracy", 0) > 0.5 and row["learning_rate"] <= 1
    ]
    assert 0 < len(want) < len(table)
    assert sorted(got.runs) == sorted(want)
    assert table.filter("run == 'run_06'").runs == ("run_06",)


def test_sorted_and_best_runs() -> None:
    table = open_runs(SWEEP).lineage()
    want = {run: row.get("metric/Accuracy") for run, row in expected_rows().items()}
    got = table.sort("-metric/Accuracy", "run")
    known = sorted((run for run in want if want[run] is not None), key=lambda run: (-want[run], run))
    assert list(got.runs) == known + sorted(run for run in want if want[run] is None)
    assert (table.best("Accuracy") or {})["run"] == known[0]
    assert (table.best("Accuracy", "min") or {})["metric/Accuracy"] == min(filter(None, want.values()))
    assert (table.best("loss") or {})["algorithm/loss"] == min(
        row["algorithm/loss"] for row in expected_rows().values()
    )
    assert table.best("optimizer") is None


def test_a_run_that_is_not_in_the_table() -> None:
    table = open_runs(SWEEP).lineage()
    with pytest.raises(RunNotFoundError, match="'nothing' is not in the table"):
        table.diff("nothing", "run_01")


def test_pipelines_of_real_runs_are_aligned() -> None:
    got = open_runs(DATA / "mindspore").lineage().pipelines()
    assert "custom_loop" not in got.marks  # it has no pipeline
    assert len(got.runs(0)) > 1
    sweep = {run: mark for run, mark in got.marks.items() if run.startswith("lineage_sweep/")}
    sizes = {run: row["batch_size"] for run, row in expected_rows().items()}
    marks = {size: {sweep[f"lineage_sweep/{run}"] for run in sizes if sizes[run] == size} for size in (16, 32, 64)}
    assert all(len(each) == 1 for each in marks.values())
    assert len(set.union(*marks.values())) == 3
    names = [{stage.name for stage in column.stages if stage} for column in got.alignment.columns]
    assert names[-1] == {"Batch"}
    assert names[0] == {"GeneratorDataset", "MnistDataset"}
    assert "batch_size" in got.alignment.columns[-1].differing
