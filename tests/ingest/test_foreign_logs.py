# SPDX-License-Identifier: Apache-2.0
"""Logs that are not read are named for what they are, and what is beside them is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from mindscope import open_runs
from mindscope.ingest import find_runs

EVENTS = "events.out.tfevents.5.host.1.0"


def place_files(base: Path, *names: str) -> None:
    for name in names:
        (base / name).parent.mkdir(parents=True, exist_ok=True)
        (base / name).touch()


@pytest.mark.parametrize(
    ("files", "place", "code"),
    [
        ([f"a/{EVENTS}.gz"], f"a/{EVENTS}.gz", "event_file_compressed"),
        (["a/events.summary.5.0.vm_MS.zst"], "a/events.summary.5.0.vm_MS.zst", "event_file_compressed"),
        (["a/.aim/meta/chunks/x", "a/.aim/seqs/y"], "a/.aim", "logs_of_aim"),
        (["a/mlflow.db"], "a", "logs_of_mlflow"),
        (["a/vdlrecords.1700000000.log"], "a", "logs_of_visualdl"),
    ],
)  # fmt: skip
def test_foreign_logs_are_named_once_with_a_remedy(tmp_path: Path, files: list[str], place: str, code: str) -> None:
    place_files(tmp_path, *files, f"a/{EVENTS}")
    found = find_runs(tmp_path)
    assert set(found.runs) == {"a"}
    (unread,) = found.unreadable
    assert (unread.path, unread.reason.code) == (str(tmp_path.resolve() / place), code)
    assert len(unread.reason.remedy) > 10
    assert open_runs(tmp_path).problems == (str(unread),)


def test_a_file_of_wandb_that_begins_with_other_bytes_is_named(tmp_path: Path) -> None:
    place_files(tmp_path, "copied/run-abc.wandb")
    (tmp_path / "copied" / "run-abc.wandb").write_bytes(b"no log")
    found = find_runs(tmp_path)
    assert not found.runs
    assert [each.reason.code for each in found.unreadable] == ["logs_of_wandb"]


def test_other_names_are_not_taken_for_foreign_logs(tmp_path: Path) -> None:
    place_files(tmp_path, "wandb/notes.txt", "run-1/x.txt", "mlruns.txt", "0/x", "meta/x", "a.gz", "vdlrecords.log")
    assert find_runs(tmp_path).unreadable == ()
