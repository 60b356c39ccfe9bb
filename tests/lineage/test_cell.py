# SPDX-License-Identifier: Apache-2.0
"""Values keep their types, and nested settings become dotted names."""

from __future__ import annotations

import math
from enum import Enum, IntEnum

import numpy as np
import pytest

from mindscope.lineage.cell import CellKind, as_cell, flatten
from mindscope.lineage.column import Column, ColumnKey, Group
from mindscope.table.cells import as_number, cell_text


class Size(IntEnum):
    SMALL = 3


class Mode(str, Enum):
    FAST = "fast"


@pytest.mark.parametrize(
    ("value", "want"),
    [
        (True, True),
        (3, 3),
        (3.0, 3.0),
        ("3", "3"),
        (None, None),
        (np.float32(0.5), 0.5),
        (np.int64(7), 7),
        (np.bool_(False), False),
        (Size.SMALL, 3),
        (Mode.FAST, "fast"),
        ([1, [2.5, "x"], None], (1, (2.5, "x"), None)),
        ([{"a": 1}, 2], ('{"a": 1}', 2)),
        (1 << 80, 1 << 80),
    ],
)
def test_a_value_keeps_its_type(value: object, want: object) -> None:
    got = as_cell(value)
    assert (type(got), got) == (type(want), want)


def test_nested_settings_become_dotted_names() -> None:
    settings = {
        "lr": 1e-3,
        "model": {"depth": 3, "head": {"bias": False}},
        "layers": [{"units": 4}, {"units": 8}],
        "betas": [0.9, 0.999],
        "empty": [],
        "nothing": None,
        "group": {},
        7: "seven",
    }
    assert dict(flatten(settings)) == {
        "lr": 1e-3,
        "model.depth": 3,
        "model.head.bias": False,
        "layers.0.units": 4,
        "layers.1.units": 8,
        "betas": (0.9, 0.999),
        "empty": (),
        "7": "seven",
    }


def column(*cells: object) -> Column:
    return Column(ColumnKey(Group.PARAMETER, "x"), cells, len(cells))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        ((1, 2, None), CellKind.INT),
        ((1, 2.5), CellKind.FLOAT),
        ((True, False), CellKind.BOOL),
        (("a",), CellKind.TEXT),
        (((1, 2),), CellKind.LIST),
        ((True, 1), CellKind.MIXED),
        (("a", 1), CellKind.MIXED),
        ((None, None), CellKind.EMPTY),
    ],
)
def test_a_column_says_its_kind(cells: tuple[object, ...], kind: CellKind) -> None:
    assert column(*cells).kind is kind


def test_a_column_says_how_many_runs_have_it_and_its_range() -> None:
    got = column(3, None, math.nan, math.inf, -2.5, None)
    assert (got.count, got.range, got.differs) == (4, (-2.5, 3.0), True)
    assert got.is_missing.tolist() == [False, True, False, False, False, True]
    assert column(math.nan, math.inf).range is None


def test_what_is_missing_is_no_zero_and_differs_from_it() -> None:
    assert np.isnan(column(None, 0).numbers).tolist() == [True, False]
    assert column(None, 0).differs
    assert not column(0, 0).differs
    assert not column(math.nan, math.nan).differs
    assert column(1, 1.0).differs
    assert column(1, True).differs


def test_rows_of_lists_of_one_length_stay_lists() -> None:
    got = column((1, 2), (3, 4))
    assert (got.cells.shape, got.cells[1]) == ((2,), (3, 4))


def test_numbers_too_large_for_float64() -> None:
    assert (as_number(10**400), as_number(-(10**400))) == (math.inf, -math.inf)
    assert column(2**53 - 1).is_exact
    assert not column(2**53 + 1).is_exact
    assert column(1e300).is_exact


def test_ids_are_unique_whatever_a_parameter_is_called() -> None:
    keys = [
        ColumnKey(Group.METRIC, "Accuracy"),
        ColumnKey(Group.PARAMETER, "metric/Accuracy"),
        ColumnKey(Group.PARAMETER, "Accuracy"),
        ColumnKey(Group.PARAMETER, "run"),
        ColumnKey(Group.FACT, "run"),
        ColumnKey(Group.CUSTOM, "run"),
    ]
    ids = [key.id for key in keys]
    assert ids == ["metric/Accuracy", "parameter/metric/Accuracy", "Accuracy", "parameter/run", "run", "custom/run"]


def test_cells_as_text() -> None:
    assert [cell_text(each) for each in ("a", 1.5, True, (1, "b"), math.nan)] == [
        "a", "1.5", "true", '[1, "b"]', "NaN",
    ]  # fmt: skip
