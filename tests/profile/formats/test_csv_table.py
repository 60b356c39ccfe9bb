# SPDX-License-Identifier: Apache-2.0
"""Tables in text files: what is too long or too much is left out and counted, all else is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from mindscope.artifacts.problems import Problems
from mindscope.errors import FormatError
from mindscope.profile.formats.csv_table import CsvTable, read_csv, read_lines
from mindscope.profile.formats.json_file import read_object
from mindscope.profile.open import read_profile
from tests.profile.made_profiles import ascend_output

TOO_LONG = 33 << 20


@pytest.mark.parametrize("quote", ["", '"'])
def test_a_line_that_is_too_long_costs_only_itself(tmp_path: Path, quote: str) -> None:
    file = tmp_path / "a.csv"
    with file.open("w") as out:
        out.write("Name,Duration\na,1\n" + f"{quote}" + "x" * TOO_LONG + f"{quote},2\nb,3\n")
    table = read_csv(file)
    assert (table.cells("Name"), table.cells("Duration"), table.skipped) == (["a", "b"], ["1", "3"], 1)


def test_a_quote_that_never_ends_keeps_the_rows_before_it(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text('Name,Duration\na,1\n"' + "x,2\n" * (TOO_LONG // 4))
    table = read_csv(file)
    assert (table.cells("Name") or [])[:1] == ["a"]
    assert table.skipped >= 1


def test_rows_beyond_the_memory_of_a_table_are_left_out_and_counted() -> None:
    rows = [[f"name {number % 10}", str(number)] for number in range(1000)]
    table = CsvTable(["Name", "Time"], rows, most_bytes=40_000)
    assert 400 < len(table) < 700
    assert table.left_out == 1000 - len(table)
    assert table.cells("Time") == [str(number) for number in range(len(table))]
    problems = Problems()
    table.note_gaps(problems, Path("a.csv"))
    assert problems.keys() == {"a.csv"}
    assert f"first {len(table)} fit" in problems["a.csv"]
    assert CsvTable(["Name", "Time"], rows).left_out == 0


def test_equal_cells_of_a_column_are_one_text() -> None:
    table = CsvTable(["Name"], [["ab" + str(number % 2) + " "] for number in range(10)])
    cells = table.cells("Name")
    assert cells is not None
    assert len({id(cell) for cell in cells}) == 2


def test_a_profile_with_such_a_line_says_it(tmp_path: Path) -> None:
    root = ascend_output(tmp_path)
    (file,) = root.rglob("kernel_details.csv")
    before = len(read_profile(root).kernels)
    with file.open("a") as out:
        out.write("y" * TOO_LONG + "\n")
    profile = read_profile(root)
    assert len(profile.kernels) == before
    assert profile.facts.properties["problems"]["kernel_details.csv"].code == "profile_rows_skipped"


@pytest.mark.parametrize("read", [read_lines, read_object])
def test_a_file_that_is_read_whole_has_a_limit(tmp_path: Path, read: object) -> None:
    file = tmp_path / "a.json"
    with file.open("wb") as out:
        out.truncate(200 << 20)  # sparse
    assert callable(read)
    with pytest.raises(FormatError, match=r"The file has 209715200 bytes, and at most \d+ can be read whole"):
        read(file)
