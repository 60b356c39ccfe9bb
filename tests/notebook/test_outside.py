# SPDX-License-Identifier: Apache-2.0
"""Where a viewer can't be shown below a cell, and which address a browser gets where it can."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import mindscope
from mindscope.errors import UsageError
from mindscope.named_bases import base_text
from mindscope.notebook.frame import frame_html
from mindscope.notebook.magic import parse
from mindscope.notebook.server_proxy import ICON, setup_mindscope


def test_a_script_says_how_to_start_a_viewer():
    with pytest.raises(UsageError, match=re.escape("run `mindscope start runs` in a terminal and open the address")):
        mindscope.show("runs")


def test_ipython_in_a_terminal_says_so_too(tmp_path: Path):
    cell = "get_ipython().run_line_magic('load_ext', 'mindscope'); get_ipython().run_line_magic('mindscope', 'runs')"
    environment = os.environ | {"IPYTHONDIR": str(tmp_path)}
    command = [sys.executable, "-m", "IPython", "--no-banner", "--no-confirm-exit", "--colors=NoColor", "-c", cell]
    ran = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300, check=True)
    assert "mindscope: mindscope.show needs a notebook; run `mindscope start runs` in a terminal" in ran.stdout


def test_marimo_shows_a_frame_of_the_viewer(tmp_path: Path):
    """A notebook of marimo is a script, whose outputs `marimo export html` keeps."""
    (tmp_path / "runs").mkdir()
    notebook = tmp_path / "cells.py"
    notebook.write_text(
        "import marimo\napp = marimo.App()\n\n@app.cell\ndef _():\n"
        "    import mindscope\n    mindscope.show('runs', page='scalars', height=432)\n    return\n"
    )
    environment = os.environ | {"XDG_STATE_HOME": str(tmp_path / "state"), "MINDSCOPE_WORKSPACE": str(tmp_path / "w")}
    command = [sys.executable, "-m", "marimo", "export", "html", str(notebook), "-o", str(tmp_path / "out.html")]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=environment, timeout=300)
    assert ran.returncode == 0, ran.stderr
    assert re.search(r"http://localhost:\d+/scalars", (tmp_path / "out.html").read_text("utf-8"))


def test_the_magic_takes_several_directories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MINDSCOPE_WORKSPACE", str(tmp_path / "workspace"))
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    options = parse(f"mine={tmp_path / 'a'} {tmp_path / 'b'}")
    assert options is not None
    assert base_text(options["directory"]) == f"mine={tmp_path / 'a'}, b={tmp_path / 'b'}"
    assert parse(str(tmp_path / "a")) == {"directory": str(tmp_path / "a")}
    assert parse("") == {}


def test_an_address_ends_no_attribute():
    assert '"><script>' not in frame_html('http://localhost:1/"><script>', 1)


def test_the_tile_has_an_icon():
    assert ICON.is_file(), "the client is not built: cd ui && npm ci && npm run build"
    assert setup_mindscope()["launcher_entry"]["icon_path"] == str(ICON)
