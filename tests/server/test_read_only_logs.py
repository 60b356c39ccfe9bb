# SPDX-License-Identifier: Apache-2.0
"""A viewer leaves the logs alone: what it keeps stands in the workspace."""

from __future__ import annotations

import shutil
from pathlib import Path

from .live_viewer import DATA, LiveViewer, eventually, running_viewer

KINDS = ("scalar", "image", "histogram", "tensor", "text")


def tree(base: Path) -> dict[str, tuple[int, int, int, int]]:
    """Mode, size, inode and time of the last change of everything below a directory."""
    looks = {path: path.lstat() for path in [base, *base.rglob("*")]}
    return {str(path): (look.st_mode, look.st_size, look.st_ino, look.st_mtime_ns) for path, look in looks.items()}


def look_at_everything(live: LiveViewer) -> None:
    runs = list(live.runs())
    for kind in KINDS:
        answer = live.http.post("/api/tags", json={"runs": runs, "kind": kind}).raise_for_status().json()
        for tag in answer["tags"]:
            names = [{"run": runs[index], "tag": tag["tag"]} for index in tag["runs"]]
            if kind == "scalar":
                live.http.post("/api/curves", json={"series": names}).raise_for_status()
            elif kind == "histogram":
                live.http.post("/api/histograms", json={"series": names}).raise_for_status()
            elif kind == "image":
                live.http.get("/api/images", params=names[0]).raise_for_status()


def test_nothing_is_written_beside_the_logs(tmp_path: Path):
    logs = tmp_path / "logs"
    shutil.copytree(DATA, logs)
    for path in logs.rglob("*"):
        path.chmod(0o555 if path.is_dir() else 0o444)
    before = tree(logs)
    for _ in range(2):
        with running_viewer(logs, tmp_path) as live:
            eventually(lambda: len(live.runs()) > 20 and all(run["tags"] for run in live.runs().values()))
            look_at_everything(live)
    assert tree(logs) == before
    for path in [logs, *logs.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
