# SPDX-License-Identifier: Apache-2.0
"""What a result of a query offers: rows, data frames, Arrow tables, files, texts."""

from __future__ import annotations

import csv
import io
import json
import math
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import pyarrow.parquet
import pytest

from mindscope.ingest import Catalog
from mindscope.reading import QueryResult, Runs

ALL = (
    "SELECT 1 AS whole, 0.5::DOUBLE AS half, 'nan'::DOUBLE AS nan, NULL AS missing, '<b>a\nb</b>' AS text, [1, 2] AS "
    "list, MAP {'a': 'x'} AS map, TIMESTAMP '2026-01-02 03:04:05' AS time, DATE '2026-01-02' AS day, "
    "1.25::DECIMAL(5, 2) AS price, sum(7::BIGINT) AS huge, TRUE AS yes, {'k': 1} AS struct, '\\xAB'::BLOB AS bytes"
)


@pytest.fixture
def result(tmp_path: Path) -> QueryResult:
    return Runs(Catalog(tmp_path)).sql(ALL)


def test_rows_are_python_objects(result: QueryResult) -> None:
    row = result[0]
    assert row == next(iter(result)) or math.isnan(row["nan"])
    assert row["whole"] == 1
    assert row["map"] == {"a": "x"}
    assert row["time"] == datetime(2026, 1, 2, 3, 4, 5)
    assert row["day"] == date(2026, 1, 2)
    assert row["price"] == Decimal("1.25")
    assert row["huge"] == 7
    assert row["bytes"] == b"\xab"
    assert len(result.rows()) == len(result) == 1
    with pytest.raises(IndexError):
        result[1]


def test_files_hold_the_rows(result: QueryResult, tmp_path: Path) -> None:
    header, cells = csv.reader(io.StringIO("".join(result.csv_lines())))
    read = dict(zip(header, cells, strict=True))
    assert header == list(result.columns)
    assert (read["whole"], read["half"], read["nan"], read["missing"]) == ("1", "0.5", "NaN", "")
    assert json.loads(read["map"]) == {"a": "x"}
    assert read["time"] == "2026-01-02 03:04:05"
    result.write_json(text := io.StringIO())
    parsed = json.loads(text.getvalue())
    assert parsed[0]["nan"] == "NaN"
    assert parsed[0]["list"] == [1, 2]
    assert parsed[0]["missing"] is None
    result.write_parquet(tmp_path / "a.parquet")
    assert pyarrow.parquet.read_table(tmp_path / "a.parquet").num_rows == 1


def test_data_frames_and_tables(result: QueryResult) -> None:
    frame = result.to_pandas()
    assert frame["half"].tolist() == [0.5]
    assert result.to_arrow().column_names == list(result.columns)
    assert result.to_table().row(0)["whole"] == 1


def test_texts_show_rows_and_escape_them(result: QueryResult) -> None:
    assert "1 row, 14 columns" in repr(result)
    assert "<b>a b</b>" in repr(result)
    html = result._repr_html_()
    assert "&lt;b&gt;a b&lt;/b&gt;" in html
    assert "<b>" not in html


def test_names_that_repeat_are_told_apart(tmp_path: Path) -> None:
    result = Runs(Catalog(tmp_path)).sql("SELECT 1 AS a, 2 AS a, 3 AS a_1, 4 AS b")
    assert list(result.columns) == ["a", "a_2", "a_1", "b"]
    assert list(result[0].values()) == [1, 2, 3, 4]


def test_a_slice_is_a_result(tmp_path: Path) -> None:
    result = Runs(Catalog(tmp_path)).sql("FROM range(100) t(x)")
    assert [row["x"] for row in result[10:13]] == [10, 11, 12]
    assert [row["x"] for row in result[::-50]] == [99, 49]
    assert result[-1] == {"x": 99}
    assert repr(result).endswith("...")
