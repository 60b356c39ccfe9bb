# SPDX-License-Identifier: Apache-2.0
"""``statistic.csv`` of each version: what its columns say, and what they do not."""

from __future__ import annotations

import math
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from mindscope.debug.formats.mindspore_dump import statistic_file as statistic_file_module
from mindscope.debug.formats.mindspore_dump.statistic_file import StatisticRow, read_statistics
from mindscope.debug.formats.problems import debug_problems
from mindscope.debug.model.fields import COLUMN, Field
from mindscope.debug.open import read_debug_data
from tests.debug.formats.made_dumps import COUNTS, FIXED, TIME, npy_name, numbers, row, save, statistics


def read(path: Path, columns: str, *lines: str) -> tuple[list[StatisticRow], list[str]]:
    problems = debug_problems()
    found = list(read_statistics(statistics(path, columns, *lines), problems))
    return found, [each.code for each in problems.values()]


def fields(found: StatisticRow) -> dict[str, float]:
    """What is known."""
    return {
        str(field): float(found.values[place]) for field, place in COLUMN.items() if not math.isnan(found.values[place])
    }


def test_columns_of_the_first_version(tmp_path: Path) -> None:
    (found,), problems = read(tmp_path, f"Max Value,Min Value,Avg Value,{COUNTS}", row("4.0,-2.5,0.5,6,2,1,1,0,1,1"))
    assert fields(found) == {
        "count": 6, "nan": 1, "positive_inf": 1, "negative_inf": 0, "zero": 1, "below_zero": 2, "above_zero": 1,
        "min": -2.5, "max": 4, "sum": 2,
    }  # fmt: skip
    assert (found.name.shape, found.name.dtype, problems) == ((2, 3), "float32", [])


def test_null_is_no_number(tmp_path: Path) -> None:
    (found,), _ = read(tmp_path, f"Max Value,Min Value,Avg Value,{COUNTS}", row("null,null,null,6,0,0,6,0,0,0"))
    assert fields(found) == {
        "count": 6, "nan": 6, "positive_inf": 0, "negative_inf": 0, "zero": 0, "below_zero": 0, "above_zero": 0
    }  # fmt: skip


def test_wrong_averages_of_the_version_between_are_left_out(tmp_path: Path) -> None:
    columns = f"Max Value,Min Value,Avg Value,{COUNTS},L2 Value,MD5"
    (small, large), _ = read(
        tmp_path, columns,
        row("4,-2,0.5,6,2,3,0,0,0,1,6,00ff00ff00ff00ff1122334455667788"),
        row("4,-2,0.5,10001,5000,5000,0,0,0,1,50,", slot=1),
    )  # fmt: skip
    assert (fields(small)["sum"], fields(small)["sum_squares"]) == (3, 36)
    assert small.digest == 0x00FF00FF00FF00FF
    assert "sum" not in fields(large)
    assert fields(large)["sum_squares"] == 2500


def test_default_columns_of_later_versions_say_whether_all_is_finite(tmp_path: Path) -> None:
    (whole, nan, infinite), _ = read(
        tmp_path, "Max Value,Min Value,L2Norm Value",
        row("4,-2,3"), row("nan,nan,nan", slot=1), row("inf,-2,inf", slot=2),
    )  # fmt: skip
    assert fields(whole) == {
        "count": 6, "nan": 0, "positive_inf": 0, "negative_inf": 0, "min": -2, "max": 4, "sum_squares": 9
    }  # fmt: skip
    assert fields(nan) == {"count": 6, "nan": 1}  # at least one
    assert fields(infinite) == {"count": 6, "nan": 0, "positive_inf": 1, "negative_inf": 0, "min": -2}


def test_infinities_are_taken_out_of_later_counts(tmp_path: Path) -> None:
    columns = "Count,Negative Zero Count,Positive Zero Count,Nan Count,Negative Inf Count,Positive Inf Count,Zero Count"
    (found,), _ = read(tmp_path, columns, row("6,2,3,0,1,2,1"))
    assert fields(found) == {
        "count": 6, "below_zero": 1, "above_zero": 1, "nan": 0, "negative_inf": 1, "positive_inf": 2, "zero": 1
    }  # fmt: skip
    (alone,), _ = read(tmp_path, "NEGATIVE ZERO COUNT", row("2"))
    assert fields(alone) == {"count": 6}


def test_rows_of_the_device_end_in_a_comma(tmp_path: Path) -> None:
    columns = "Max Value,Min Value,Avg Value,L2Norm Value,Count"
    (found,), problems = read(tmp_path, columns, row("4,-2,0.5,6,6,"))
    assert (fields(found)["sum"], fields(found)["sum_squares"], problems) == (3, 36, [])


def test_truth_counts_as_one(tmp_path: Path) -> None:
    (found,), _ = read(tmp_path, "Max Value,Min Value", row("True,False"))
    assert (fields(found)["max"], fields(found)["min"]) == (1, 0)


def test_damaged_rows_are_counted(tmp_path: Path) -> None:
    found, problems = read(
        tmp_path, "Max Value", "Conv2D,cut", row("1"), row("2", io="sideways"), row("3", slot=1), "\0,\0", ""
    )
    assert [fields(each)["max"] for each in found if "max" in fields(each)] == [1, 3]
    assert problems == ["debug_rows_skipped"]
    empty, problems = read(tmp_path / "other", "")
    assert (empty, problems) == ([], [])
    (tmp_path / "other" / "statistic.csv").write_text("a,b\n1,2\n")
    noted = debug_problems()
    assert list(read_statistics(tmp_path / "other" / "statistic.csv", noted)) == []
    assert [each.code for each in noted.values()] == ["debug_columns_missing"]


@pytest.mark.parametrize("header", [FIXED, FIXED.upper(), FIXED.lower()])
def test_a_dump_of_statistics_only(tmp_path: Path, header: str) -> None:
    path = tmp_path / "rank_0" / "Net" / "0" / "4"
    path.mkdir(parents=True)
    name = "Default/network-WithLossCell/_backbone-Net/conv1-Conv2d/Conv2D-op1"
    lines = [
        f"{header},Max Value,Min Value",
        row("4,-2", name),
        row("5,-2", name, time=TIME + 9),
        row("1,0", io="input"),
    ]
    (path / "statistic.csv").write_text("\n".join(lines))
    source = read_debug_data(tmp_path)
    found = source.at(4, 0)
    largest: dict[str, float] = {
        source.tensors[place].name: value
        for place, value in zip(found.tensor.tolist(), found.column(Field.MAX), strict=True)
    }
    assert largest == {name: 5, "Conv2D-op1": 1}
    assert source.array(4, 0, 0) is None
    assert {each.module for each in source.tensors} == {"conv1", ""}


def test_whole_tensors_beside_statistics_are_exact_unless_they_are_samples(tmp_path: Path) -> None:
    path = tmp_path / "rank_0" / "Net" / "0" / "0"
    statistics(path, "Max Value,Min Value", row("99,-99"), row("99,-99", "ReLU-op2"))
    save(path, npy_name("Conv2D", "Conv2D-op1", TIME), numbers(0))
    save(path, npy_name("ReLU", "ReLU-op2", TIME), np.array([1, 2], np.float32))
    source = read_debug_data(tmp_path)
    found = source.at(0, 0)
    types = [source.tensors[place].type for place in found.tensor.tolist()]
    assert dict(zip(types, found.column(Field.MAX), strict=True)) == {"Conv2D": 5, "ReLU": 99}


def test_odd_cells_cost_only_themselves_or_their_row(tmp_path: Path) -> None:
    columns = f"Max Value,Min Value,Avg Value,{COUNTS}"
    large = row("1,0,0.5,6,0,6,0,0,0,0").replace("(2,3)", f"({'9' * 400},)")
    long = row("1,0,0.5,6,0,6,0,0,0,0", name="x" * 100_000)
    (found,), problems = read(tmp_path, columns, row("1,0,0.5,1e400,-1,6,inf,0,0,0"), large, long)
    assert fields(found) == {"count": 6, "above_zero": 6, "positive_inf": 0, "negative_inf": 0, "zero": 0, "min": 0,
                             "max": 1}  # fmt: skip
    assert problems == ["debug_rows_skipped"]


def test_a_file_that_begins_with_a_byte_order_mark(tmp_path: Path) -> None:
    path = statistics(tmp_path, COUNTS, row("6,0,6,0,0,0,0"))
    path.write_text(path.read_text(), encoding="utf-8-sig")
    (found,) = read_statistics(path, debug_problems())
    assert fields(found)["count"] == 6


def test_a_line_of_any_length_takes_little_memory(tmp_path: Path) -> None:
    long = "x" * (64 << 20)
    tracemalloc.start()
    path = statistics(tmp_path, "Max Value", row("1"), long, row("2"), f'"{long}', row("3"))
    tracemalloc.reset_peak()
    before, _ = tracemalloc.get_traced_memory()
    problems = debug_problems()
    found = list(read_statistics(path, problems))
    peak = tracemalloc.get_traced_memory()[1] - before
    tracemalloc.stop()
    assert [fields(each)["max"] for each in found] == [1, 2, 3]
    assert [str(each) for each in problems.values()] == ["2 rows of statistic.csv can’t be read."]
    assert peak < 16 << 20


def test_rows_beyond_the_limit_are_left_out_and_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statistic_file_module, "MOST_ROWS", 3)
    noted = debug_problems()
    file = statistics(tmp_path, "Max Value", *(row("1.5", slot=slot) for slot in range(5)))
    assert [each.name.slot for each in read_statistics(file, noted)] == [0, 1, 2]
    assert [(each.code, each.values) for each in noted.values()] == [
        ("debug_entries_left", {"file": "statistic.csv", "most": 3})
    ]
