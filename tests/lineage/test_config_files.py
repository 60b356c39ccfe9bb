# SPDX-License-Identifier: Apache-2.0
"""Files of settings beside event files."""

from __future__ import annotations

import math
import os
import re
from itertools import pairwise
from pathlib import Path

import pytest

from mindscope.ingest.settings_files import SETTINGS_FILES
from mindscope.lineage.config_files import MOST_BYTES, MOST_SETTINGS, ConfigFiles, read_config_files


def read(run: Path) -> ConfigFiles:
    return read_config_files(str(run / name) for name in SETTINGS_FILES)


def test_every_file_counts_and_the_first_decides(tmp_path: Path) -> None:
    (tmp_path / ".hydra").mkdir()
    (tmp_path / "params.json").write_text('{"lr": 0.1, "model": {"depth": 3}, "loss": Infinity}')
    (tmp_path / "params.yaml").write_text("lr: 0.2\nepochs: 5\n")
    (tmp_path / "hparams.yaml").write_text("width: 64\nbetas: !!python/tuple\n- 0.9\n- 0.999\n")
    (tmp_path / ".hydra" / "config.yaml").write_text("optimizer: {name: adam}\n")
    (tmp_path / "config.yaml").write_text("optimizer: {name: sgd}\nseed: 7\n")
    got = read(tmp_path)
    assert dict(got.settings) == {
        "lr": 0.1,
        "model.depth": 3,
        "loss": math.inf,
        "epochs": 5,
        "width": 64,
        "betas": (0.9, 0.999),
        "optimizer.name": "adam",
        "seed": 7,
    }
    assert got.problems == ()


@pytest.mark.parametrize(
    ("name", "data", "problem"),
    [
        ("params.json", b'{"lr": 0.1', r"line 1, column \d+"),
        ("params.json", b"[" * 100_000, "nested deeper"),
        ("params.json", b"[1]", "holds a list"),
        ("params.yaml", b"a: &a [*a]", "refers to itself"),
        ("config.yaml", b"lr: \xff", "utf-8"),
        ("config.yaml", b"x" * (MOST_BYTES + 1), f"a settings file may have {MOST_BYTES}"),
        ("config.yaml", "\n".join(f"k{n}: 1" for n in range(MOST_SETTINGS + 1)).encode(), "more than"),
    ],
)
def test_a_file_that_cannot_be_used_is_named_and_hides_no_other(
    tmp_path: Path, name: str, data: bytes, problem: str
) -> None:
    (tmp_path / name).write_bytes(data)
    (tmp_path / "hparams.yaml").write_text("lr: 0.5\n")
    got = read(tmp_path)
    assert dict(got.settings) == {"lr": 0.5}
    (told,) = got.problems
    assert str(tmp_path / name) in told
    assert re.search(problem, told)


def test_links_and_pipes_are_not_read(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    (tmp_path / "secret.json").write_text('{"password": "x"}')
    (run / "params.json").symlink_to(tmp_path / "secret.json")
    os.mkfifo(run / "params.yaml")
    hydra = tmp_path / "hydra"
    hydra.mkdir()
    (hydra / "config.yaml").write_text("a: 1")
    (run / ".hydra").symlink_to(hydra)
    got = read(run)
    assert got.settings == {}
    assert len(got.problems) == 3


def test_a_run_below_a_link_is_read(tmp_path: Path) -> None:
    (tmp_path / "real" / ".hydra").mkdir(parents=True)
    (tmp_path / "real" / "params.json").write_text('{"lr": 1}')
    (tmp_path / "real" / ".hydra" / "config.yaml").write_text("wd: 2")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert dict(read(tmp_path / "link").settings) == {"lr": 1, "wd": 2}


def test_directories_and_circles_of_links_have_their_reason_and_leave_nothing_open(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").mkdir()
    (tmp_path / "params.json").symlink_to("params.json")
    (tmp_path / "params.yaml").symlink_to(tmp_path)
    (tmp_path / "hparams.yaml").symlink_to("nowhere")
    before = len(list(Path("/proc/self/fd").iterdir()))
    got = [read(tmp_path) for _ in range(3)][-1]
    assert len(list(Path("/proc/self/fd").iterdir())) == before
    codes = {Path(str(problem.values["file"])).name: problem.code for problem in got.problems}
    assert codes == {"params.json": "settings_link", "params.yaml": "settings_link", "config.yaml": "settings_no_file"}


@pytest.mark.parametrize(
    ("name", "data", "settings", "problem"),
    [
        ("config.yaml", b"a: [x, " * 10_000, {}, "nested deeper"),
        ("config.yaml", b"\n".join(b" " * level + b"a:" for level in range(900)), {}, "nested deeper"),
        ("params.json", b'{"a":' * 10_000 + b"1" + b"}" * 10_000, {}, "nested deeper"),
        ("config.yaml", "lr: 1".encode("utf-16"), {}, "utf-8"),
        ("config.yaml", b"lr: \x00", {}, "control characters"),
        ("config.yaml", b"a: !!python/object/apply:os.getcwd []\nb: !own 1\n", {"a": (), "b": "1"}, None),
        ("params.json", b'{"a": 18446744073709551616, "b": 1e999, "c": -0}', {"a": 2**64, "b": math.inf, "c": 0}, None),
        ("params.json", b'{"a": ' + b"9" * 5000 + b"}", {}, "digits"),
        ("params.json", b'{"and": 1, "fact/state": 2, "": 3}', {"and": 1, "fact/state": 2, "": 3}, None),
    ],
)
def test_hostile_files(
    tmp_path: Path, name: str, data: bytes, settings: dict[str, object], problem: str | None
) -> None:
    (tmp_path / name).write_bytes(data)
    got = read(tmp_path)
    assert dict(got.settings) == settings
    assert [problem in told for told in got.problems] == ([] if problem is None else [True])


def test_aliases_do_not_grow_without_limit(tmp_path: Path) -> None:
    letters = "abcdefghij"
    lines = ["a: &a [x, x, x, x, x, x, x, x, x]"]
    for before, letter in pairwise(letters):
        lines.append(f"{letter}: &{letter} [{', '.join([f'*{before}'] * 9)}]")
    (tmp_path / "config.yaml").write_text("\n".join(lines))
    (told,) = read(tmp_path).problems
    assert "aliases included" in told
