# SPDX-License-Identifier: Apache-2.0
"""Damaged logs, copied without their damage."""

from __future__ import annotations

from pathlib import Path

import pytest

from mindscope.errors import ExportError, RunNotFoundError
from mindscope.formats.frames import frame
from mindscope.reading import open_run, open_runs, repair_runs
from mindscope.types import Kind
from tests.event_log import LINEAGE_NAME, MINDSPORE_NAME, append, event, lineage, scalar_points, steps, version

NAME = MINDSPORE_NAME.format(1)
PICTURE = event(7, {"tag": "p", "image": {"height": 1, "width": 1, "colorspace": 3, "encoded_image": bytes(9_000_000)}})


def write_damaged(run: Path) -> None:
    """A flipped bit, a torn record, a record of 9 MB, and half a record at the end; beside it an intact file."""
    run.mkdir(parents=True)
    flipped = bytearray(steps([3]))
    flipped[20] ^= 1
    torn = frame(bytes(50_000))[:4000]
    append(run / NAME, version() + steps([1, 2]) + flipped + steps([4]) + torn)
    append(run / NAME, steps([5, 6]) + PICTURE + steps([8])[:-3])
    append(run / LINEAGE_NAME.format(1), lineage({"evaluation_lineage": {"metric": '{"acc": 0.5}'}}))


def test_every_intact_record_is_in_a_whole_file(tmp_path: Path) -> None:
    write_damaged(tmp_path / "logs" / "a" / "run")
    (tmp_path / "logs" / "fine").mkdir()
    append(tmp_path / "logs" / "fine" / NAME, version() + steps([1]))
    before = {path: path.read_bytes() for path in (tmp_path / "logs").rglob("events*")}
    (tmp_path / "logs" / "a" / "run" / NAME).chmod(0o400)

    report = repair_runs(tmp_path / "logs", tmp_path / "out")

    assert {path: path.read_bytes() for path in before} == before
    assert [file.target.relative_to(tmp_path / "out").as_posix() for file in report.files] == [
        f"a/run/{NAME}", f"a/run/{LINEAGE_NAME.format(1)}"
    ]  # fmt: skip
    damaged, intact = report.files
    assert (damaged.records, len(damaged.damages)) == (7, 2)
    assert damaged.lost_bytes == len(steps([3])) + 4000 + len(steps([8])) - 3
    assert (intact.lost_bytes, intact.target.read_bytes()) == (0, intact.source.read_bytes())
    assert damaged.target.read_bytes() == version() + steps([1, 2]) + steps([4]) + steps([5, 6]) + PICTURE
    assert damaged.target.stat().st_mode & 0o7777 == 0o400
    assert damaged.target.stat().st_mtime_ns == damaged.source.stat().st_mtime_ns
    run = open_runs(tmp_path / "out")["a/run"]
    assert run.damages == ()
    assert scalar_points(run.store) == scalar_points(open_run(tmp_path / "logs" / "a" / "run").store)
    assert run.tags(Kind.IMAGE) == ("p",)
    assert run.lineage.row()["metric/acc"] == 0.5
    assert repair_runs(tmp_path / "out", tmp_path / "again").files == ()
    assert not (tmp_path / "again").exists()


def test_nothing_is_replaced_and_nothing_is_written_before_that_is_known(tmp_path: Path) -> None:
    write_damaged(tmp_path / "run")
    taken = tmp_path / "out" / LINEAGE_NAME.format(1)
    append_to = taken.parent
    append_to.mkdir()
    taken.write_text("mine")
    with pytest.raises(ExportError, match="exist already"):
        repair_runs(tmp_path / "run", tmp_path / "out")
    assert taken.read_text() == "mine"
    assert [path.name for path in append_to.iterdir()] == [taken.name]


@pytest.mark.parametrize("out", [".", "run", "run/out"])
def test_a_target_among_the_logs_is_refused(tmp_path: Path, out: str) -> None:
    write_damaged(tmp_path / "run")
    base = tmp_path if out == "." else tmp_path / "run"
    with pytest.raises(ExportError, match="choose a directory outside"):
        repair_runs(base, tmp_path / out)


def test_a_directory_without_runs_is_named(tmp_path: Path) -> None:
    with pytest.raises(RunNotFoundError, match="holds no run: looked for"):
        repair_runs(tmp_path, tmp_path.parent / "out")
    with pytest.raises(RunNotFoundError, match="does not exist"):
        repair_runs(tmp_path / "nowhere", tmp_path / "out")
