# SPDX-License-Identifier: Apache-2.0
"""Columns of the table of parameters: order, and what differs."""

from __future__ import annotations

from mindscope.analysis.parameter_table import ParameterColumn, ParameterRow, parameter_columns

ROWS: dict[str, ParameterRow] = {
    "a": {("custom", "note"): "x", ("parameter", "lr"): 0.1, ("parameter", "epochs"): 3.0, ("metric", "acc"): 0.5},
    "b": {("parameter", "lr"): 0.2, ("parameter", "epochs"): 3.0, ("metric", "acc"): 0.5, ("parameter", "seed"): 1.0},
}


def test_columns_that_differ_come_first_then_roles_then_counts():
    assert parameter_columns(ROWS) == [
        ParameterColumn("parameter", "lr", True),
        ParameterColumn("parameter", "seed", True),
        ParameterColumn("custom", "note", True),
        ParameterColumn("parameter", "epochs", False),
        ParameterColumn("metric", "acc", False),
    ]


def test_columns_may_be_those_that_differ_only():
    assert [column.name for column in parameter_columns(ROWS, only_differing=True)] == ["lr", "seed", "note"]
    assert parameter_columns({}) == []
