# SPDX-License-Identifier: Apache-2.0
"""Automatic lineage fields that no framework is needed for: command line, git, machine, versions."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindscope.capture.lineage import lineage_bytes
from mindscope.capture.masking.secrets import is_secret, masked
from mindscope.collector import git
from mindscope.collector.command_line import command_line_fields
from mindscope.collector.environment import environment, versions
from mindscope.collector.lineage_fields import fact, model, parameter, storable
from mindscope.collector.run_facts import BackgroundFind, RunFacts
from mindscope.formats import wire
from mindscope.formats.mindspore_schemas import USER_DEFINED_INFO
from mindscope.lineage import Lineage, read_custom
from mindscope.lineage.run_row import lineage_cells

SECRET = "hunter2-x9"


@pytest.mark.parametrize("arguments", [
    ["--token", SECRET], [f"--token={SECRET}"], ["--hf-token", SECRET], ["--hfToken", SECRET], ["--HF_TOKEN", SECRET],
    ["--api-key", SECRET], [f"--apikey={SECRET}"], [f"--wandb_api_key={SECRET}"], ["--password", SECRET],
    ["--db-passwd", SECRET], ["--secret", SECRET], [f"--client_secret={SECRET}"], ["--key", SECRET],
    ["--keys", "1", SECRET], ["-token", SECRET], [f"api.token={SECRET}"], [f"+logger.wandb.key={SECRET}"],
    [f"PASSWORD={SECRET}"], [f"--password={SECRET} with, (signs)=&"], ["--password", f"-{SECRET}"], ["--auth", SECRET],
    [f"https://user:{SECRET}@host/data"], [f"https://{SECRET}@host/data"], [f"https://host/data?token={SECRET}&rows=3"],
    ["--header", f"Authorization: Bearer {SECRET}"], ["--config", json.dumps({"lr": 1, "api_key": SECRET})],
    ["--config", f"{{lr: 1, token: {SECRET}}}"], ["-c", f"import x; x.login(token='{SECRET}', rows=2)"],
    ["--name", f"hf_{SECRET.replace('-', '')}abcdefgh"], [f"--x={{'secret': '{SECRET}'}}"],
])  # fmt: skip
def test_secrets_are_masked(arguments: list[str]) -> None:
    shown = list(masked(["python", "train.py", *arguments, "--lr", "0.1"]))
    assert "MASKED" in " ".join(shown)
    assert not any(SECRET in each or SECRET.replace("-", "") in each for each in shown)
    assert shown[:2] == ["python", "train.py"]
    assert shown[-2:] == ["--lr", "0.1"]


@pytest.mark.parametrize("arguments", [
    ["--lr", "0.1", "--epochs=3"], ["--max-tokens", "512"], ["--num_tokens=1e6"], ["--tokenizer", "bert-base"],
    ["optimizer=adam", "model.depth=3"], ["s3://bucket/data", "https://host:8080/a?rows=3"], ["--author", "me"],
    ["--monitor", "val:loss"], ["key"], ["-k", "token"], ["--note", "a token: none is here"[:7]],
])  # fmt: skip
def test_other_arguments_stay(arguments: list[str]) -> None:
    assert list(masked(arguments)) == arguments


@given(st.lists(st.text(max_size=40), max_size=6))
def test_any_command_line_can_be_recorded(arguments: list[str]) -> None:
    assert len(list(masked(arguments))) == len(arguments)


def test_a_huge_argument_is_masked_and_cut_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    program = f"token = '{SECRET}'\n" + "a" * 200_000
    monkeypatch.setattr(sys, "orig_argv", ["python", "-c", program, "\udcff=\udc80"])
    (text,) = storable(command_line_fields()).values()
    assert len(text) <= 4000
    assert "token = 'MASKED'" in text.replace("'\"'\"'", "'")
    assert text.encode()


@pytest.mark.parametrize(("name", "want"), [
    ("--token", True), ("accessKey", True), ("private_key_path", True), ("PASSPHRASE", True), ("pw", True),
    ("tokenizer", False), ("author", False), ("keyboard", False), ("lr", False), ("", False),
])  # fmt: skip
def test_names_of_secrets(name: str, want: bool) -> None:
    assert is_secret(name) == want


def test_machine_and_imported_packages() -> None:
    facts = environment()
    assert {"env/host", "env/os", "env/cpus", "env/python", "env/directory"} == set(facts)
    found = versions()
    assert found["env/versions.numpy"] == np.__version__
    assert all(name.removeprefix("env/versions.") in sys.modules for name in found)


def test_deleted_directory_is_no_fact(tmp_path: Path) -> None:
    script = (
        "import os, sys; os.mkdir(sys.argv[1]); os.chdir(sys.argv[1]); os.rmdir(sys.argv[1])\n"
        "from mindscope.collector.environment import environment; from mindscope.collector.git import git_facts\n"
        "from mindscope.collector.lineage_fields import storable; print(sorted(storable(environment())))\n"
    )
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path / "x")], capture_output=True, text=True)
    assert done.stdout == "['env/cpus', 'env/host', 'env/os', 'env/python']\n", done.stderr


# ---- git


@pytest.fixture
def repository(tmp_path: Path) -> Callable[..., str]:
    def run(*arguments: str) -> str:
        settings = ["-c", "user.name=a", "-c", "user.email=a@b"]
        done = subprocess.run(["git", *settings, *arguments], cwd=tmp_path, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    run("init", "-q", "-b", "topic/x")
    (tmp_path / "a").write_text("1")
    run("add", "a")
    return run


def test_commit_branch_and_changes(tmp_path: Path, repository: Callable[..., str]) -> None:
    assert git.repository_state(tmp_path) == {}  # before the first commit
    repository("commit", "-qm", "a")
    commit = repository("rev-parse", "HEAD")
    (tmp_path / "untracked").touch()
    assert git.repository_state(tmp_path) == {"git_commit": commit, "git_branch": "topic/x", "git_dirty": False}
    (tmp_path / "a").write_text("2")
    assert git.repository_state(tmp_path)["git_dirty"] is True
    repository("checkout", "-q", "--detach")
    assert git.repository_state(tmp_path) == {"git_commit": commit, "git_dirty": True}


def test_repository_of_the_script_or_else_of_the_directory(
    tmp_path: Path, repository: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    repository("commit", "-qm", "a")
    outside = tmp_path.parent / f"{tmp_path.name}-outside"
    outside.mkdir()
    monkeypatch.chdir(outside)
    monkeypatch.setattr(sys, "argv", [str(tmp_path / "train.py")])
    assert "env/git_commit" in git.git_facts()
    monkeypatch.setattr(sys, "argv", [str(outside / "train.py")])
    assert git.git_facts() == {}
    monkeypatch.chdir(tmp_path)
    assert "env/git_commit" in git.git_facts()


def test_without_git_there_are_no_facts(
    tmp_path: Path, repository: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    repository("commit", "-qm", "a")
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
    assert git.repository_state(tmp_path) == {}


def test_slow_status_leaves_out_whether_it_is_dirty(
    tmp_path: Path, repository: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    repository("commit", "-qm", "a")
    commit = repository("rev-parse", "HEAD")
    slow = tmp_path / "bin" / "git"
    slow.parent.mkdir()
    slow.write_text(f'#!/bin/sh\ncase "$*" in *" status "*) exec sleep 20;; *) echo {commit};; esac\n')
    slow.chmod(slow.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{slow.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(git, "_SECONDS", 1.0)
    assert git.repository_state(tmp_path) == {"git_commit": commit}


# ---- fields


def row_of(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The cells of fields, after they were written and read."""
    encoded = lineage_bytes("custom_lineage_data", storable(fields))
    read = Lineage(custom=read_custom(wire.decode(USER_DEFINED_INFO, encoded)))
    return {key.id: cell for key, cell in lineage_cells(read)}


def test_values_come_back_with_their_type() -> None:
    given: dict[str, Any] = {
        "flag": True, "np_flag": np.bool_(False), "small": 3, "wide": 1 << 62, "wider": (1 << 64) - 1, "np": np.int8(4),
        "real": 0.1, "tiny": 1e-300, "np_real": np.float32(0.5), "pair": (0.9, 0.999), "mixed": [None, True, "x", 1],
        "nested": ((1, 2), (3,)), "text": "StepLR", "object": np.dtype("float32"),
    }  # fmt: skip
    want = given | {"np_flag": False, "np": 4, "np_real": 0.5, "mixed": (None, True, "x", 1), "object": "float32"}
    assert row_of({parameter(name): value for name, value in given.items()}) == want
    assert row_of({fact("git_dirty"): False, model("parameters"): 1 << 40, fact("none"): None}) == {
        "fact/git_dirty": False, "model/parameters": 1 << 40,
    }  # fmt: skip


@given(st.dictionaries(st.text(min_size=1), st.none() | st.booleans() | st.integers() | st.floats() | st.text()))
def test_any_value_can_be_written(fields: dict[str, Any]) -> None:
    want = sum(value is not None for value in fields.values())
    assert len(storable({fact(name): value for name, value in fields.items()})) == want
    row_of({parameter(name): value for name, value in fields.items()})


# ---- finding them


class Log:
    def __init__(self) -> None:
        self.failed: list[str] = []

    def attempt(self, subject: str, find: Callable[[], Any]) -> Any:
        try:
            return find()
        except Exception:
            self.failed.append(subject)
            return None


def test_one_that_fails_or_is_slow_does_not_affect_the_others() -> None:
    log, gate = Log(), threading.Event()

    def slow() -> dict[str, Any]:
        gate.wait(20)
        return {"late": 1}

    facts = RunFacts(frozenset({"seed", "broken", "git", "bad_git"}), log.attempt)
    bad_git = BackgroundFind(lambda: {}["x"])
    facts.begin({
        "broken": lambda: {}["x"], "seed": lambda: {"seed": 1}, "unwanted": lambda: {"unwanted": 1},
        "git": BackgroundFind(slow), "bad_git": bad_git,
    })  # fmt: skip
    assert bad_git.is_done(20)
    assert facts.take() == {"seed": 1}
    assert log.failed == ["broken", "bad git"]
    assert facts.take() == {}
    gate.set()
    assert facts.take(20) == {"late": 1}
    assert facts.take() == {}
