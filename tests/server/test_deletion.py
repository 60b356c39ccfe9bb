# SPDX-License-Identifier: Apache-2.0
"""Deleting runs: only when allowed, only what was confirmed, only event files, never through a link."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from .live_viewer import GrowingLog, LiveViewer, eventually, running_viewer
from .test_live import listening


def quiet_log(directory: Path) -> Path:
    """A log that nobody has written to for an hour."""
    log = GrowingLog(directory)
    log.scalar(1, 0.5)
    os.utime(log.path, (1.7e9, 1.7e9))
    return log.path


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    for name in ("a", "deep/b", "c"):
        quiet_log(tmp_path / "logs" / name)
    return tmp_path / "logs"


@pytest.fixture
def allowed(logs: Path, tmp_path: Path) -> Iterator[LiveViewer]:
    with running_viewer(logs, tmp_path, "--allow-delete") as viewer:
        eventually(lambda: len(viewer.runs()) == 3)
        yield viewer


def plan(viewer: LiveViewer, run: str) -> dict[str, Any]:
    return viewer.http.get("/api/runs/deletion", params={"run": run}).raise_for_status().json()


def delete(viewer: LiveViewer, run: str, token: str, **headers: str) -> httpx.Response:
    return viewer.http.delete("/api/runs/files", params={"run": run, "token": token}, headers=headers)


def test_a_run_is_deleted_and_every_page_told(allowed: LiveViewer, logs: Path):
    told = plan(allowed, "deep/b")
    assert told["kept"] == []
    assert told["size_bytes"] == (logs / "deep" / "b" / told["files"][0]).stat().st_size
    with listening(allowed) as events:
        events.next()
        assert delete(allowed, "deep/b", told["token"]).json()["files"] == told["files"]
        assert events.change_of("deep/b")["run_list_changed"]
    assert set(allowed.runs()) == {"a", "c"}
    assert not (logs / "deep" / "b").exists()
    assert (logs / "deep").exists()


def test_what_else_is_in_the_directory_stays(allowed: LiveViewer, logs: Path):
    (logs / "a" / "model.ckpt").write_bytes(b"weights")
    (logs / "a" / "inner").mkdir()
    told = plan(allowed, "a")
    assert told["kept"] == ["inner", "model.ckpt"]
    assert delete(allowed, "a", told["token"]).json()["kept"] == ["inner", "model.ckpt"]
    assert sorted(path.name for path in (logs / "a").iterdir()) == ["inner", "model.ckpt"]
    assert "a" not in allowed.runs()


def test_nothing_is_deleted_unless_allowed(logs: Path, tmp_path: Path):
    with running_viewer(logs, tmp_path) as viewer:
        eventually(lambda: len(viewer.runs()) == 3)
        assert viewer.http.get("/api/server").json()["allow_delete"] is False
        for refused in (delete(viewer, "a", "x"), viewer.http.get("/api/runs/deletion", params={"run": "a"})):
            assert refused.status_code == 403
            assert refused.json()["error"]["code"] == "deleting_not_allowed"
            assert "--allow-delete" in refused.json()["error"]["remedy"]
    assert len(list(logs.rglob("events*"))) == 3


def test_a_wrong_token_deletes_nothing(allowed: LiveViewer, logs: Path):
    for token in ("", "x", plan(allowed, "c")["token"]):
        refused = delete(allowed, "a", token)
        assert refused.status_code == 409
        assert refused.json()["error"]["code"] == "stale_token"
    assert list((logs / "a").iterdir())


def test_a_token_is_for_the_files_as_they_were(allowed: LiveViewer, logs: Path):
    token = plan(allowed, "a")["token"]
    (file,) = (logs / "a").iterdir()
    file.write_bytes(file.read_bytes() * 2)
    os.utime(file, (1.7e9, 1.7e9))
    eventually(lambda: delete(allowed, "a", token).status_code == 409)
    assert file.exists()


def test_a_run_that_is_being_written_is_left_alone(allowed: LiveViewer, logs: Path):
    token = plan(allowed, "a")["token"]
    (file,) = (logs / "a").iterdir()
    os.utime(file)
    GrowingLog(logs / "a").scalar(2, 0.4)
    eventually(lambda: allowed.runs()["a"]["state"] == "live")
    assert delete(allowed, "a", token).json()["error"]["code"] == "run_is_live"
    assert file.exists()


def test_a_directory_that_became_a_link_is_not_followed(allowed: LiveViewer, logs: Path, tmp_path: Path):
    token = plan(allowed, "a")["token"]
    (logs / "a").rename(tmp_path / "elsewhere")
    (logs / "a").symlink_to(tmp_path / "elsewhere")
    refused = delete(allowed, "a", token)
    assert refused.status_code in (404, 500)
    assert list((tmp_path / "elsewhere").iterdir())


def test_a_file_that_is_a_link_is_not_deleted(allowed: LiveViewer, logs: Path):
    (file,) = (logs / "a").iterdir()
    target = file.rename(logs / "c" / "kept.bin")
    file.symlink_to(target)
    eventually(lambda: allowed.http.get("/api/runs/deletion", params={"run": "a"}).status_code in (404, 500))
    assert target.exists()


def test_other_sites_and_unknown_runs_are_refused(allowed: LiveViewer, logs: Path):
    token = plan(allowed, "a")["token"]
    assert delete(allowed, "a", token, origin="http://evil.example").status_code == 403
    assert delete(allowed, "../outside", token).status_code == 404
    assert delete(allowed, "nix", token).status_code == 404
    assert len(list(logs.rglob("events*"))) == 3


def test_notes_of_a_deleted_run_are_gone(allowed: LiveViewer):
    body = {"changes": [{"run": "a", "version": 0, "note": "x"}]}
    allowed.http.patch("/api/annotations/runs", json=body).raise_for_status()
    delete(allowed, "a", plan(allowed, "a")["token"]).raise_for_status()
    assert allowed.http.get("/api/annotations").json()["runs"] == {}
