# SPDX-License-Identifier: Apache-2.0
"""Profilers that meet others, other threads and forks: PyTorch has one profile at a time, and crashes easily."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
import torch

from mindscope.profile.open import read_profile
from mindscope.torch import Profiler

pytestmark = pytest.mark.framework
TWO_CYCLES = {"warmup": 2, "active": 2, "repeat": 2}


def multiply() -> None:
    torch.mm(torch.ones(4, 4), torch.ones(4, 4))


def in_thread(call: Callable[[], object]) -> None:
    thread = threading.Thread(target=call)
    thread.start()
    thread.join()


def calls(profile: torch.profiler.profile) -> set[str]:
    return {each.key for each in cast("Any", profile.key_averages())}


def steps(file: Path) -> list[int]:
    return read_profile(file).steps.number.tolist()


def profile_of_torch() -> None:
    with torch.profiler.profile() as other:
        multiply()
    assert "aten::mm" in calls(other)


@pytest.mark.parametrize("run", [Callable.__call__, in_thread], ids=["here", "in_thread"])
def test_a_profile_of_torch_during_the_warm_up_costs_nothing(tmp_path: Path, run: Callable[[Any], object]) -> None:
    profiler = Profiler(output_path=tmp_path, schedule=TWO_CYCLES)
    for step in range(8):
        if step == 0:
            run(profile_of_torch)
        multiply()
        profiler.step()
    profiler.stop()
    assert [steps(file) for file in profiler.files] == [[2, 3], [6, 7]]


@pytest.mark.parametrize("begin", [0, 2], ids=["warm_up", "recording"])
def test_a_profile_of_torch_that_outlasts_a_cycle_keeps_its_events(tmp_path: Path, begin: int) -> None:
    profiler = Profiler(output_path=tmp_path, schedule=TWO_CYCLES)
    other = torch.profiler.profile()
    for step in range(8):
        if step == begin:
            other.start()
        multiply()
        profiler.step()
        if step == begin + 2:
            other.stop()
    profiler.stop()
    assert "aten::mm" in calls(other)
    other.export_chrome_trace(str(tmp_path / "other.json"))
    assert steps(profiler.files[-1])[-1] == 7


def test_a_warm_up_of_torch_is_left_alone(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    other = torch.profiler.profile(schedule=cast("Any", torch.profiler).schedule(wait=0, warmup=1, active=1))
    other.start()
    profiler = Profiler(output_path=tmp_path)
    other.step()
    multiply()
    other.stop()
    profiler.stop()
    assert "another profiler of PyTorch runs in this process; stop it first" in caplog.text
    assert "aten::mm" in calls(other)


def test_of_two_profilers_with_a_warm_up_the_first_records(tmp_path: Path) -> None:
    first = Profiler(output_path=tmp_path / "first", schedule=TWO_CYCLES)
    second = Profiler(output_path=tmp_path / "second", schedule=TWO_CYCLES)
    for _ in range(8):
        multiply()
        first.step()
        second.step()
    first.stop()
    second.stop()
    assert [steps(file) for file in first.files] == [[2, 3], [6, 7]]


def test_a_profile_of_another_thread_is_lost_and_the_next_is_not(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    profiler = Profiler(output_path=tmp_path, start_profile=False)
    in_thread(profiler.start)
    multiply()
    profiler.stop()
    assert profiler.files == []
    assert "another thread started it, and PyTorch lets only that one stop it" in caplog.text
    with profiler:
        multiply()
        profiler.step()
    assert len(profiler.files) == 1


def test_a_handler_may_end_the_profiler(tmp_path: Path) -> None:
    profiler = Profiler(
        output_path=tmp_path, schedule={"warmup": 0, "active": 1, "repeat": 0}, on_trace_ready=Profiler.analyse
    )
    multiply()
    profiler.step()
    assert not torch.autograd.profiler._is_profiler_enabled  # pyright: ignore[reportPrivateUsage]
    profile_of_torch()
    assert len(profiler.files) == 1


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # forks with threads, as data loaders do
def test_a_fork_does_not_follow_the_profiler_of_its_parent(tmp_path: Path) -> None:
    profiler = Profiler(output_path=tmp_path, schedule={"warmup": 0, "active": 1, "repeat": 0})

    def child() -> None:
        for _ in range(3):
            profiler.step()
        profiler.stop()
        os._exit(7)

    process = multiprocessing.get_context("fork").Process(target=child)
    process.start()
    process.join()
    assert process.exitcode == 7
    assert list(tmp_path.iterdir()) == []
    profiler.step()
    profiler.stop()
    assert len(profiler.files) == 2
