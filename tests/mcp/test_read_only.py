# SPDX-License-Identifier: Apache-2.0
"""Tools change nothing below the base, in the workspace or at home; those that write exist only when allowed."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from .agent import agent_of, command, connected
from .conftest import SWEEP

DOCS = Path(__file__).parents[2] / "docs"
CALLS = {
    "list_runs": {"columns": ["loss"]},
    "describe_run": {"run": "first"},
    "read_curves": {"runs": ["*"], "tags": ["loss"]},
    "compare_runs": {"runs": ["first", "restarted"]},
    "best_run": {"metric": "loss"},
    "parameter_importance": {"metric": "loss"},
    "list_alerts": {},
    "first_bad_number": {"run": "first"},
    "profile_advice": {"run": "first"},
    "read_logs": {"run": "first"},
    "search_graph": {"run": "run_01"},
    "query_sql": {"statement": "FROM logs"},
}
WRITING = {"write_note", "label_run"}


def content(directory: Path) -> dict[str, tuple[int, int, bytes]]:
    """Each path below a directory: its mode, time of change and bytes."""
    files = {path: path.lstat() for path in directory.rglob("*")}
    return {
        str(path): (stat.st_mode, stat.st_mtime_ns, path.read_bytes() if path.is_file() else b"")
        for path, stat in files.items()
    }


def test_no_tool_that_reads_writes_a_file(odd_base: Path, tmp_path: Path) -> None:
    base, home, work = tmp_path / "runs", tmp_path / "home", tmp_path / "work"
    shutil.copytree(odd_base, base)
    shutil.copytree(SWEEP / "run_01", base / "run_01")
    (base / "first" / "train.log").write_text("2026-12-01 10:00:00 INFO begins\n")
    home.mkdir()
    work.mkdir()
    before = content(tmp_path)
    server = command(base, HOME=str(home), XDG_STATE_HOME=str(home / "state"), PYTHONDONTWRITEBYTECODE="1")
    with connected(server.model_copy(update={"cwd": str(work)})) as agent:
        tools = agent.tools()
        assert tools.keys() - {"draw_page", "draw_curves"} == CALLS.keys()
        assert all(tool.annotations and tool.annotations.read_only_hint for tool in tools.values())
        for tool, arguments in CALLS.items():
            agent.call(tool, **arguments)
    assert content(tmp_path) == before


def test_tools_that_write_exist_only_when_they_are_allowed(odd_base: Path, tmp_path: Path) -> None:
    with agent_of(odd_base) as agent:
        assert not WRITING & agent.tools().keys()
    with agent_of(odd_base, workspace=tmp_path) as agent:
        hints = {name: tool.annotations for name, tool in agent.tools().items()}
        assert {name for name, hint in hints.items() if hint and not hint.read_only_hint} == WRITING
        assert not any(hint.destructive_hint for name, hint in hints.items() if hint and name in WRITING)


def test_the_documents_list_all_tools(odd_base: Path, tmp_path: Path) -> None:
    with agent_of(odd_base, workspace=tmp_path) as agent:
        tools = agent.tools()
    for document in (DOCS / "agents.md", DOCS / "zh" / "agents.md"):
        rows = [line for line in document.read_text("utf-8").splitlines() if line.startswith("| `")]
        named = {name for row in rows for name in re.findall(r"`(\w+)`", row.split("|")[1])}
        assert named == tools.keys()
    for tool in tools.values():
        assert tool.description
        assert len(tool.description) < 500
        assert "title" not in str(tool.input_schema)
        pictures = tool.name.startswith("draw_")
        assert (tool.output_schema is None) == pictures
