# SPDX-License-Identifier: Apache-2.0
"""Writing that falls behind: a call waits for a bounded time, then large values are dropped and counted."""

from __future__ import annotations

import inspect
import logging
import threading
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import mindscope
from mindscope.capture import SummaryRecord, writer
from mindscope.capture.deferred_array import DeferredArray
from mindscope.errors import QueueFullError
from mindscope.reading import inspect_run

HUGE = 200 << 20


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    """Holds the encoding of huge tensors, as a busy machine does."""
    opened = threading.Event()
    yield opened
    opened.set()


def huge(gate: threading.Event) -> DeferredArray:
    """A tensor that counts as 200 MB, and is encoded once the gate is open."""

    def fetch() -> np.ndarray[tuple[int], np.dtype[np.float32]]:
        gate.wait()
        return np.ones(3, np.float32)

    return DeferredArray(HUGE, fetch)


def train(record: SummaryRecord, gate: threading.Event, steps: range) -> None:
    for step in steps:
        record.add_value("tensor", "t", huge(gate))
        record.add_value("scalar", "a", float(step))
        record.record(step)
        record.add_value("scalar", "b", float(step))
        record.record(step)


@pytest.mark.parametrize("timeout", [0, 0.05])
def test_a_call_does_not_wait_for_a_huge_tensor(tmp_path: Path, gate: threading.Event, timeout: float) -> None:
    with SummaryRecord(tmp_path, queue_timeout=timeout) as record:
        train(record, gate, range(200))  # would wait for ever
        record.add_value("custom_lineage_data", "", {"lr": 0.1})
        record.record(200)
        gate.set()
        record.flush()
        train(record, gate, range(200, 202))
        record.flush()
    run = mindscope.open_run(tmp_path)
    steps = [entry.step for entry in run.tensors("t")]
    assert steps[0] == 0
    assert steps[1] >= 200
    assert run.dropped == 202 - len(steps)
    for tag in ("a", "b"):
        assert run.scalars(tag).step.tolist() == list(range(202))
    assert run.lineage.custom == {"lr": 0.1}
    (reason,) = inspect_run(run).dropped_reasons
    assert "queue_timeout" in reason


def test_a_recorder_that_raises_says_that_the_queue_is_full(tmp_path: Path, gate: threading.Event) -> None:
    record = SummaryRecord(tmp_path, queue_timeout=0, raise_exception=True)
    record.add_value("tensor", "t", huge(gate))
    record.record(1)
    record.add_value("tensor", "t", huge(gate))
    with pytest.raises(QueueFullError, match="1 values of step 2 were dropped"):
        record.record(2)
    gate.set()
    record.close()


def test_without_a_limit_a_call_waits_and_nothing_is_dropped(tmp_path: Path, gate: threading.Event) -> None:
    with SummaryRecord(tmp_path) as record:
        trainer = threading.Thread(target=train, args=(record, gate, range(3)))
        trainer.start()
        gate.set()
        trainer.join()
        record.flush()
    run = mindscope.open_run(tmp_path)
    assert [entry.step for entry in run.tensors("t")] == [0, 1, 2]
    assert run.dropped == 0


class Heard(logging.Handler):
    """Notices the first message with a text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.event = threading.Event()
        self.messages: list[str] = []
        self._text = text

    def emit(self, record: logging.LogRecord) -> None:
        if self._text in record.getMessage():
            self.messages.append(record.getMessage())
            self.event.set()


def test_a_slow_disk_is_said_once_while_a_call_waits(
    tmp_path: Path, gate: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "SLOW_S", 0.0)
    heard = Heard("written to")
    logging.getLogger("mindscope").addHandler(heard)
    try:
        with SummaryRecord(tmp_path, queue_timeout=None) as record:
            trainer = threading.Thread(target=train, args=(record, gate, range(3)))
            trainer.start()
            assert heard.event.wait(100)  # it is said although the call has not returned
            gate.set()
            trainer.join()
    finally:
        logging.getLogger("mindscope").removeHandler(heard)
    (message,) = heard.messages
    assert str(tmp_path) in message
    assert mindscope.open_run(tmp_path).dropped == 0


def test_by_default_large_values_are_dropped_before_a_training_stands_still() -> None:
    default = inspect.signature(SummaryRecord).parameters["queue_timeout"].default
    assert 1 <= default <= 60


def test_what_finds_no_room_is_not_copied(tmp_path: Path, gate: threading.Event) -> None:
    value = np.ones(8 << 20, np.float32)
    with SummaryRecord(tmp_path, queue_timeout=0) as record:
        record.add_value("tensor", "huge", huge(gate))
        record.record(1)
        tracemalloc.start()
        try:
            record.add_value("tensor", "t", value)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        record.record(2)
        gate.set()
    run = mindscope.open_run(tmp_path)
    assert run.tags("tensor") == ("huge",)
    assert run.dropped == 1
    assert peak < value.nbytes / 10
