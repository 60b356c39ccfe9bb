# SPDX-License-Identifier: Apache-2.0
"""Live updates, and the end of a viewer."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from mindscope.server.live.event_stream import LiveEvents
from mindscope.server.process.server import listen

from .live_viewer import DEADLINE_S, GrowingLog, LiveViewer, eventually, running_viewer
from .viewer_process import ViewerCommand

NOTICED_S = 10.0
"""The watcher needs a tenth of a second; a machine that tests share may need more. Without it, an hour passes."""


class Events:
    """The events of one connection, one after the other."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines = lines

    def next(self) -> tuple[str, dict[str, Any]]:
        name = ""
        for line in self._lines:
            if line.startswith("event: "):
                name = line.removeprefix("event: ")
            if line.startswith("data: "):
                return name, json.loads(line.removeprefix("data: "))
        raise AssertionError("the stream ended")

    def change_of(self, run: str) -> dict[str, Any]:
        while True:
            name, data = self.next()
            if name == "change" and run in data["runs"]:
                return data


@contextmanager
def listening(viewer: LiveViewer) -> Iterator[Events]:
    with viewer.http.stream("GET", "/api/live") as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        yield Events(answer.iter_lines())


@pytest.fixture
def live(growing: GrowingLog, tmp_path: Path) -> Iterator[LiveViewer]:
    growing.scalar(1, 0.5)
    with running_viewer(tmp_path / "logs", tmp_path) as viewer:
        eventually(lambda: viewer.runs().get("run", {}).get("last_step") == 1)
        yield viewer


@pytest.fixture
def command(growing: GrowingLog, tmp_path: Path) -> Iterator[LiveViewer]:
    """A viewer as people start it."""
    growing.scalar(1, 0.5)
    with running_viewer(tmp_path / "logs", tmp_path, start=ViewerCommand) as viewer:
        eventually(lambda: viewer.runs().get("run", {}).get("last_step") == 1)
        yield viewer


def test_a_new_point_is_told_and_can_then_be_read(live: LiveViewer, growing: GrowingLog):
    with listening(live) as events:
        name, hello = events.next()
        assert name == "hello"
        for step in (2, 3, 4):
            growing.scalar(step, float(step))
            change = events.change_of("run")
            assert change["version"] > hello["version"]
            assert not change["run_list_changed"]
            assert live.curves(("run", "loss")).column(0, "step").tolist()[-1] == step


def test_a_new_run_changes_the_list(live: LiveViewer, tmp_path: Path):
    with listening(live) as events:
        events.next()
        GrowingLog(tmp_path / "logs" / "deep" / "er").scalar(1, 1.0)
        assert events.change_of("deep/er")["run_list_changed"]
        eventually(lambda: "deep/er" in live.runs())


def test_a_settings_file_is_announced_for_the_runs_that_use_it(growing: GrowingLog, tmp_path: Path):
    growing.scalar(1, 0.5)
    job = tmp_path / "logs" / "job"
    for name in ("job/tb/train", "job/tb/test"):
        GrowingLog(tmp_path / "logs" / name).scalar(1, 1.0)
    with running_viewer(tmp_path / "logs", tmp_path, "--reload-interval", "3600") as live:
        wait_until_watched(live, tmp_path / "logs")

        def lineage(since: str | None = None) -> dict[str, Any]:
            return live.http.post("/api/lineage", json={"since": since}).raise_for_status().json()

        def write(path: Path, text: str) -> float:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
            return time.monotonic()

        cursor = lineage()["cursor"]
        with listening(live) as events:
            events.next()
            for path, text, runs in [
                (growing.path.with_name("params.json"), '{"lr": 0.5}', ["run"]),
                (growing.path.with_name("params.json"), '{"lr": 0.25}', ["run"]),
                (job / ".hydra" / "config.yaml", "lr: 0.1\n", ["job/tb/test", "job/tb/train"]),
                (job / ".hydra" / "config.yaml", "lr: 0.01\nwidth: 5\n", ["job/tb/test", "job/tb/train"]),
            ]:
                at = write(path, text)
                change = events.change_of(runs[0])
                assert time.monotonic() - at < NOTICED_S
                assert (change["runs"], change["run_list_changed"]) == (runs, False)
                answer = lineage(cursor)
                cursor = answer["cursor"]
                assert (answer["runs"], answer["is_whole"], answer["order"]) == (runs, False, None)
            rates = {column["id"]: column["cells"] for column in lineage()["columns"]}["lr"]
            assert [rate for rate in rates if rate] == [0.01, 0.01, 0.25]


def wait_until_watched(viewer: LiveViewer, base: Path) -> None:
    """Write new runs until the viewer lists one: its watcher starts some time after it answers."""
    written: list[str] = []

    def is_noticed() -> bool:
        if not set(written) & set(viewer.runs()):
            written.append(f"begin_{len(written)}")
            GrowingLog(base / written[-1]).scalar(1, 1.0)
            time.sleep(0.1)
        return set(written) <= set(viewer.runs())

    eventually(is_noticed)


def test_the_series_of_a_run_grows_by_its_version(live: LiveViewer, growing: GrowingLog):
    before = live.curves(("run", "loss")).header["series"][0]["version"]
    growing.scalar(2, 1.0)
    eventually(lambda: live.curves(("run", "loss")).header["series"][0]["version"] > before)


def test_many_listeners_take_no_threads(live: LiveViewer, growing: GrowingLog):
    def threads() -> int:
        return len(list(Path(f"/proc/{live.process.pid}/task").iterdir()))

    live.runs()
    before = threads()
    with ExitStack() as stack:
        clients = [stack.enter_context(listening(live)) for _ in range(60)]
        for events in clients:
            assert events.next()[0] == "hello"
        assert threads() <= before  # one that fetched the list may have ended
        growing.scalar(2, 2.0)
        for events in clients:
            assert events.change_of("run")["runs"] == ["run"]


def test_without_reloading_logs_are_read_once(growing: GrowingLog, tmp_path: Path):
    growing.scalar(1, 0.5)
    with running_viewer(tmp_path / "logs", tmp_path, "--reload-interval", "0") as viewer:
        version = eventually(lambda: viewer.runs().get("run", {}).get("last_step") and viewer.http.get("/api/runs"))
        growing.scalar(2, 0.5)
        GrowingLog(tmp_path / "logs" / "other").scalar(1, 1.0)
        assert viewer.http.get("/api/runs").json()["version"] == version.json()["version"]
        assert set(viewer.runs()) == {"run"}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_an_open_page_does_not_hold_the_viewer_up(command: LiveViewer, number: signal.Signals):
    with listening(command) as events, httpx.Client(timeout=60) as other:
        events.next()
        other.get(f"http://127.0.0.1:{command.port}/api/runs")  # a second connection that is kept alive
        command.process.send_signal(number)
        assert command.process.wait(DEADLINE_S) == 0


def test_nothing_is_left_of_a_viewer_that_was_stopped(command: LiveViewer, tmp_path: Path):
    assert list(tmp_path.glob("state/mindscope/viewers/*/*.json"))
    command.process.send_signal(signal.SIGTERM)
    command.process.wait(DEADLINE_S)
    assert not list(tmp_path.glob("state/mindscope/viewers/*/*"))
    with pytest.raises(httpx.ConnectError):
        command.http.get("/api/server")


def test_requests_are_in_the_access_log(live: LiveViewer):
    live.http.get("/api/server")
    log = live.workspace / "log" / f"access.{live.port}.log"
    eventually(lambda: "GET /api/server" in log.read_text())


def test_changes_that_come_faster_than_they_are_read_are_joined():
    async def scenario() -> None:
        feed = LiveEvents()
        feed.open()
        slow = feed.subscribe()
        for version in range(1, 1001):
            feed.publish(version, {f"run {version % 3}"}, run_list_changed=version == 500)
        await asyncio.sleep(0)
        ((name, change),) = await slow.next(patience_s=DEADLINE_S)
        assert name == "change"
        assert change.model_dump() == {
            "version": 1000, "runs": ["run 0", "run 1", "run 2"], "run_list_changed": True
        }  # fmt: skip
        assert await slow.next(patience_s=0.001) == []

    asyncio.run(scenario())


def test_a_closed_feed_ends_old_and_new_subscriptions():
    async def scenario() -> None:
        feed = LiveEvents()
        feed.open()
        before = feed.subscribe()
        feed.close()
        after = feed.subscribe()
        assert await before.next(DEADLINE_S) == []
        assert await after.next(DEADLINE_S) == []
        assert before.is_closed
        assert after.is_closed

    asyncio.run(scenario())


def test_publishing_before_and_after_the_event_loop_is_harmless():
    feed = LiveEvents()
    feed.publish(1, {"run"}, run_list_changed=False)

    async def scenario() -> None:
        feed.open()

    asyncio.run(scenario())
    feed.publish(2, {"run"}, run_list_changed=False)


def test_answers_do_not_wait_for_acknowledgement():
    with listen("127.0.0.1", 0) as listener, socket.create_connection(listener.getsockname()):
        connection, _ = listener.accept()
        with connection:
            assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
