# SPDX-License-Identifier: Apache-2.0
"""Cells of a real kernel, without a browser."""

from __future__ import annotations

import html
import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import nbformat
import pytest
from jupyter_core.utils import run_sync
from nbclient import NotebookClient

from mindscope.server.process.pids import create_time_of
from tests.server.live_viewer import GrowingLog, eventually

ADDRESS = re.compile(r'<iframe src="([^"]+)"')


class Cells:
    """A kernel that runs cells; its viewers keep their files in ``room``."""

    def __init__(self, room: Path) -> None:
        self.client = NotebookClient(
            nbformat.v4.new_notebook(), timeout=120, resources={"metadata": {"path": str(room)}}
        )
        self.client.create_kernel_manager()

    def run(self, source: str) -> list[Any]:
        """Run a cell; returns its outputs."""
        cell = nbformat.v4.new_code_cell(source)
        self.client.nb.cells.append(cell)
        return self.client.execute_cell(cell, len(self.client.nb.cells) - 1).outputs

    def text(self, source: str) -> str:
        """Run a cell; returns what it prints."""
        return "".join(output["text"] for output in self.run(source) if output["output_type"] == "stream")

    def frame(self, source: str) -> str:
        """Run a cell that shows one frame and nothing else; returns the address in the frame."""
        (output,) = self.run(source)
        found = ADDRESS.search(output["data"]["text/html"])
        assert found
        return html.unescape(found[1])


@pytest.fixture
def cells(tmp_path: Path) -> Iterator[Cells]:
    GrowingLog(tmp_path / "runs" / "first").scalar(1, 0.5)
    cells = Cells(tmp_path)
    source = Path(__file__).parents[2] / "src"
    environment = os.environ | {
        "XDG_STATE_HOME": str(tmp_path / "state"),
        "MINDSCOPE_WORKSPACE": str(tmp_path / "workspace"),
        "PYTHONPATH": str(source),
    }
    with cells.client.setup_kernel(env=environment):
        yield cells


def runs_at(address: str) -> list[str]:
    """The runs of the viewer at an address; none before it has read them."""
    return [run["id"] for run in httpx.get(httpx.URL(address).join("/api/runs")).json()["runs"] if run["tags"]]


def pid_at(cells: Cells, address: str) -> int:
    port = httpx.URL(address).port
    return int(cells.text(f"from mindscope.server.process.registry import find_viewer; print(find_viewer({port}).pid)"))


def test_the_magic_shows_a_viewer_and_cells_share_it(cells: Cells):
    assert cells.run("%load_ext mindscope") == []
    first = cells.frame("%mindscope runs")
    assert re.fullmatch(r"http://localhost:\d+/", first)
    assert eventually(lambda: runs_at(first)) == ["first"]
    opened = cells.frame("import mindscope; mindscope.show('runs', page='/scalars?run=first', height=432)")
    assert opened == f"{first}scalars?run=first"
    assert cells.frame("%mindscope runs --allow-delete") != first
    policy = httpx.get(first).headers["content-security-policy"]
    assert "frame-ancestors 'self' http://localhost:* http://127.0.0.1:* vscode-webview: vscode-file:" in policy


def test_a_viewer_that_was_stopped_is_started_again(cells: Cells):
    first = cells.frame("import mindscope; mindscope.show('runs')")
    os.kill(pid := pid_at(cells, first), signal.SIGKILL)
    eventually(lambda: create_time_of(pid) is None)
    again = cells.frame("mindscope.show('runs')")
    assert eventually(lambda: runs_at(again)) == ["first"]


@pytest.mark.parametrize("is_killed", [False, True])
def test_the_viewer_ends_with_the_kernel(cells: Cells, is_killed: bool):
    pid = pid_at(cells, cells.frame("import mindscope; mindscope.show('runs')"))
    born = create_time_of(pid)
    assert born is not None
    if is_killed:
        os.kill(int(cells.text("import os; print(os.getpid())")), signal.SIGKILL)
    else:
        kernel: Any = cells.client.km
        run_sync(kernel.shutdown_kernel)()
    eventually(lambda: create_time_of(pid) != born)


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("%mindscope nix", "nix does not exist; give the directory that holds your runs with --summary-base-dir"),
        ("%mindscope runs --nix", "`%mindscope --help` lists the options."),
        ("%mindscope 'runs", "close every quotation mark"),
        ("%mindscope runs --foreground", "leave out --foreground."),
        ("%mindscope runs --port 0", "--port is '0', want a whole number from 1 to 65535"),
    ],
)
def test_a_line_that_shows_nothing_says_why(cells: Cells, line: str, error: str):
    assert error in cells.text(f"%load_ext mindscope\n{line}")


@pytest.mark.parametrize(
    ("call", "error"),
    [("mindscope.show('runs', nix=1)", "has no option nix"), ("mindscope.show('runs', height=0)", "at least 1 pixel")],
)
def test_a_call_that_shows_nothing_says_why(cells: Cells, call: str, error: str):
    said = cells.text(f"import mindscope\ntry:\n    {call}\nexcept mindscope.errors.UsageError as error: print(error)")
    assert error in said


def test_the_help_lists_the_options_of_start(cells: Cells):
    assert "--allow-host" in str(cells.run("%load_ext mindscope\n%mindscope --help"))
