# SPDX-License-Identifier: Apache-2.0
"""Deleting and moving runs: only when allowed, only what was confirmed, nothing is replaced, never through a link."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from mindscope.capture.files.recorder import FileRecorder

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
    answer = viewer.http.post("/api/runs/deletion", json={"runs": [run]}).raise_for_status().json()
    return {"token": answer["token"], **answer["runs"][0]}


def delete(viewer: LiveViewer, run: str, token: str, **headers: str) -> httpx.Response:
    return viewer.http.post("/api/runs/delete", json={"runs": [run], "token": token}, headers=headers)


def refusal(viewer: LiveViewer, run: str) -> str:
    """The code of the reason why a run can't be deleted."""
    return viewer.http.post("/api/runs/deletion", json={"runs": [run]}).json()["refused"][0]["error"]["code"]


def test_a_run_is_deleted_and_every_page_told(allowed: LiveViewer, logs: Path):
    told = plan(allowed, "deep/b")
    assert told["kept"] == []
    assert told["size_bytes"] == (logs / "deep" / "b" / told["files"][0]).stat().st_size
    with listening(allowed) as events:
        events.next()
        assert delete(allowed, "deep/b", told["token"]).json()["runs"][0]["files"] == told["files"]
        assert events.change_of("deep/b")["run_list_changed"]
    assert set(allowed.runs()) == {"a", "c"}
    assert not (logs / "deep" / "b").exists()
    assert (logs / "deep").exists()


def test_what_else_is_in_the_directory_stays(allowed: LiveViewer, logs: Path):
    (logs / "a" / "model.ckpt").write_bytes(b"weights")
    (logs / "a" / "inner").mkdir()
    told = plan(allowed, "a")
    assert told["kept"] == ["inner", "model.ckpt"]
    assert delete(allowed, "a", told["token"]).json()["runs"][0]["kept"] == ["inner", "model.ckpt"]
    assert sorted(path.name for path in (logs / "a").iterdir()) == ["inner", "model.ckpt"]
    assert "a" not in allowed.runs()


def record_files(run: Path) -> None:
    """Keep files in a run, as a training does."""
    (run.parent / "model.pt").write_bytes(b"weights")
    recorder = FileRecorder(run)
    for step in (1, 2):
        recorder.log(run.parent / "model.pt", "deep/model.pt", step)
    recorder.log(run.parent / "model.pt", "linked.pt", is_link=True)
    recorder.close()
    (run / "files" / ".part" / "1-2-3").write_bytes(b"half of a copy")


def test_files_that_a_run_kept_are_deleted_with_it(allowed: LiveViewer, logs: Path):
    record_files(logs / "a")
    (file,) = (logs / "a").glob("events*")
    want = [
        file.name, "files/linked.pt", "files/.part/1-2-3", "files/step_1/deep/model.pt", "files/step_2/deep/model.pt",
        "files/mindscope_files.jsonl",
    ]  # fmt: skip
    told = plan(allowed, "a")
    assert sorted(told["files"]) == sorted(want)
    assert told["files"][-1] == want[-1]
    assert told["kept"] == []
    assert told["size_bytes"] == sum((logs / "a" / name).stat().st_size for name in want)
    assert delete(allowed, "a", told["token"]).json()["runs"][0]["files"] == told["files"]
    assert not (logs / "a").exists()
    assert (logs / "model.pt").read_bytes() == b"weights"  # the file that a link named


def test_other_files_beside_those_that_a_run_kept_stay(allowed: LiveViewer, logs: Path, tmp_path: Path):
    record_files(logs / "a")
    (logs / "a" / "files" / "step_1" / "mine.txt").write_text("not logged")
    (logs / "a" / "files" / "step_2").rename(tmp_path / "elsewhere")
    (logs / "a" / "files" / "step_2").symlink_to(tmp_path / "elsewhere")  # no file of it is the run's
    told = plan(allowed, "a")
    assert told["kept"] == ["files"]
    assert delete(allowed, "a", told["token"]).status_code == 200
    assert sorted(path.relative_to(logs / "a").as_posix() for path in (logs / "a").rglob("*")) == [
        "files", "files/step_1", "files/step_1/mine.txt", "files/step_2",
    ]  # fmt: skip
    assert (tmp_path / "elsewhere" / "deep" / "model.pt").exists()


def test_a_directory_without_a_list_is_not_the_recorders(allowed: LiveViewer, logs: Path):
    (logs / "a" / "files").mkdir()
    (logs / "a" / "files" / "command.txt").write_text("python train.py")
    told = plan(allowed, "a")
    assert told["kept"] == ["files"]
    assert delete(allowed, "a", told["token"]).status_code == 200
    assert (logs / "a" / "files" / "command.txt").exists()


def test_nothing_is_deleted_unless_allowed(logs: Path, tmp_path: Path):
    with running_viewer(logs, tmp_path) as viewer:
        eventually(lambda: len(viewer.runs()) == 3)
        assert viewer.http.get("/api/server").json()["allow_delete"] is False
        move = viewer.http.post("/api/runs/move", json={"moves": [{"run": "a", "to": "b"}]})
        for refused in (delete(viewer, "a", "x"), viewer.http.post("/api/runs/deletion", json={"runs": ["a"]}), move):
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
    assert refusal(allowed, "a") == "run_is_live"
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
    eventually(lambda: "a" not in allowed.runs() or refusal(allowed, "a") in ("link_not_deleted", "nothing_to_delete"))
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


def test_several_runs_are_deleted_by_one_token(allowed: LiveViewer, logs: Path):
    planned = allowed.http.post("/api/runs/deletion", json={"runs": ["a", "deep/b"]}).raise_for_status().json()
    assert [run["run"] for run in planned["runs"]] == ["a", "deep/b"]
    for runs in (["a"], ["a", "deep/b", "c"], ["deep/b", "a"]):
        refused = allowed.http.post("/api/runs/delete", json={"runs": runs, "token": planned["token"]})
        assert refused.json()["error"]["code"] == "stale_token"
    sent = {"runs": ["a", "deep/b"], "token": planned["token"]}
    assert len(allowed.http.post("/api/runs/delete", json=sent).raise_for_status().json()["runs"]) == 2
    assert [path.parent.name for path in logs.rglob("events*")] == ["c"]


def test_a_run_without_event_files_is_not_deleted(allowed: LiveViewer, logs: Path):
    (logs / "a" / "train.log").write_text("[INFO] 2026-01-01 a message\n")
    (logs / "only_logs").mkdir()
    (logs / "only_logs" / "train.log").write_text("[INFO] 2026-01-01 a message\n")
    eventually(lambda: "only_logs" in allowed.runs())
    assert refusal(allowed, "only_logs") == "nothing_to_delete"
    assert delete(allowed, "only_logs", "x").json()["error"]["code"] == "nothing_to_delete"
    assert (logs / "only_logs" / "train.log").exists()


def move(viewer: LiveViewer, **runs: str) -> httpx.Response:
    moves = [{"run": run.replace("_in_", "/"), "to": to} for run, to in runs.items()]
    return viewer.http.post("/api/runs/move", json={"moves": moves})


def files_below(logs: Path) -> list[str]:
    return sorted(str(path.relative_to(logs).parent) for path in logs.rglob("events*"))


def test_runs_are_moved_with_their_notes_and_back(allowed: LiveViewer, logs: Path):
    body = {"changes": [{"run": "a", "version": 0, "note": "x", "tags": ["paper"], "archived": True}]}
    allowed.http.patch("/api/annotations/runs", json=body).raise_for_status()
    (logs / "a" / "model.ckpt").write_bytes(b"weights")
    with listening(allowed) as events:
        events.next()
        moved = move(allowed, a="old/sweep/a", deep_in_b="old/b").raise_for_status().json()
        assert events.change_of("old/b")["run_list_changed"]
    assert moved == {"directories": 2, "runs": {"a": "old/sweep/a", "deep/b": "old/b"}}
    assert set(allowed.runs()) == {"old/sweep/a", "old/b", "c"}
    assert (logs / "old" / "sweep" / "a" / "model.ckpt").read_bytes() == b"weights"
    notes = allowed.http.get("/api/annotations").json()["runs"]
    assert list(notes) == ["old/sweep/a"]
    assert (notes["old/sweep/a"]["note"], notes["old/sweep/a"]["tags"]) == ("x", ["paper"])
    back = {"moves": [{"run": new, "to": old} for old, new in moved["runs"].items()]}
    allowed.http.post("/api/runs/move", json=back).raise_for_status()
    assert set(allowed.runs()) == {"a", "deep/b", "c"}
    assert list(allowed.http.get("/api/annotations").json()["runs"]) == ["a"]


ADDRESSES = {
    "/scalars?run={a}&run=other&only=a&tag=a&offset=2%2C{a}&pair=c&pair={a}&smoothing=0.60&where=a": True,
    "/scalars?runs=all&without={a}&baseline={a}&focus={a}&zoom=0%2C1%2C0%2C1%2Ca": True,
    "/profile?run={a}&profile=%5B%22{a}%22%2C%22a%22%5D&baseline_profile=%5B%22c%22%2C%22a%22%5D": True,
    "/landscapes?landscape=%5B%22{a}%22%2C%22x%22%5D&landscape=none&landscape_full=a": True,
    "/graph?graph_run={a}&graph=a&other_run={a}&node=a": True,
    "/logs?log={a}&log_file=a#a": True,
    "/scalars?run=a%2Finner%2Fx&run=A&run&run=%": False,
    "/": False,
}
"""Addresses with a run that is moved, and whether they name it."""


def put(viewer: LiveViewer, kind: str, id: str, value: dict[str, Any]) -> None:
    body = {"id": id, "version": 0, kind: value}
    viewer.http.put(f"/api/annotations/{kind}s", json=body).raise_for_status()


def test_views_reports_and_mutes_follow_a_moved_run_and_back(allowed: LiveViewer):
    before = [address.format(a="a") for address in ADDRESSES]
    for number, address in enumerate(before):
        put(allowed, "view", str(number), {"title": "View", "address": address})
    card = {"title": "a", "run": "a"}
    blocks = [
        {"id": "1", "text": "a", "address": None, "card": None, "pinned": None, "is_half": False},
        {"id": "2", "text": "", "address": before[0], "card": card, "pinned": before[1], "is_half": True},
    ]
    put(allowed, "report", "r", {"title": "a", "blocks": blocks})
    mute = {"alert": None, "rule": "a", "run": "a", "tag": "a", "until": None}
    put(allowed, "mute", "m", mute)
    first = allowed.http.get("/api/annotations").json()
    move(allowed, a="new/a b").raise_for_status()
    moved = allowed.http.get("/api/annotations").json()
    after = [address.format(a="new%2Fa+b") for address in ADDRESSES]
    assert [moved["views"][str(number)]["address"] for number in range(len(after))] == after
    kept = {id for id, view in first["views"].items() if moved["views"][id]["version"] == view["version"]}
    assert kept == {str(number) for number, isMoved in enumerate(ADDRESSES.values()) if not isMoved}
    text, cards = moved["reports"]["r"]["blocks"]
    assert text == blocks[0]
    assert cards == blocks[1] | {"address": after[0], "pinned": after[1], "card": card | {"run": "new/a b"}}
    assert moved["mutes"]["m"] == mute | {"run": "new/a b", "version": moved["mutes"]["m"]["version"]}
    back = {"moves": [{"run": "new/a b", "to": "a"}]}
    allowed.http.post("/api/runs/move", json=back).raise_for_status()
    restored = allowed.http.get("/api/annotations").json()
    assert [restored["views"][str(number)]["address"] for number in range(len(before))] == before
    assert restored["reports"]["r"]["blocks"] == blocks
    assert restored["mutes"]["m"]["run"] == "a"


def test_an_address_that_would_get_too_long_is_kept(allowed: LiveViewer):
    address = "/scalars?" + "&".join(["run=a"] * 3000)
    put(allowed, "view", "long", {"title": "View", "address": address})
    move(allowed, a="x" * 100).raise_for_status()
    assert allowed.http.get("/api/annotations").json()["views"]["long"]["address"] == address


def test_a_deleted_run_stays_named_in_views(allowed: LiveViewer):
    put(allowed, "view", "v", {"title": "View", "address": "/scalars?run=a"})
    delete(allowed, "a", plan(allowed, "a")["token"]).raise_for_status()
    assert allowed.http.get("/api/annotations").json()["views"]["v"]["address"] == "/scalars?run=a"


def test_a_dismissed_alert_stays_dismissed_after_a_move(allowed: LiveViewer, logs: Path):
    log = GrowingLog(logs / "bad")
    log.scalar(1, float("nan"))
    os.utime(log.path, (1.7e9, 1.7e9))
    alerts = lambda: allowed.http.get("/api/alerts").json()["alerts"]  # noqa: E731
    (alert,) = eventually(alerts)
    put(allowed, "mute", "m", {"alert": alert["id"]})
    move(allowed, bad="moved").raise_for_status()
    (other,) = eventually(lambda: [each for each in alerts() if each["run"] == "moved"])
    assert other["id"] != alert["id"]
    eventually(lambda: alerts()[0]["muted"])


def test_runs_below_a_moved_one_go_with_it(allowed: LiveViewer, logs: Path):
    quiet_log(logs / "a" / "inner")
    eventually(lambda: "a/inner" in allowed.runs())
    moved = move(allowed, a="z").json()["runs"]
    assert moved == {"a": "z", "a/inner": "z/inner"}
    assert files_below(logs) == ["c", "deep/b", "z", "z/inner"]


def test_a_move_replaces_nothing_and_moves_all_or_none(allowed: LiveViewer, logs: Path, tmp_path: Path):
    (logs / "taken").mkdir()
    for other in ("c", "deep", "taken", "a"):
        refused = move(allowed, deep_in_b="new/place/b", a=other)
        assert (refused.status_code, refused.json()["error"]["code"]) == (409, "run_exists")
        assert refused.json()["error"]["values"] == {"name": other}
    assert files_below(logs) == ["a", "c", "deep/b"]
    assert not (logs / "new").exists()
    assert move(allowed, a="a/inside").json()["error"]["code"] == "not_moved"
    assert move(allowed, a="c/" + next((logs / "c").iterdir()).name + "/x").json()["error"]["code"] == "not_moved"
    assert files_below(logs) == ["a", "c", "deep/b"]


@pytest.mark.parametrize("to", ["/etc/x", "../x", "x/../../y", "x//y", ".", "x/.", "x\ny", "x\x00", "é" * 200, "x/"])
def test_a_hostile_name_moves_nothing(allowed: LiveViewer, logs: Path, to: str):
    refused = move(allowed, a=to)
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "not_a_run_name")
    assert files_below(logs) == ["a", "c", "deep/b"]


def test_a_move_follows_no_link(allowed: LiveViewer, logs: Path, tmp_path: Path):
    (tmp_path / "outside").mkdir()
    (logs / "link").symlink_to(tmp_path / "outside")
    assert move(allowed, a="link/a").json()["error"]["code"] == "not_moved"
    assert list((tmp_path / "outside").iterdir()) == []
    (logs / "a").rename(tmp_path / "elsewhere")
    (logs / "a").symlink_to(tmp_path / "elsewhere")
    assert move(allowed, a="b").status_code in (404, 500)
    assert (logs / "a").is_symlink()
    assert list((tmp_path / "elsewhere").iterdir())


def test_what_is_being_written_and_the_base_are_not_moved(allowed: LiveViewer, logs: Path):
    GrowingLog(logs / "a" / "inner").scalar(1, 0.5)
    eventually(lambda: "a/inner" in allowed.runs())
    refused = move(allowed, a="z")
    assert (refused.status_code, refused.json()["error"]["values"]) == (409, {"run": "a/inner"})
    os.utime(quiet_log(logs), (1.7e9, 1.7e9))
    eventually(lambda: "." in allowed.runs())
    base = allowed.http.post("/api/runs/move", json={"moves": [{"run": ".", "to": "z"}]})
    assert base.json()["error"]["code"] == "base_not_moved"
    assert move(allowed, nix="z").status_code == 404
