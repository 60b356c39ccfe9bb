# SPDX-License-Identifier: Apache-2.0
"""A format is a row: one that is added is recognized, found, chosen and read, and its damage is worded."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from mindscope.artifacts.format import Format, Progress
from mindscope.artifacts.formats import Formats
from mindscope.artifacts.problems import Problems
from mindscope.debug.formats import FORMATS as DEBUG_FORMATS
from mindscope.errors import FormatError
from mindscope.profile.formats import FORMATS as PROFILE_FORMATS
from mindscope.profile.model.profile_data import ProfileFacts
from mindscope.profile.profile import Profile


def read_numbers(path: Path, on_progress: Progress) -> list[int]:
    on_progress(path.stat().st_size)
    return [int(line) for line in path.read_text().splitlines()]


NUMBERS = Format("numbers", "Numbers", lambda path: path.suffix == ".numbers" and path.is_file(), read_numbers)
RANKS = Format(
    "ranks", "Numbers of ranks", lambda path: path.name == "ranks",
    lambda path, on_progress: [], ranks=lambda path: sorted(int(each.stem) for each in path.glob("*.txt")),
    read_rank=lambda path, rank, on_progress: read_numbers(path / f"{rank}.txt", on_progress),
    holds=lambda path: path.suffix == ".numbers",
)  # fmt: skip
FORMATS: Formats[list[int]] = Formats(
    (NUMBERS, RANKS), 2, "{path} has no numbers: want one of {titles}", "{path} has {count}: {names}",
    of_rank="{path} has no rank {rank} but {names}",
)  # fmt: skip


def write(path: Path, text: str = "1\n2\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_the_only_artifact_of_a_directory_is_read_with_its_progress(tmp_path: Path) -> None:
    write(tmp_path / "a" / "b.numbers")
    sizes: list[int] = []
    assert FORMATS.read(tmp_path, sizes.append) == [1, 2]
    assert sizes == [4]
    write(tmp_path / "a" / "b" / "c" / "deep.numbers")
    assert FORMATS.read(tmp_path) == [1, 2], "directories are searched to the depth only"
    write(tmp_path / "other.txt")
    with pytest.raises(FormatError, match=r"other\.txt has no numbers: want one of Numbers, Numbers of ranks"):
        FORMATS.read(tmp_path / "other.txt")


def test_each_rank_of_a_directory_is_an_artifact_beside_what_the_directory_holds(tmp_path: Path) -> None:
    for name in ("0.txt", "1.txt", "inside.numbers"):
        write(tmp_path / "ranks" / name, f"{len(name)}\n")
    names = [str(each.key.relative_to(tmp_path)) for each in FORMATS.find(tmp_path)]
    assert names == ["ranks#rank0", "ranks#rank1", "ranks/inside.numbers"]
    assert FORMATS.read(tmp_path / "ranks#rank1") == FORMATS.read(tmp_path, rank=1) == [5]
    with pytest.raises(FormatError, match=r"has 3: ranks#rank0, ranks#rank1, ranks/inside\.numbers"):
        FORMATS.read(tmp_path)
    with pytest.raises(FormatError, match="has no rank 7 but ranks#rank0"):
        FORMATS.read(tmp_path, rank=7)


def test_damage_is_an_error_of_ours_and_of_many_files_a_problem(tmp_path: Path) -> None:
    path = write(tmp_path / "a.numbers", "x")
    with pytest.raises(FormatError, match=r"a\.numbers can't be read: ValueError: invalid literal"):
        FORMATS.read(path)
    problems = Problems()
    assert problems.read(path, lambda path: read_numbers(path, lambda read: None)) is None
    assert problems.read(tmp_path / "b.numbers", Path.read_bytes) is None
    assert [(file, reason.code) for file, reason in problems.items()] == [
        ("a.numbers", "profile_file_failed"), ("b.numbers", "profile_file_unreadable"),
    ]  # fmt: skip


def test_a_row_adds_a_format_to_profiles_and_to_debugging_data(tmp_path: Path) -> None:
    write(tmp_path / "a.numbers")
    made = Profile(ProfileFacts(name="a", path="a", format="numbers"), None, {})
    row = Format("numbers", "Numbers", NUMBERS.recognizes, lambda path, on_progress: made)
    assert replace(PROFILE_FORMATS, rows=(*PROFILE_FORMATS.rows, row)).read(tmp_path) is made
    with pytest.raises(FormatError, match=r"holds no debugging data: want one of .*TensorDump$"):
        DEBUG_FORMATS.read(tmp_path)
