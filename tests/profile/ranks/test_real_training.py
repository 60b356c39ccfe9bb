# SPDX-License-Identifier: Apache-2.0
"""A training of three processes with gloo, one of which is slow on purpose."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import mindscope
from mindscope.profile.ranks.advice import advise_ranks
from mindscope.profile.ranks.open import read_ranks
from tests.profile.ranks import ddp_training
from tests.profile.ranks.ddp_training import RANKS, SLOW

pytestmark = pytest.mark.framework


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("ddp")
    command = [sys.executable, ddp_training.__file__]
    processes = [
        subprocess.Popen([*command, str(rank), str(root / "run"), str(root / "store")], stderr=subprocess.PIPE)
        for rank in range(RANKS)
    ]
    for process in processes:
        _, error = process.communicate(timeout=240)
        assert process.returncode == 0, error.decode()
    return root / "run"


def test_the_slow_rank_is_named(directory: Path) -> None:
    ranks = read_ranks(directory)
    assert (ranks.ranks, ranks.missing_ranks, ranks.cycles) == ([0, 1, 2], [], 2)
    found = {each.code: each for each in advise_ranks(ranks)}
    assert found["straggler"].values["rank"] == SLOW
    assert found["straggler"].values["waiting"] == pytest.approx(50e6, rel=0.5)
    assert found["slow_host"].values["rank"] == SLOW, "it sleeps: its CPU computes no longer than the others"
    assert found["slow_host"].values["cause"] == "idle"
    stragglers = ranks.stragglers
    assert stragglers is not None
    assert stragglers.rank.tolist().count(SLOW) >= len(stragglers) - 1


def test_clocks_of_one_machine_agree(directory: Path) -> None:
    clocks = read_ranks(directory).clocks
    assert clocks.is_aligned.all()
    assert (abs(clocks.offset) <= 20_000_000).all(), "gloo ends a collective within milliseconds"


def test_collectives_are_matched(directory: Path) -> None:
    ranks = read_ranks(directory)
    collectives, steps = ranks.collectives, ranks.steps
    assert collectives is not None
    assert steps is not None
    assert len(steps) == 3 * 8
    row = collectives.row(0)
    assert (row["kind"], row["dtype"], row["ranks"], row["count"]) == ("allreduce", "float", 3, 8)
    assert row["size"] == 8 * 4 * (256 * 10 + 10), "gradients of the weights and the bias, in one bucket"
    assert row["synchronizing"] > row["transfer"]


def test_the_run_has_its_ranks(directory: Path) -> None:
    ranks = mindscope.open_run(directory).profiles().ranks()
    assert ranks.ranks == [0, 1, 2]
