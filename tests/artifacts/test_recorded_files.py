# SPDX-License-Identifier: Apache-2.0
"""The list of a run's files: any line may be there, none leads out of the run."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindscope.artifacts.recorded_files import (
    DIRECTORY,
    LIST_NAME,
    RecordedFile,
    line_of,
    open_recorded,
    recorded_files,
)

FILE = RecordedFile("a.pt", "files/a.pt", "checkpoint", 3, "00", 1.0)
ENTRY = json.loads(line_of(FILE))


def listed(run: Path, *lines: bytes) -> list[RecordedFile]:
    (run / DIRECTORY).mkdir(exist_ok=True)
    (run / DIRECTORY / LIST_NAME).write_bytes(b"\n".join(lines))
    return recorded_files(run)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    (tmp_path / DIRECTORY).mkdir()
    (tmp_path / DIRECTORY / "a.pt").write_bytes(b"abc")
    return tmp_path


def test_the_newest_line_of_a_path_counts(run: Path) -> None:
    newer = RecordedFile("a.pt", "files/a.pt", "checkpoint", 4, "11", 2.0, masked=1, is_cut=True)
    assert listed(run, line_of(FILE), line_of(newer)) == [newer]


@pytest.mark.parametrize("step", [None, 0, -1, 2**62])
def test_a_line_keeps_all_facts(run: Path, step: int | None) -> None:
    path = "files/x" if step is None else f"files/step_{step}/x"
    file = RecordedFile("x", path, "file", 0, "", 1.5, step, left_out="too_large")
    assert listed(run, line_of(file)) == [file]


@pytest.mark.parametrize("change", [
    {"path": "../secret"}, {"path": "/etc/passwd"}, {"path": "files/b.pt"},
    {"name": "../a.pt", "path": "files/../a.pt"},
    {"name": 3}, {"size": "3"}, {"size": True}, {"step": 1.5}, {"step": "1"}, {"sha256": None}, {"is_cut": 1},
    {"wall_time": "now"}, {"name": None}, {"name": LIST_NAME, "path": f"files/{LIST_NAME}"}, {"left_out": 1},
])  # fmt: skip
def test_lines_of_other_forms_are_skipped(run: Path, change: dict[str, Any]) -> None:
    assert listed(run, json.dumps(ENTRY | change).encode(), line_of(FILE)) == [FILE]


@given(st.binary(max_size=200))
def test_any_line_may_be_there(tmp_path_factory: pytest.TempPathFactory, line: bytes) -> None:
    run = tmp_path_factory.mktemp("run")
    (run / DIRECTORY).mkdir()
    (run / DIRECTORY / "a.pt").touch()
    assert FILE in listed(run, line, b"[" * 50_000, b"3", line_of(FILE))


def test_a_torn_line_costs_only_itself(run: Path) -> None:
    assert listed(run, line_of(FILE)[:20], line_of(FILE)) == [FILE]


def test_a_deleted_file_is_missing(run: Path) -> None:
    (run / DIRECTORY / "a.pt").unlink()
    assert [(file.left_out, file.size) for file in listed(run, line_of(FILE))] == [("missing", 0)]


def test_links_are_not_followed(run: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    (run / DIRECTORY / "a.pt").unlink()
    (run / DIRECTORY / "a.pt").symlink_to(tmp_path / "secret")
    assert [file.left_out for file in listed(run, line_of(FILE))] == ["missing"]
    with pytest.raises(OSError, match="symbolic"):
        open_recorded(run, FILE)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "x").write_text("secret")
    (run / DIRECTORY / "step_1").symlink_to(outside)
    with pytest.raises(OSError, match="irectory"):
        open_recorded(run, RecordedFile("x", "files/step_1/x", "file", 6, "", 1.0, 1))


def test_a_pipe_is_no_file(run: Path) -> None:
    (run / DIRECTORY / "a.pt").unlink()
    os.mkfifo(run / DIRECTORY / "a.pt")
    with pytest.raises(FileNotFoundError, match="regular"):
        open_recorded(run, FILE)


def test_a_list_that_is_no_file_lists_nothing(tmp_path: Path) -> None:
    assert recorded_files(tmp_path) == []
    (tmp_path / DIRECTORY).mkdir()
    os.mkfifo(tmp_path / DIRECTORY / LIST_NAME)
    assert recorded_files(tmp_path) == []
