# SPDX-License-Identifier: Apache-2.0
"""Checkpoints for landscapes, of a framework whose disk is as slow as a test wants it."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mindscope
from mindscope.collector.framework import CheckpointFormat, Framework
from mindscope.collector.landscape import LandscapeSettings
from mindscope.collector.landscape_checkpoints import LandscapeCheckpoints
from mindscope.collector.landscape_file import read_landscape_file
from mindscope.collector.landscape_retention import evenly, to_remove

INTERVALS = st.lists(
    st.lists(st.integers(1, 60), min_size=3, max_size=30, unique=True).map(sorted), min_size=1, max_size=4
)


@given(INTERVALS, st.integers(1, 40), st.integers(1, 60))
def test_what_stays_is_bounded_and_spread_evenly(intervals: list[list[int]], room: int, last: int) -> None:
    kept: dict[int, int] = {}
    for number in sorted({each for interval in intervals for each in interval if each <= last}):
        for each in to_remove(intervals, kept, number, 10, room * 10):
            del kept[each]
        kept[number] = 10
        least = {each for interval in intervals for each in [n for n in interval if n in kept][:3]}
        assert len(kept) <= max(room, len(evenly(intervals, room)) + 3 * len(intervals)) or set(kept) == least
        for interval in intervals:
            come = [each for each in interval if each <= number]
            stay = [each for each in come if each in kept]
            assert len(stay) >= min(3, len(come))  # so that a training that ends now has a landscape
            assert stay[:1] == come[:1]
        assert number in kept
    if last == 60:
        planned = evenly(intervals, room)
        assert planned <= set(kept)
        assert all({interval[0], interval[-1]} <= planned for interval in intervals)
        assert len(kept) <= max(room, len(planned))


def test_an_interval_is_thinned_to_even_distances() -> None:
    assert evenly([list(range(0, 101))], 11) == set(range(0, 101, 10))
    assert evenly([list(range(0, 101))], 1) == {0, 50, 100}
    assert evenly([[1, 2, 3], list(range(10, 31))], 8) == {1, 2, 3, 10, 15, 20, 25, 30}
    assert to_remove([[1, 2, 3]], {1: 5, 2: 5}, 3, 5, None) == []


class Copy:
    """Three bytes, written when ``may_write`` allows."""

    size = 3

    def __init__(self, number: int, may_write: threading.Event) -> None:
        self.number, self._may_write = number, may_write

    def write(self, file: Path) -> None:
        assert self._may_write.wait(60)
        file.write_text(f"{self.number:>3}")


class Slow:
    """As much of a framework as checkpoints ask for."""

    checkpoint_format = CheckpointFormat(".txt", is_listed_by_absolute_path=False)

    def __init__(self) -> None:
        self.may_write = threading.Event()
        self.copied: list[int] = []
        self.copies = threading.Semaphore(0)

    def network_name(self, params: Any) -> str:
        return "Net"

    def copy_weights(self, params: Any, spare: Any) -> Copy:
        self.copied.append(params["step"])
        self.copies.release()
        return Copy(params["step"], self.may_write)


def checkpoints(directory: Path, slow: Slow, timeout: float | None = None) -> LandscapeCheckpoints:
    settings = LandscapeSettings(intervals=((1, 2, 3, 4, 5, 6),))
    return LandscapeCheckpoints(directory, settings, cast(Framework, slow), timeout)


def test_at_most_two_are_in_memory_and_the_training_waits(tmp_path: Path) -> None:
    slow = Slow()
    kept = checkpoints(tmp_path, slow)

    def train() -> None:
        for step in range(1, 7):
            kept.keep("step", step, {"step": step})
        kept.close()

    training = threading.Thread(target=train)
    training.start()
    for _ in range(2):
        assert slow.copies.acquire(timeout=60)
    assert not mindscope.flush_all(0.0)  # they are what a process that ends has to write
    assert slow.copied == [1, 2]
    slow.may_write.set()
    training.join(60)
    assert list(read_landscape_file(tmp_path).checkpoints) == [1, 2, 3, 4, 5, 6]


def test_with_a_time_limit_the_training_goes_on_without_a_checkpoint(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    slow = Slow()
    kept = checkpoints(tmp_path, slow, timeout=0.01)
    for step in range(1, 7):
        if step == 6:
            slow.may_write.set()
            assert mindscope.flush_all()
        kept.keep("step", step, {"step": step})
    kept.close()
    assert slow.copied == list(read_landscape_file(tmp_path).checkpoints) == [1, 2, 6]
    said = [each.message for each in caplog.records]
    assert len(said) == 1
    assert "weights of step 3 were not kept for landscapes: TimeoutError: the disk is slower" in said[0]


def test_another_training_of_the_process_goes_on_or_begins_again(tmp_path: Path) -> None:
    slow = Slow()
    slow.may_write.set()
    kept = checkpoints(tmp_path, slow)
    for steps in ((1, 2, 3), (4, 5), (1, 2)):
        kept.begin_training()
        for step in steps:
            kept.keep("step", step, {"step": step})
        kept.finish({"batch_num": 7})
        kept.close()
        listed = read_landscape_file(tmp_path)
        assert list(listed.checkpoints) == ([1, 2, 3, 4, 5] if steps == (4, 5) else list(steps))
        assert listed.step_per_epoch == 7
        assert len([*(tmp_path / "ckpt_dir").glob("*.txt")]) == len(listed.checkpoints)
