# SPDX-License-Identifier: Apache-2.0
"""A recorder is flushed, closed or let go: what was recorded is in the file."""

from __future__ import annotations

import stat
import threading
from typing import TYPE_CHECKING

import numpy as np
import pytest

from mindscope.capture import SummaryRecord
from mindscope.errors import RecorderClosedError

if TYPE_CHECKING:
    from conftest import Log


def test_flush_brings_everything_into_the_file(log: Log) -> None:
    with SummaryRecord(log.directory) as record:
        for step in range(100):
            record.add_value("scalar", "a", float(step))
            record.add_value("histogram", "h", np.arange(1000))
            record.record(step)
        record.flush()
        assert len(log.events()) == 100


def test_closed_recorder_records_nothing(log: Log) -> None:
    record = SummaryRecord(log.directory)
    record.add_value("scalar", "a", 1.0)
    record.record(1)
    record.close()
    before = {path: path.read_bytes() for path in log.paths()}
    record.add_value("scalar", "a", 2.0)
    assert record.record(2) is False
    record.flush()
    record.close()
    assert {path: path.read_bytes() for path in log.paths()} == before
    with pytest.raises(RecorderClosedError):
        record.__enter__()


def test_adding_after_close_raises_if_told_to(log: Log) -> None:
    record = SummaryRecord(log.directory, raise_exception=True)
    record.close()
    with pytest.raises(RecorderClosedError):
        record.add_value("scalar", "a", 1.0)


def test_abandoned_recorder_is_finished(log: Log) -> None:
    record = SummaryRecord(log.directory)
    record.add_value("scalar", "a", 1.0)
    record.record(1)
    (writer,) = [thread for thread in threading.enumerate() if thread.name == "mindscope-writer"]
    del record
    writer.join(30)
    assert log.scalars("a") == [(1, 1.0)]
    assert stat.S_IMODE(log.paths()[0].stat().st_mode) == 0o400
