# SPDX-License-Identifier: Apache-2.0
"""One viewer over several directories with names."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import httpx
import pytest

from mindscope.named_bases import NamedBase, bases_in, linked_bases
from tests.server.live_viewer import GrowingLog, eventually

from .conftest import CommandLine


def ask(port: str, address: str) -> Any:
    return httpx.get(f"http://127.0.0.1:{port}{address}", timeout=60).raise_for_status().json()


def post(port: str, address: str, query: dict[str, Any]) -> httpx.Response:
    return httpx.post(f"http://127.0.0.1:{port}{address}", json=query, timeout=60)


def runs(port: str) -> list[str]:
    return [run["id"] for run in ask(port, "/api/runs")["runs"]]


def quiet_log(directory: Path) -> GrowingLog:
    log = GrowingLog(directory)
    log.scalar(1, 0.5)
    os.utime(log.path, (1.7e9, 1.7e9))
    return log


@pytest.fixture
def room(mindscope: CommandLine) -> Path:
    for path in ("mine/first", "mine/deep/second", "shared/runs/first"):
        quiet_log(mindscope.room / path)
    (mindscope.room / "mine" / "linked").symlink_to(mindscope.room / "mine" / "first")
    return mindscope.room


def test_runs_of_several_directories_are_shown_live(mindscope: CommandLine, port: str, room: Path) -> None:
    printed = mindscope("start", "a=mine", "shared/runs", "--port", port).stdout
    text = f"a={room / 'mine'}, runs={room / 'shared' / 'runs'}"
    assert f"runs:      {text}\n" in printed
    assert ask(port, "/api/server")["base_dir"] == text
    want = ["a/deep/second", "a/first", "runs/first"]
    eventually(lambda: runs(port) == want)
    assert text in mindscope("status").stdout
    late = GrowingLog(room / "shared" / "runs" / "late")
    late.scalar(7, 0.5)
    eventually(lambda: runs(port) == [*want, "runs/late"])
    late.scalar(8, 0.25)
    eventually(lambda: ask(port, "/api/runs")["runs"][-1]["last_step"] == 8)
    assert text in mindscope("stop", "--port", port).stdout


def test_runs_are_deleted_and_moved_in_their_directories(mindscope: CommandLine, port: str, room: Path) -> None:
    (room / "top").mkdir()
    quiet_log(room / "top")
    mindscope("start", "a=mine", "b=shared/runs", "top", "--port", port, "--allow-delete")
    eventually(lambda: len(runs(port)) == 4)
    plan = post(port, "/api/runs/deletion", {"runs": ["a/deep/second", "top"]}).json()
    deletion = {"runs": ["a/deep/second", "top"], "token": plan["token"]}
    assert post(port, "/api/runs/delete", deletion).status_code == 200
    assert not (room / "mine" / "deep" / "second").exists()
    assert list((room / "top").iterdir()) == []
    moves = {"moves": [{"run": "a/first", "to": "b/group/moved"}]}
    assert post(port, "/api/runs/move", moves).json()["runs"] == {"a/first": "b/group/moved"}
    assert (room / "shared" / "runs" / "group" / "moved").is_dir()
    for to in ("c", "c/first", "b"):
        refused = post(port, "/api/runs/move", {"moves": [{"run": "b/first", "to": to}]})
        assert refused.status_code in (409, 500), to
    assert eventually(lambda: runs(port) == ["b/first", "b/group/moved"])


def test_a_directory_that_goes_is_named_and_the_others_stay(mindscope: CommandLine, port: str, room: Path) -> None:
    mindscope("start", "a=mine", "b=shared/runs", "--port", port, "--reload-interval", "0.2")
    eventually(lambda: len(runs(port)) == 3)
    shutil.rmtree(room / "shared")
    eventually(lambda: runs(port) == ["a/deep/second", "a/first"])
    (unreadable,) = ask(port, "/api/runs")["unread"]
    assert unreadable["path"].endswith("/b")
    quiet_log(room / "shared" / "runs" / "again")
    eventually(lambda: runs(port) == ["a/deep/second", "a/first", "b/again"])


@pytest.mark.parametrize(
    ("arguments", "said", "status"),
    [
        (["mine", "b=nowhere"], "nowhere does not exist", 1),
        (["mine", "other/mine"], "are both named mine", 2),
        (["mine", "/"], "give it a name", 2),
        (["mine", "b=runs.mscope"], "is an archive, which opens alone", 2),
    ],
)
def test_what_can_not_be_opened_is_named(
    mindscope: CommandLine, port: str, room: Path, arguments: list[str], said: str, status: int
) -> None:
    (room / "runs.mscope").write_bytes(b"")
    (room / "other" / "mine").mkdir(parents=True)
    refused = mindscope("start", *arguments, "--port", port, want=status)
    assert said in refused.stderr


def test_a_path_with_a_sign_is_a_path(mindscope: CommandLine, port: str, room: Path) -> None:
    quiet_log(room / "lr=0.1" / "first")
    assert f"runs:      {room / 'lr=0.1'}\n" in mindscope("start", "lr=0.1", "--port", port).stdout
    assert eventually(lambda: runs(port)) == ["first"]


def test_the_same_directories_are_one_base(tmp_path: Path) -> None:
    bases = {name: NamedBase(str(tmp_path / name), tmp_path / name) for name in ("a", "b")}
    first = linked_bases(bases, tmp_path / "workspace")
    assert linked_bases(dict(reversed(bases.items())), tmp_path / "workspace") == first
    assert bases_in(first) == bases
    assert linked_bases(bases | {"b": NamedBase(str(tmp_path), tmp_path)}, tmp_path / "workspace") != first
    assert bases_in(tmp_path) == {}
