# SPDX-License-Identifier: Apache-2.0
"""``mindscope import``, with modules of the names and the shape of aim 3.29, which lacks wheels for some Pythons."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mindscope import open_runs
from mindscope.cli.app import app

MODULES = {
    "aim/__init__.py": "",
    "aim/sdk/__init__.py": "",
    "aim/sdk/repo.py": """
import json, math
from types import SimpleNamespace as N
class ContainerConfig(tuple):
    def __new__(cls, *parts): return tuple.__new__(cls, parts)
class Run:
    hash, name, experiment, description, tags = "ab12", "first", "exp", "a note", ["t"]
    def __getitem__(self, key):
        return {"hparams": {"lr": 0.1}}
    def metrics(self):
        data = {4: (0.5, 0.0, 1700000004.0), 2: (math.nan, 0.0, 1700000002.0)}
        yield N(name="loss", context=N(to_dict=lambda: {"subset": "train"}), data=data)
class Repo:
    def __init__(self, path):
        self.path, self.container_pool = path + "/.aim", {}
    def iter_runs(self):
        yield Run()
""",
    "aim/storage/__init__.py": "",
    "aim/storage/union.py": "class RocksUnionContainer:\n    def __init__(self, path, read_only): pass\n",
}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / "repo" / ".aim").mkdir(parents=True)
    return tmp_path / "repo"


def test_runs_are_written_once(repository: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name, text in MODULES.items():
        file = tmp_path / "modules" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path / "modules"), *sys.path]))
    out = tmp_path / "out"
    assert "1 new runs, 0 were there" in CliRunner().invoke(app, ["import", str(repository), str(out)]).output
    before = {path: path.stat().st_mtime_ns for path in out.rglob("*")}
    assert "0 new runs, 1 were there" in CliRunner().invoke(app, ["import", str(repository), str(out)]).output
    assert {path: path.stat().st_mtime_ns for path in out.rglob("*")} == before
    scalars = open_runs(out)["ab12"].scalars("loss/train")
    assert (scalars.step.tolist(), scalars.wall_time.tolist()) == ([2, 4], [1700000002, 1700000004])
    assert str(scalars.value.tolist()) == "[nan, 0.5]"
    assert json.loads((out / "ab12" / "params.json").read_text())["hparams"] == {"lr": 0.1}


def test_a_python_without_aim_is_named(repository: Path, tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["import", str(repository), str(tmp_path / "out")])
    assert result.exit_code == 1
    assert "Aim is not installed in" in result.output
    assert "--python" in result.output
    assert not (tmp_path / "out").exists()


def test_another_directory_is_refused(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["import", str(tmp_path), str(tmp_path / "out")])
    assert result.exit_code == 2
    assert ".aim" in result.output
