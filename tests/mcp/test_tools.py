# SPDX-License-Identifier: Apache-2.0
"""What tools answer about real runs equals what the Python API says."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mindscope.reading import json_cell, open_runs
from tests.reading.sql.sql_runs import ODD_RUN, ODD_TAG

from .agent import Agent
from .conftest import SWEEP


def number(value: Any) -> float:
    return {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}.get(value, value)


def test_runs_are_listed_and_the_rest_is_counted(sweep: Agent) -> None:
    whole = sweep("list_runs", limit=200)
    table = open_runs(SWEEP).lineage()
    assert [row["run"] for row in whole["runs"]] == list(table.runs)
    assert [row["state"] for row in whole["runs"]] == [row["fact/state"] for row in table]
    assert whole["summary"] == "12 runs."
    part = sweep("list_runs", limit=5)
    assert part["runs"] == whole["runs"][:5]
    assert part["summary"] == "5 of 12 runs; narrow with pattern or where, or raise limit."


def test_runs_are_searched_filtered_sorted_with_columns(sweep: Agent) -> None:
    table = open_runs(SWEEP).lineage(["loss/auto"])
    answer = sweep(
        "list_runs", where="learning_rate >= 0.01", sort="-learning_rate", columns=["learning_rate", "loss/auto"]
    )
    expected = table.filter("learning_rate >= 0.01").sort("-learning_rate")
    assert [row["run"] for row in answer["runs"]] == list(expected.runs)
    assert [row["values"] for row in answer["runs"]] == [
        {"learning_rate": json_cell(row["learning_rate"]), "loss/auto": json_cell(row["scalar/loss/auto:last"])}
        for row in expected
    ]
    by_loss = sweep("list_runs", sort="loss/auto", limit=12)["runs"]
    assert [row["run"] for row in by_loss] == list(table.sort("scalar/loss/auto:last").runs)
    assert [row["run"] for row in sweep("list_runs", pattern="_1?")["runs"]] == []
    assert [row["run"] for row in sweep("list_runs", pattern="*_1?")["runs"]] == ["run_10", "run_11", "run_12"]
    assert [row["run"] for row in sweep("list_runs", pattern="N_07")["runs"]] == ["run_07"]


def test_a_run_is_described(sweep: Agent) -> None:
    answer = sweep("describe_run", run="run_03")
    run = open_runs(SWEEP)["run_03"]
    assert answer["parameters"]["learning_rate"] == 0.1
    assert [(row["tag"], row["points"]) for row in answer["scalars"]] == [("loss/auto", len(run.scalars("loss/auto")))]
    assert answer["scalars"][0]["last"] == pytest.approx(float(run.scalars("loss/auto").value[-1]), rel=1e-7)
    assert answer["summary"] == "1 scalar tag."
    assert answer["other_tags"]["histogram"] == list(run.tags("histogram"))[:10]
    assert "problems" not in answer
    assert sweep("describe_run", run="run_03", tags="nothing")["summary"] == "0 of 1 scalar tag; tags selects others."


def test_a_whole_curve_has_each_point(odd: Agent, odd_base: Path) -> None:
    scalars = open_runs(odd_base)["first"].scalars("loss")
    (curve,) = odd("read_curves", runs=["first"], tags=["loss"], points=500)["curves"]
    assert curve["summary"] == "500 points."
    assert [step for step, _ in curve["points"]] == scalars.step.tolist()
    assert np.array([value for _, value in curve["points"]], np.float32).tolist() == scalars.value.tolist()
    assert "nan" not in curve
    assert "hidden" not in curve


def test_a_reduced_curve_keeps_ends_and_extremes(odd: Agent, odd_base: Path) -> None:
    scalars = open_runs(odd_base)["first"].scalars("loss")
    (curve,) = odd("read_curves", runs=["first"], tags=["loss"], points=40)["curves"]
    assert 20 <= len(curve["points"]) <= 40
    assert curve["summary"] == f"{len(curve['points'])} of 500 points; a narrower range of steps has more detail."
    points = [(step, np.float32(value)) for step, value in curve["points"]]
    assert set(points) <= set(zip(scalars.step.tolist(), scalars.value, strict=True))
    statistics = scalars.statistics()
    assert np.float32(curve["min"]["value"]) == np.float32(statistics.minimum)
    assert np.float32(curve["max"]["value"]) == np.float32(statistics.maximum)
    assert curve["first"] == {"step": 1, "value": 1.0}
    assert curve["last"] == {"step": 500, "value": 0.002}
    assert curve["mean"] == pytest.approx(statistics.mean, rel=1e-5)
    (part,) = odd("read_curves", runs=["first"], tags=["loss"], points=12, first_step=101, last_step=110)["curves"]
    assert [step for step, _ in part["points"]] == list(range(101, 111))


def test_numbers_that_are_none_are_named(odd: Agent) -> None:
    (curve,) = odd("read_curves", runs=[ODD_RUN], tags=[ODD_TAG])["curves"]
    assert [value for _, value in curve["points"]] == ["NaN", "Infinity", "-Infinity", 2.0, "NaN"]
    assert curve["nan"] == {"count": 2, "first_steps": [0, 4]}
    assert curve["positive_infinity"] == {"count": 1, "first_steps": [1]}
    assert curve["negative_infinity"] == {"count": 1, "first_steps": [2]}
    assert curve["min"] == curve["max"] == {"step": 3, "value": 2.0}


def test_replaced_points_are_counted(odd: Agent) -> None:
    (curve,) = odd("read_curves", runs=["restarted"], tags=["loss"])["curves"]
    assert len(curve["points"]) == 10
    assert curve["hidden"] == "Without 5 points that a restart replaced."


def test_patterns_and_formulas_name_curves(odd: Agent, odd_base: Path) -> None:
    answer = odd("read_curves", runs=["f*"], tags=["*"], points=12)
    assert [curve["tag"] for curve in answer["curves"]] == ["loss", "accuracy"]
    (curve,) = odd("read_curves", runs=["first"], tags=["loss - accuracy"], points=12)["curves"]
    expected = open_runs(odd_base)["first"].expression("loss - accuracy")
    assert curve["last"]["value"] == pytest.approx(float(expected.value[-1]))


def test_two_runs_are_compared(sweep: Agent) -> None:
    answer = sweep("compare_runs", runs=["run_01", "run_02"])
    table = open_runs(SWEEP).lineage(["loss/auto"])
    pairs = table.diff("run_01", "run_02")
    differing = {pair.key.id: [json_cell(pair.one), json_cell(pair.other)] for pair in pairs if pair.differs}
    assert {row["field"]: row["values"] for row in answer["differences"]} == differing
    assert answer["equal"] == [pair.key.id for pair in pairs if not pair.differs]
    assert answer["summary"] == f"{len(differing)} differing fields."


def test_the_best_runs_are_ranked(sweep: Agent) -> None:
    table = open_runs(SWEEP).lineage()
    answer = sweep("best_run", metric="Accuracy", top=3)
    best = table.best("Accuracy")
    assert best is not None
    assert answer["goal"] == "max"
    assert answer["runs"][0]["run"] == best["run"]
    assert answer["runs"][0]["value"] == best["metric/Accuracy"]
    assert [row["run"] for row in answer["runs"]] == list(table.sort("-Accuracy").runs[:3])
    assert "3 runs without a finite value." in answer["summary"]
    assert "Higher is better, by its name" in answer["summary"]
    lowest = sweep("best_run", metric="loss/auto", statistic="best", goal="min")
    assert lowest["column"] == "scalar/loss/auto:min"
    assert "by its name" not in lowest["summary"]
    assert lowest["runs"][0]["value"] == min(
        row["scalar/loss/auto:min"] for row in open_runs(SWEEP).lineage(["loss/auto"])
    )


def test_importance_is_that_of_the_table(sweep: Agent) -> None:
    answer = sweep("parameter_importance", metric="Accuracy")
    expected = open_runs(SWEEP).lineage().importance("Accuracy")
    assert [row["parameter"] for row in answer["parameters"]] == [each.key.id for each in expected.features]
    for row, each in zip(answer["parameters"], expected.features, strict=True):
        for name, estimate in each.measures.items():
            assert number(row["measures"][str(name)][0]) == pytest.approx(estimate.value, rel=5e-3, abs=1e-12)
    assert answer["summary"].startswith(f"{expected.sample_size} runs. {len(expected.features)} parameters.")


def test_a_query_has_the_rows_of_the_python_api(sweep: Agent) -> None:
    statement = "SELECT run, tag, last, best_step FROM metrics ORDER BY run"
    answer = sweep("query_sql", statement=statement)
    result = open_runs(SWEEP).sql(statement)
    assert [tuple(map(number, row)) for row in answer["rows"]] == result.rows()
    assert answer["columns"] == result.columns
    assert answer["summary"] == "12 rows, 4 columns."
    part = sweep("query_sql", statement=statement, limit=5)
    assert part["rows"] == answer["rows"][:5]
    assert part["summary"] == "5 rows (the limit; there are more), 4 columns."


def test_a_graph_is_searched(sweep: Agent) -> None:
    graph = list(open_runs(SWEEP)["run_01"].graphs().values())[-1]
    answer = sweep("search_graph", run="run_01", search="matmul", limit=3)
    nodes = graph.find("matmul")
    assert [row["name"] for row in answer["nodes"]] == [node.full_name or node.name for node in nodes[:3]]
    assert answer["summary"].startswith(f"3 of {len(nodes)} nodes;")
    assert f"The graph has {len(graph.nodes)} nodes" in answer["summary"]
    whole = sweep("search_graph", run="run_01")
    assert whole["types"]["MatMul"] == sum(node.op_type == "MatMul" for node in graph.operations)
    first = graph.find("matmul")[0]
    assert answer["nodes"][0]["inputs"] == [each.node.full_name or each.node.name for each in first.inputs]


def test_alerts_are_listed_by_rule_and_run(sweep: Agent) -> None:
    answer = sweep("list_alerts")
    assert [(row["run"], row["rule"], row["step"], row["value"]) for row in answer["alerts"]] == [
        ("run_12", "nan", 5, "Infinity")
    ]
    assert answer["summary"] == "1 alert. 12 runs checked."
    assert answer["by_rule"] == {"nan": 1}
    assert sweep("list_alerts", rule="spike")["alerts"] == []
    assert sweep("list_alerts", run="run_01") == {"summary": "0 alerts. 1 run checked.", "by_rule": {}, "alerts": []}


def test_a_bad_curve_without_debugging_data_is_named(sweep: Agent) -> None:
    answer = sweep("first_bad_number", run="run_12")
    assert answer["scalars"] == [{"tag": "loss/auto", "first": {"step": 5, "value": "Infinity"}}]
    assert "record it with mindscope.torch.Debugger" in answer["sentences"][0]
    assert answer["sentences"][1] == "loss/auto is Infinity first, at step 5."
    assert "operator" not in answer
    assert sweep("first_bad_number", run="run_01")["sentences"][1] == "No curve is NaN or infinite."
