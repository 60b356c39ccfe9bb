# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C and other signals whose handlers raise, at any moment of a call of the recorder."""

from __future__ import annotations

import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import numpy as np
import pytest

import mindscope
from mindscope.capture import SummaryRecord
from mindscope.threads.interruptible_condition import InterruptibleCondition


class Interruptions:
    """A handler that raises KeyboardInterrupt once after each ``arm``."""

    def __init__(self) -> None:
        self.count = 0
        self._is_armed = False

    def arm(self, delay_s: float) -> None:
        self._is_armed = True
        signal.setitimer(signal.ITIMER_REAL, delay_s)

    def disarm(self) -> None:
        self._is_armed = False

    def on_signal(self, number: int, frame: FrameType | None) -> None:
        if self._is_armed:
            self._is_armed = False
            self.count += 1
            raise KeyboardInterrupt


@contextmanager
def interruptions() -> Generator[Interruptions]:
    handler = Interruptions()
    before = signal.signal(signal.SIGALRM, handler.on_signal)
    try:
        yield handler
    finally:
        handler.disarm()
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_a_wait_that_a_signal_ends_holds_its_lock() -> None:
    """The condition of the standard library loses it in 1 of 70 of these waits."""
    condition = InterruptibleCondition()
    with interruptions() as handler:
        for number in range(4000):
            try:
                handler.arm((1 + number % 40) * 1e-6)
                with condition:
                    for _ in range(20):
                        condition.wait(0)
                handler.disarm()
            except KeyboardInterrupt:
                pass
    assert handler.count > 1000


def test_a_reentrant_lock_is_released_and_taken_again_whole() -> None:
    condition = InterruptibleCondition()
    was_free: list[bool] = []

    def notify() -> None:
        with condition:
            was_free.append(True)
            condition.notify_all()

    with condition, condition:
        thread = threading.Thread(target=notify)
        thread.start()
        assert condition.wait()
        assert was_free
        for _ in range(2):  # it is held twice
            condition.release()
        with pytest.raises(RuntimeError, match="un-acquired"):
            condition.release()
        condition.acquire()
        condition.acquire()
    thread.join()


def test_ctrl_c_inside_of_a_flush_comes_out_as_such_and_loses_nothing(tmp_path: Path) -> None:
    recorded: list[int] = []
    record = SummaryRecord(tmp_path)
    with interruptions() as handler:
        for step in range(6000):
            if step >= 600 and handler.count > 50:
                break
            try:
                record.add_value("scalar", "loss", float(step))
                record.add_value("tensor", "t", np.full(3, step, np.float32))
                record.record(step)
                recorded.append(step)
                handler.arm((1 + step % 60) * 1e-5)
                record.flush()
                handler.disarm()
            except KeyboardInterrupt:
                pass
    record.close()
    run = mindscope.open_run(tmp_path)
    assert run.scalars("loss").step.tolist() == recorded == list(range(len(recorded)))
    assert [entry.step for entry in run.tensors("t")] == recorded
    assert handler.count > 50
    assert not run.damages
