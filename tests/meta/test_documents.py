# SPDX-License-Identifier: Apache-2.0
"""Every block of a document runs as written, from top to bottom, in an empty directory."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.document_blocks import blocks
from tests.server.live_viewer import free_port

pytestmark = [pytest.mark.framework, pytest.mark.timeout(600)]
ROOT = Path(__file__).parents[2]
DOCUMENTS = """
README.md docs/agents.md docs/alerts.md docs/debugging-data.md docs/debugging.md docs/dump.md
docs/embeddings.md docs/event-files.md docs/http.md docs/landscapes.md docs/lineage.md docs/logs.md
docs/meshes.md docs/mindspore.md docs/plots.md docs/profiling.md docs/python.md docs/pytorch.md docs/query.md
docs/recording.md docs/scalars.md docs/sweeps.md docs/system-metrics.md docs/tracking.md docs/videos.md
""".split()
IN_A_BROWSER = ["docs/saved-views.md"]
"""Documents whose blocks read what the page saved: a test of the browser runs them."""
INSTALLING = ("pip ", "make ")
"""Commands that CI runs by itself."""

FINDING = 'mindscope() { command mindscope "$@" || [ $? -eq 3 ]; }\n'
"""Exit code 3 says that a rule fired."""

NODE = f"set -o pipefail; {ROOT}/ui/node_modules/.bin/esbuild --loader=ts --format=esm | node --input-type=module"
"""Runs TypeScript."""


def program(document: Path, port: int) -> str:
    """The blocks as one Python program; the viewer of a shell block listens on ``port`` instead of 8080."""
    lines = ["import subprocess, sys"]
    for line, language, text in blocks(document):
        if language == "sh" and text.startswith(INSTALLING):
            continue
        code = text.replace("8080", str(port))
        if language == "sh":
            code = f"subprocess.run(['bash', '-ec', {FINDING + code!r}], check=True, stdout=sys.stderr)\n"
        if language == "ts":
            code = (
                f"subprocess.run(['bash', '-c', {NODE!r}], input={code!r}, text=True, check=True, stdout=sys.stderr)\n"
            )
        lines.append(f"exec(compile({code!r}, '{document.name}, block of line {line}', 'exec'))")
    return "\n".join(lines)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_blocks_of_a_document_run(name: str, tmp_path: Path) -> None:
    port = free_port()
    home, room = tmp_path / "home", tmp_path / "room"
    home.mkdir()
    room.mkdir()
    (room / "examples").symlink_to(ROOT / "examples")
    environment = {
        **os.environ,
        "HOME": str(home), "XDG_STATE_HOME": str(home / "state"), "MINDSCOPE_PORT": str(port),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }  # fmt: skip
    (tmp_path / "program.py").write_text(program(ROOT / name, port), "utf-8")
    command = [sys.executable, str(tmp_path / "program.py")]
    try:
        done = subprocess.run(command, cwd=room, env=environment, capture_output=True, text=True, check=False)
    finally:
        stop = [sys.executable, "-m", "mindscope", "stop", "--port", str(port)]
        subprocess.run(stop, cwd=room, env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr[-4000:]


def test_each_document_with_code_is_run() -> None:
    with_code = [path for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))) if [*blocks(path)]]
    assert sorted(path.relative_to(ROOT).as_posix() for path in with_code) == sorted([*DOCUMENTS, *IN_A_BROWSER])
