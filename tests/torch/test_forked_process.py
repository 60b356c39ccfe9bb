# SPDX-License-Identifier: Apache-2.0
"""What runs in a forked process has no effect on its parent, and can't hold it up."""

from __future__ import annotations

import logging
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

pytest.importorskip("torch")
from mindscope.torch.graphs import forked_process
from mindscope.torch.graphs.forked_process import ForkedProcessError, run_forked

pytestmark = pytest.mark.framework


def test_results_of_any_size_arrive() -> None:
    content = list(range(300_000))
    assert run_forked(lambda: {"content": content}) == {"content": content}


def test_an_error_has_its_class_and_text() -> None:
    with pytest.raises(ForkedProcessError, match=r"^KeyError: 'layer'$"):
        run_forked(lambda: {}["layer"])
    with pytest.raises(ForkedProcessError, match="pickle"):
        run_forked(lambda: threading.Lock())


@pytest.mark.parametrize("end", [lambda: os._exit(0), lambda: sys.exit(0), lambda: os.abort()])
def test_a_child_that_ends_early_is_an_error(end: Callable[[], Any]) -> None:
    with pytest.raises(ForkedProcessError, match="without a result"):
        run_forked(end)


def test_a_child_that_waits_for_ever_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forked_process, "IDLE_SECONDS", 0)
    lock = threading.Lock()
    with lock, pytest.raises(ForkedProcessError, match="did nothing for 0 s"):
        run_forked(lock.acquire)
    assert not lock.locked()


def refusals(directory: Path, opened: Any, connected: socket.socket) -> dict[str, Callable[[], Any]]:
    return {
        "open": lambda: (directory / "new").write_text("content"),
        "append": lambda: (directory / "kept").open("a"),
        "remove": lambda: (directory / "kept").unlink(),
        "rename": lambda: (directory / "kept").rename(directory / "other"),
        "directory": lambda: (directory / "made").mkdir(),
        "process": lambda: subprocess.run(["true"], check=True),
        "kill": lambda: os.kill(os.getppid(), signal.SIGTERM),
        "connect": lambda: socket.create_connection(("127.0.0.1", 9)),
        "opened file": lambda: (opened.write("more"), opened.flush()),
        "connection": lambda: connected.send(b"more"),
    }


@pytest.mark.parametrize("name", list(refusals(Path(), None, None)))  # type: ignore[arg-type]
def test_nothing_leaves_the_child(name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    kept = tmp_path / "kept"
    kept.write_text("before")
    ours, others = socket.socketpair()
    with (tmp_path / "opened").open("w") as opened, ours, others:
        function = refusals(tmp_path, opened, ours)[name]

        def run() -> Any:
            print("from the child")
            logging.getLogger("network").error("from the child")
            os.write(1, b"from the child")
            return function()

        with pytest.raises(ForkedProcessError, match="Error: "):
            run_forked(run)
        others.setblocking(False)
        with pytest.raises(BlockingIOError):
            others.recv(1)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"kept": "before", "opened": ""}
    assert capfd.readouterr() == ("", "")


def test_no_child_and_no_file_stays() -> None:
    before, children = len([*Path("/proc/self/fd").iterdir()]), psutil.Process().children()
    for _ in range(3):
        run_forked(lambda: None)
    assert len([*Path("/proc/self/fd").iterdir()]) == before
    assert psutil.Process().children() == children
