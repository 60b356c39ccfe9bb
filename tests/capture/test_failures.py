# SPDX-License-Identifier: Apache-2.0
"""Disks that are full, directories that vanish, files that have an end: training goes on, what was written stays."""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindscope.capture import SummaryRecord
from mindscope.capture.arguments import MIN_FILE_SIZE
from mindscope.capture.event_file import AppendError, EventFileWriter
from mindscope.capture.event_writer import Destination
from mindscope.capture.file_names import FileNames
from mindscope.capture.writer import Writer
from mindscope.formats.frames import frame
from mindscope.formats.mindspore import summary_event, value_field

if TYPE_CHECKING:
    from conftest import Log

Run = Callable[..., subprocess.CompletedProcess[str]]

LIMITED = """
import resource, sys
from mindscope.capture import SummaryRecord

def limit(size):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

def train(record, first, last):
    for step in range(first, last):
        record.add_value("scalar", "loss", float(step))
        record.record(step)
        if step % 7 == 0:
            record.flush()
"""


@pytest.mark.parametrize("size", [0, 1, 43, 44, 45, 1000, 1024, 4000])
def test_full_disk_costs_only_what_does_not_fit(run_program: Run, log: Log, size: int) -> None:
    """A limit of the system on the size of files stands in for the disk: it cuts a write the same way."""
    code = f"""
with SummaryRecord(sys.argv[1]) as record:
    limit({size})
    train(record, 0, 200)
    record.flush()
    limit(-1)
    train(record, 200, 300)
"""
    run_program(LIMITED + code)
    got = [step for step, _ in log.scalars("loss")]
    dropped = log.scalars("mindscope/dropped")[-1][1]
    assert len(got) + dropped == 300
    assert got[-100:] == list(range(200, 300))
    assert got[:-100] == list(range(len(got) - 100))
    assert [value for _, value in log.scalars("mindscope/dropped")] == [dropped]


@pytest.mark.parametrize("size", [1000, 1024, 4000])
def test_disk_that_stays_full_leaves_whole_records(run_program: Run, log: Log, size: int) -> None:
    run_program(LIMITED + f"record = SummaryRecord(sys.argv[1])\nlimit({size})\ntrain(record, 0, 200)\nrecord.close()")
    got = [step for step, _ in log.scalars("loss")]  # which finds nothing behind the last whole record
    assert got == list(range(len(got)))
    assert 0 < len(got) < 200


NO_DESCRIPTOR = """
import os, resource, sys
from mindscope.capture import SummaryRecord
record = SummaryRecord(sys.argv[1])
resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100))
taken = []
try:
    while True:
        taken.append(os.open("/dev/null", 0))
except OSError:
    pass
for step in range(100):
    record.add_value("scalar", "loss", float(step))
    record.record(step)
record.flush()
for descriptor in taken:
    os.close(descriptor)
"""


def test_no_free_descriptor_at_the_first_write_is_survived(run_program: Run, log: Log) -> None:
    done = run_program(NO_DESCRIPTOR + "for step in range(100, 200):\n"
                       "    record.add_value('scalar', 'loss', float(step))\n    record.record(step)\n")  # fmt: skip
    assert log.scalars("loss") == [(step, float(step)) for step in range(100, 200)]
    assert log.scalars("mindscope/dropped")[-1][1] == 100
    assert "ulimit -n" in done.stderr
    assert "Traceback" not in done.stderr


def test_after_it_sigterm_still_flushes_another_recorder(run_program: Run, log: Log) -> None:
    code = """
import signal, time
with SummaryRecord(sys.argv[1]) as other:
    other.add_value("scalar", "late", 1.0)
    other.record(1)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(200)
"""
    run_program(NO_DESCRIPTOR + code, want=-signal.SIGTERM)
    assert log.scalars("late") == [(1, 1.0)]


def test_full_disk_raises_in_a_later_call_if_told_to(run_program: Run, log: Log) -> None:
    code = """
record = SummaryRecord(sys.argv[1], raise_exception=True)
limit(2000)
try:
    train(record, 0, 200)
except OSError as error:
    print("raised", error)
limit(-1)
record.close()
"""
    assert "raised" in run_program(LIMITED + code).stdout
    assert log.scalars("loss")[0] == (0, 0.0)


def test_values_are_recorded_again_when_there_is_room(small_disk: Path) -> None:
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(48 << 10))
    record = SummaryRecord(small_disk / "run")
    for step in range(1000):
        record.add_value("scalar", "loss", float(step))
        record.record(step)
    record.flush()
    ballast.unlink()
    record.add_value("scalar", "loss", 1000.0)
    record.record(1000)
    record.close()
    (path,) = (small_disk / "run").iterdir()
    content = path.read_bytes()
    assert content.count(b"loss") + _last_dropped(path) == 1001


def _last_dropped(path: Path) -> float:
    from mindscope.formats import wire
    from mindscope.formats.frames import FrameReader
    from mindscope.formats.mindspore_schemas import EVENT

    events = [wire.decode(EVENT, payload) for _, payload in FrameReader(str(path)).records(path.read_bytes())]
    values = [value for event in events for value in event.get("summary", {}).get("value", [])]
    return [value["scalar_value"] for value in values if value["tag"] == "mindscope/dropped"][-1]


def test_removed_directory_is_made_again(log: Log) -> None:
    with SummaryRecord(log.directory) as record:
        record.add_value("scalar", "a", 1.0)
        record.record(1)
        record.flush()
        shutil.rmtree(log.directory)
        for step in (2, 3):
            record.add_value("scalar", "a", float(step))
            record.record(step)
            record.flush()
        assert Path(record.log_dir).exists()
    assert log.scalars("a") == [(2, 2.0), (3, 3.0)]


def test_removed_file_is_followed_by_another(log: Log) -> None:
    with SummaryRecord(log.directory) as record:
        record.add_value("scalar", "a", 1.0)
        record.record(1)
        record.flush()
        Path(record.log_dir).unlink()
        record.add_value("scalar", "a", 2.0)
        record.record(2)
    assert log.scalars("a") == [(2, 2.0)]


def test_emptied_file_is_followed_by_another(log: Log) -> None:
    with SummaryRecord(log.directory) as record:
        record.add_value("scalar", "a", 1.0)
        record.record(1)
        record.flush()
        first = Path(record.log_dir)
        first.write_bytes(b"")
        record.add_value("scalar", "a", 2.0)
        record.record(2)
        record.flush()
        first.unlink()
    assert log.scalars("a") == [(2, 2.0)]


@pytest.mark.parametrize("is_reused", [False, True])
def test_descriptor_closed_by_others_is_survived(log: Log, tmp_path: Path, is_reused: bool) -> None:
    other = tmp_path / "other"
    with SummaryRecord(log.directory) as record:
        record.add_value("scalar", "a", 1.0)
        record.record(1)
        record.flush()
        (descriptor,) = [link for link in Path("/proc/self/fd").iterdir() if _target(link) == record.log_dir]
        os.close(int(descriptor.name))
        with other.open("wb") if is_reused else contextlib.nullcontext():
            for step in (2, 3):
                record.add_value("scalar", "a", float(step))
                record.record(step)
                record.flush()
    assert log.scalars("a") == [(1, 1.0), (2, 2.0), (3, 3.0)]
    assert not is_reused or other.read_bytes() == b""


def _target(link: Path) -> str:
    try:
        return str(link.readlink())
    except FileNotFoundError:  # the one that listed them
        return ""


def test_directory_that_is_in_the_way_is_survived(log: Log) -> None:
    with SummaryRecord(log.directory) as record:
        shutil.rmtree(log.directory)
        log.directory.write_text("a file")
        for step in range(5):
            record.add_value("scalar", "a", float(step))
            record.add_value("train_lineage", "", {})
            assert record.record(step) is True
            record.flush()
        log.directory.unlink()
        record.add_value("scalar", "a", 5.0)
        record.record(5)
    assert log.scalars("a") == [(5, 5.0)]
    assert log.scalars("mindscope/dropped") == [(5, 10.0)]


def test_values_go_on_into_the_next_file(log: Log) -> None:
    with SummaryRecord(log.directory, max_file_size=MIN_FILE_SIZE) as record:
        for step in range(200):
            record.add_value("scalar", "loss", float(step))
            record.add_value("tensor", "t", np.zeros(400, np.float32))
            record.add_value("custom_lineage_data", "", {"note": "x" * 2000})
            record.record(step)
    assert log.scalars("loss") == [(step, float(step)) for step in range(200)]
    assert len(log.lineage()) == 200
    for paths in (log.paths(), log.paths("_lineage")):
        assert len(paths) > 5
        assert all(path.stat().st_size <= MIN_FILE_SIZE for path in paths)
        assert {oct(path.stat().st_mode & 0o777) for path in paths} == {"0o400"}


def test_record_beyond_the_limit_gets_a_file_for_itself(log: Log) -> None:
    with SummaryRecord(log.directory, max_file_size=MIN_FILE_SIZE) as record:
        for step in range(9):
            record.add_value("tensor", "t", np.zeros(100_000 if step % 3 == 1 else 1000))
            record.record(step)
    assert [event["step"] for event in log.events()] == list(range(9))
    for path in log.paths():
        assert path.stat().st_size <= MIN_FILE_SIZE or len(log.file(path)) == 2  # the version and the record


@settings(max_examples=50, deadline=None)
@given(st.lists(st.lists(st.integers(1, 300), min_size=1, max_size=8), max_size=8), st.integers(1, 700))
def test_files_hold_all_records_in_order(batches: list[list[int]], limit: int) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as directory:
        file = EventFileWriter(FileNames(Path(directory), "e", ("_MS",)), "_MS", lambda: b"head", limit)
        want: list[bytes] = []
        for batch in batches:
            records = [frame(bytes([len(want) % 256]) * size) for size in batch]
            want += records
            excess = file.append(records)
            assert (excess > 0) == any(len(record) + 4 > limit for record in records)
        file.close()
        paths = sorted(Path(directory).iterdir())
        contents = [path.read_bytes() for path in paths]
    assert all(content.startswith(b"head") for content in contents)
    assert b"".join(content[4:] for content in contents) == b"".join(want)
    oversize = {b"head" + record for record in want if len(record) + 4 > limit}
    assert all(len(content) <= limit or content in oversize for content in contents)


def test_append_says_how_much_is_written(tmp_path: Path) -> None:
    (tmp_path / "place").write_text("no directory")
    file = EventFileWriter(FileNames(tmp_path / "place", "e", ("_MS",)), "_MS", bytes, None)
    with pytest.raises(AppendError) as caught:
        file.append([b"a", b"b"])
    assert caught.value.written == 0
    assert isinstance(caught.value.error, OSError)


def test_full_queue_makes_the_caller_wait(tmp_path: Path) -> None:
    writer = Writer(Destination(tmp_path, "events", "_MS", None, False), 1, queue_bytes=1000)
    record = frame(summary_event(1.0, 1, value_field({"tag": "x" * 280})))
    most = 0
    for _ in range(500):
        with writer.lock:
            writer.submit(record, len(record))
            most = max(most, writer.queued_bytes)
    writer.close()
    assert most <= 1000
    (path,) = tmp_path.iterdir()
    assert path.read_bytes().endswith(record * 500)


def test_value_larger_than_the_queue_is_taken(tmp_path: Path) -> None:
    writer = Writer(Destination(tmp_path, "events", "_MS", None, False), 1, queue_bytes=1000)
    record = frame(summary_event(1.0, 1, value_field({"tag": "x" * 5000})))
    for _ in range(3):
        with writer.lock:
            writer.submit(record, len(record))
    writer.close()
    (path,) = tmp_path.iterdir()
    assert path.read_bytes().endswith(record * 3)


def test_logging_handler_may_record(log: Log) -> None:
    class Recording(logging.Handler):
        """Records every message that is logged, on whatever thread."""

        def emit(self, message: logging.LogRecord) -> None:
            record.add_value("scalar", "messages", float(len(said)))
            said.append(message.getMessage())
            record.record(1000 + len(said))

    said: list[str] = []
    handler = Recording()
    with SummaryRecord(log.directory, max_file_size=MIN_FILE_SIZE) as record:
        logging.getLogger("mindscope").addHandler(handler)
        try:
            record.add_value("scalar", "bad", "text")  # said on this thread
            record.add_value("image", "bad", np.full((4, 4), np.nan))  # on one of the pool
            record.add_value("tensor", "large", np.zeros(100_000))  # on the writer's
            record.record(1)
            record.flush()
            record.flush()
        finally:
            logging.getLogger("mindscope").removeHandler(handler)
    assert len(said) == 3
    assert sorted(log.scalars("messages")) == [(1001, 0.0), (1002, 1.0), (1003, 2.0)]
