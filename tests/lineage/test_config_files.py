# SPDX-License-Identifier: Apache-2.0
"""Files of settings beside event files."""

from __future__ import annotations

import math
import os
import re
from pathlib import Path

import pytest

from mindscope.lineage.config_files import MOST_BYTES, MOST_SETTINGS, config_stamp, read_config_files


def test_every_file_counts_and_the_first_decides(tmp_path: Path) -> None:
    (tmp_path / ".hydra").mkdir()
    (tmp_path / "params.json").write_text('{"lr": 0.1, "model": {"depth": 3}, "loss": Infinity}')
    (tmp_path / "params.yaml").write_text("lr: 0.2\nepochs: 5\n")
    (tmp_path / "hparams.yaml").write_text("width: 64\nbetas: !!python/tuple\n- 0.9\n- 0.999\n")
    (tmp_path / ".hydra" / "config.yaml").write_text("optimizer: {name: adam}\n")
    (tmp_path / "config.yaml").write_text("optimizer: {name: sgd}\nseed: 7\n")
    got = read_config_files(tmp_path)
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
        ("config.yaml", b"x" * (MOST_BYTES + 1), f"want at most {MOST_BYTES}"),
        ("config.yaml", "\n".join(f"k{n}: 1" for n in range(MOST_SETTINGS + 1)).encode(), "more than"),
    ],
)
def test_a_file_that_cannot_be_used_is_named_and_hides_no_other(
    tmp_path: Path, name: str, data: bytes, problem: str
) -> None:
    (tmp_path / name).write_bytes(data)
    (tmp_path / "hparams.yaml").write_text("lr: 0.5\n")
    got = read_config_files(tmp_path)
    assert dict(got.settings) == {"lr": 0.5}
    (told,) = got.problems
    assert told.startswith(str(tmp_path / name))
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
    got = read_config_files(run)
    assert got.settings == {}
    assert len(got.problems) == 3


def test_a_run_below_a_link_is_read(tmp_path: Path) -> None:
    (tmp_path / "real" / ".hydra").mkdir(parents=True)
    (tmp_path / "real" / "params.json").write_text('{"lr": 1}')
    (tmp_path / "real" / ".hydra" / "config.yaml").write_text("wd: 2")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert dict(read_config_files(tmp_path / "link").settings) == {"lr": 1, "wd": 2}


def test_the_stamp_changes_with_each_file(tmp_path: Path) -> None:
    stamps = [config_stamp(tmp_path)]
    (tmp_path / "hparams.yaml").write_text("a: 1")
    stamps.append(config_stamp(tmp_path))
    (tmp_path / "hparams.yaml").write_text("a: 10")
    stamps.append(config_stamp(tmp_path))
    (tmp_path / ".hydra").mkdir()
    stamps.append(config_stamp(tmp_path))
    (tmp_path / ".hydra" / "config.yaml").write_text("b: 1")
    stamps.append(config_stamp(tmp_path))
    (tmp_path / "other.txt").write_text("no settings")
    assert config_stamp(tmp_path)[1:] == stamps[-1][1:]
    assert len(set(stamps)) == 5
    assert config_stamp(tmp_path / "gone") == ()


def test_a_settled_directory_is_followed_without_listing_it(tmp_path: Path) -> None:
    (tmp_path / "params.json").write_text("{}")
    os.utime(tmp_path, ns=(1, 1))
    before = config_stamp(tmp_path)
    assert config_stamp(tmp_path, before) is before
    (tmp_path / "params.json").write_text('{"lr": 1}')  # the directory's own time stays
    written = config_stamp(tmp_path, before)
    assert written != before
    (tmp_path / "hparams.yaml").write_text("a: 1")
    assert len(config_stamp(tmp_path, written)) == 3
    (tmp_path / "params.json").unlink()
    assert [name for name, _, _ in config_stamp(tmp_path, written)] == ["", "hparams.yaml"]
