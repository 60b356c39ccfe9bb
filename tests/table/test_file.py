# SPDX-License-Identifier: Apache-2.0
"""Lines of tables as CSV and as workbooks."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindscope.table.columns import TextColumn
from mindscope.table.file import csv_text, lines_of, text_cell, xlsx_bytes
from mindscope.table.schema import EQUAL, SUM, TEXT, ColumnField, Unit

NUMBER, VALUE = ColumnField(Unit.NUMBER, EQUAL), ColumnField(Unit.VALUE, EQUAL)


def lines(columns: dict[str, Any], schema: dict[str, ColumnField], rows: Any = None) -> list[list[Any]]:
    return [list(line) for line in lines_of(columns, schema, rows)]


def test_times_are_milliseconds_and_what_was_not_recorded_is_missing() -> None:
    columns = {"time": np.array([5000, 1]), "rate": np.array([math.nan, math.inf]), "loss": np.array([math.nan, 1.0])}
    schema = {"time": ColumnField(Unit.NS, SUM), "rate": NUMBER, "loss": VALUE}
    header, first, second = lines(columns, schema)
    assert header == ["time_ms", "rate", "loss"]
    assert first[:2] == [0.005, None]
    assert math.isnan(first[2])
    assert second == [1e-6, math.inf, 1.0]


def test_numbers_of_32_bits_have_no_more_digits_than_needed() -> None:
    values = np.array([0.1, 1e-45, 3.4e38, 1 / 3], np.float32)
    column = [line[0] for line in lines({"value": values}, {"value": VALUE})[1:]]
    assert column[:2] == [0.1, 1e-45]
    np.testing.assert_array_equal(np.array(column, np.float32), values)


def test_chosen_rows_are_in_their_order() -> None:
    columns = {"name": TextColumn.of("abc"), "step": TextColumn.of(["7", "", "9"])}
    schema = {"name": TEXT, "step": ColumnField(Unit.STEP, EQUAL)}
    assert lines(columns, schema, np.array([2, 1])) == [["name", "step"], ["c", 9], ["b", -1]]


TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\0"))
CELL = st.integers() | st.floats(allow_nan=False) | TEXTS


def read(cells: Iterable[list[Any]]) -> list[list[str]]:
    return list(csv.reader(io.StringIO("".join(csv_text(cells)), newline="")))


@given(st.lists(st.lists(CELL, min_size=2, max_size=2), max_size=6))
def test_cells_come_back_and_no_text_is_a_formula(table: list[list[Any]]) -> None:
    got = read(table)
    for line, want in zip(got, table, strict=True):
        for text, cell in zip(line, want, strict=True):
            if isinstance(cell, str):
                assert text == text_cell(cell)
                assert text[:1] not in tuple("=+-@\t\n＝＋－＠")
            else:
                assert type(cell)(text) == cell


def test_other_cells_are_written_as_json_has_them() -> None:
    assert read([[math.nan, -math.inf, True, ("a", 1.5), None]]) == [["NaN", "-Infinity", "true", '["a", 1.5]', ""]]


def test_cells_of_several_types_below_each_other_are_written_one_by_one() -> None:
    lines = [["=a", 1], [2.5, None], [], ["b"], [math.inf, "+1"], *[[row, -row / 4] for row in range(600)]]
    got = list(csv.reader("".join(csv_text(lines)).splitlines()))
    assert got[:5] == [["'=a", "1"], ["2.5", ""], [], ["b"], ["Infinity", "'+1"]]
    assert got[5:] == [[str(row), repr(-row / 4)] for row in range(600)]


def test_a_large_file_comes_in_pieces() -> None:
    pieces = list(csv_text([f"row {row}", row] for row in range(20_000)))
    assert len(pieces) > 2
    assert max(map(len, pieces)) < 70_000
    assert "".join(pieces).count("\n") == 20_000


def test_a_workbook_has_no_formula_and_no_cell_for_what_is_missing() -> None:
    pytest.importorskip("xlsxwriter")
    book = xlsx_bytes([["name", "rate"], ["=1+2", 1.5], ["b", None], ["c", math.inf]])
    with ZipFile(io.BytesIO(book)) as archive:
        sheet = archive.read("xl/worksheets/sheet1.xml").decode()
        texts = archive.read("xl/sharedStrings.xml").decode()
    assert "<f>" not in sheet
    assert "<v>1.5</v>" in sheet
    assert "=1+2" in texts
    assert "Infinity" in texts
    assert 'r="B3"' not in sheet


def test_csv_of_scalars(tmp_path: Path) -> None:
    from mindscope.reading.scalars import Scalars

    scalars = Scalars("loss", np.array([1, 2]), np.array([1e9, 1e9 + 0.5]), np.array([0.1, math.nan], np.float32))
    scalars.to_csv(tmp_path / "loss.csv")
    assert (tmp_path / "loss.csv").read_text() == "step,wall_time,value\n1,1000000000.0,0.1\n2,1000000000.5,NaN\n"
    assert scalars.select(scalars.step > 1).tag == "loss"
