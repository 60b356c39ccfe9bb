# SPDX-License-Identifier: Apache-2.0
"""Programs that forget to close, fail, fork or are killed; nothing that was recorded may be missing."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mindscope.capture import SummaryRecord
from mindscope.capture.file_names import FileNames
from mindscope.formats import wire
from mindscope.formats.frames import FrameReader
from mindscope.formats.mindspore_schemas import EVENT
from mindscope.reading import open_run

if TYPE_CHECKING:
    from conftest import Log

Run = Callable[..., subprocess.CompletedProcess[str]]

BEGIN = """
import atexit, multiprocessing, os, signal, sys, threading
import numpy as np
from mindscope.capture import SummaryRecord

def train(record, tag, steps):
    for step in range(steps):
        record.add_value("scalar", tag, float(step))
        if step % 10 == 0:
            record.add_value("histogram", tag + "/h", np.arange(100_000))
        record.record(step)

record = SummaryRecord(sys.argv[1])
"""

ALL = [(step, float(step)) for step in range(50)]


@pytest.mark.parametrize(
    ("end", "want"),
    [
        ("", 0),
        ("sys.exit(3)", 3),
        ("raise RuntimeError('training failed')", 1),
        ("del record", 0),
        ("threading.Thread(target=train, args=(record, 'late', 50)).start()", 0),
        ("record.__enter__().__exit__(None, None, None)", 0),
    ],
)
def test_end_of_the_program_writes_everything(run_program: Run, log: Log, end: str, want: int) -> None:
    run_program(BEGIN + f"train(record, 'loss', 50)\n{end}", want=want)
    assert log.scalars("loss") == ALL
    assert len(log.values("loss/h")) == 5
    assert log.scalars("late") == (ALL if "late" in end else [])
    assert stat.S_IMODE(log.paths()[0].stat().st_mode) == 0o400


def test_values_recorded_while_the_interpreter_ends_are_written(run_program: Run, log: Log) -> None:
    run_program(BEGIN + "atexit.register(train, record, 'last', 50)\ntrain(record, 'loss', 50)")
    assert log.scalars("loss") == log.scalars("last") == ALL
    assert len(log.values("last/h")) == 5


def test_first_values_of_the_last_moment_are_written(run_program: Run, log: Log) -> None:
    run_program(BEGIN + "atexit.register(train, record, 'last', 50)")
    assert log.scalars("last") == ALL
    assert len(log.values("last/h")) == 5


def test_module_of_the_program_needs_no_main_guard(run_program: Run, log: Log) -> None:
    run_program(BEGIN + "train(record, 'loss', 50); record.close(); print(threading.active_count())")
    assert log.scalars("loss") == ALL


KILLED = (
    BEGIN
    + """
for step in range(STEPS):
    record.add_value("scalar", "loss", float(step))
    if HEAVY and step % 50 == 0:
        record.add_value("histogram", "h", np.arange(10_000))
    record.record(step)
    if step % 5 == 0:
        print(step, flush=True)
print("waiting", flush=True)
sys.stdin.read()
"""
)


def recorded_steps(log: Log) -> list[int]:
    """Of the whole records that are there by now."""
    (path,) = log.paths() or [None]
    if path is None:
        return []
    reader = FrameReader(str(path))
    events = [wire.decode(EVENT, payload) for _, payload in reader.records(path.read_bytes())][1:]
    assert reader.damages == ()
    return [event["step"] for event in events]


@pytest.mark.parametrize(
    ("steps", "heavy"), [(10_000_000, False), (10_000_000, True), (3, False)], ids=["fast", "heavy", "rests"]
)
def test_kill_costs_only_the_newest_values(log: Log, steps: int, heavy: bool) -> None:
    """Nobody calls flush() or close(): what the program recorded is in the file soon after, and stays when it dies."""
    code = KILLED.replace("HEAVY", str(heavy)).replace("STEPS", str(steps))
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", code, str(log.directory)], text=True, **pipes) as program:
        assert program.stdout is not None
        said = [program.stdout.readline() for _ in range(2 if steps == 3 else 20)]
        last = steps - 1 if steps == 3 else int(said[-1])
        deadline = time.monotonic() + 200
        while last not in recorded_steps(log):
            assert time.monotonic() < deadline
            _let_time_pass()
        program.send_signal(signal.SIGKILL)
    got = recorded_steps(log)
    assert got == list(range(len(got)))
    assert got[-1] >= last
    (path,) = log.paths()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_recorders_of_one_second_do_not_meet(log: Log) -> None:
    recorders = [SummaryRecord(log.directory) for _ in range(5)]
    assert len({record.log_dir for record in recorders}) == 5
    for number, record in enumerate(recorders):
        for step in range(50):
            record.add_value("scalar", f"r{number}", float(step))
            record.record(step)
        record.add_value("custom_lineage_data", "", {"number": number})
        record.record(50)
    for record in reversed(recorders):
        record.close()
    assert len(log.paths()) == len(log.lineage()) == 5
    for number, record in enumerate(recorders):
        assert log.scalars(f"r{number}") == ALL
        assert Path(record.log_dir).exists()


def test_file_that_another_process_makes_in_this_moment_is_left_alone(tmp_path: Path) -> None:
    class Raced(FileNames):
        """Where the other one is just faster."""

        is_creating = False
        theirs: Path | None = None

        def _is_taken(self, second: int, but: str = "") -> bool:
            is_taken = super()._is_taken(second, but)
            if self.is_creating and self.theirs is None:
                self.theirs = self.path(second, "_MS")
                self.theirs.write_bytes(b"theirs")
            return is_taken

    names = Raced(tmp_path, "events", ("_MS", "_lineage"))
    names.is_creating = True
    descriptor, second = names.create(names.second, "_MS")
    os.write(descriptor, b"ours")
    os.close(descriptor)
    assert names.theirs is not None
    assert names.theirs.read_bytes() == b"theirs"
    assert names.path(second, "_MS").read_bytes() == b"ours"


def test_processes_of_one_second_do_not_meet(log: Log) -> None:
    code = BEGIN + "sys.stdin.read(); train(record, sys.argv[2], 50); record.add_value('train_lineage', '', {}); "
    code += "record.record(50)"
    programs = [
        subprocess.Popen([sys.executable, "-c", code, str(log.directory), f"p{number}"], stdin=subprocess.PIPE)
        for number in range(4)
    ]
    for program in programs:  # all wait for the end of their input
        assert program.stdin is not None
        program.stdin.close()
    assert [program.wait(60) for program in programs] == [0] * 4
    assert len(log.paths()) == len(log.lineage()) == 4
    assert {path.name.removesuffix("_MS") for path in log.paths()} == {
        path.name.removesuffix("_lineage") for path in log.paths("_lineage")
    }
    for number in range(4):
        assert log.scalars(f"p{number}") == ALL


FORKS = {
    "fork and exit": "pid = os.fork()\nif pid == 0:\n    train(record, 'child', 50); sys.exit()\nos.waitpid(pid, 0)",
    "fork and close": "pid = os.fork()\nif pid == 0:\n    train(record, 'child', 50); record.close(); os._exit(0)\n"
    "os.waitpid(pid, 0)",
    "process": "process = multiprocessing.get_context('fork').Process(target=train, args=(record, 'child', 50))\n"
    "process.start(); process.join()",
    "failing process": "process = multiprocessing.get_context('fork').Process(\n"
    "    target=lambda: (train(record, 'child', 50), sys.exit(1)))\nprocess.start(); process.join()",
}


@pytest.mark.parametrize("fork", FORKS)
def test_child_of_a_fork_writes_a_file_of_its_own(run_program: Run, log: Log, fork: str) -> None:
    code = "train(record, 'before', 50)\nrecord.add_value('scalar', 'waiting', 1.0)\n" + FORKS[fork]
    run_program(BEGIN + code + "\ntrain(record, 'after', 50)")
    first, second = log.paths()
    tags = [{v["tag"] for e in log.file(path)[1:] for v in e["summary"]["value"]} for path in (first, second)]
    assert sorted(tags, key=len) == [{"child", "child/h"}, {"before", "before/h", "after", "after/h", "waiting"}]
    assert log.scalars("before") == log.scalars("child") == log.scalars("after") == ALL
    assert log.scalars("waiting") == [(0, 1.0)]


def test_child_that_records_nothing_leaves_nothing(run_program: Run, log: Log) -> None:
    code = "train(record, 'a', 50)\nif os.fork() == 0:\n    sys.exit()\nos.wait()\ntrain(record, 'b', 50)"
    run_program(BEGIN + code)
    assert len(log.paths()) == 1
    assert log.scalars("a") == log.scalars("b") == ALL


def test_forks_while_other_threads_record(run_program: Run, log: Log) -> None:
    code = """
threads = [threading.Thread(target=train, args=(record, f"t{n}", 3000)) for n in range(2)]
for thread in threads: thread.start()
children = []
for n in range(15):
    pid = os.fork()
    if pid == 0:
        train(record, f"child{n}", 50)
        sys.exit()
    children.append(pid)
assert [os.waitpid(pid, 0)[1] for pid in children] == [0] * 15
for thread in threads: thread.join()
"""
    run_program("import warnings; warnings.simplefilter('ignore')\n" + BEGIN + code)
    assert len(log.paths()) == 16
    for n in range(2):
        assert log.scalars(f"t{n}") == [(step, float(step)) for step in range(3000)]
    for n in range(15):
        assert log.scalars(f"child{n}") == ALL


def test_points_of_forks_that_record_one_tag_at_the_same_time_are_all_shown(run_program: Run, tmp_path: Path) -> None:
    code = """
barrier = multiprocessing.get_context("fork").Barrier(4)
def work(worker):
    for step in range(worker, 64, 4):
        barrier.wait()
        record.add_value("scalar", "shared", float(step))
        record.record(step)
processes = [multiprocessing.get_context("fork").Process(target=work, args=(n,)) for n in range(4)]
for process in processes: process.start()
for process in processes: process.join()
"""
    run_program(BEGIN + code)
    (directory,) = {path.parent for path in tmp_path.rglob("*summary*")}
    assert open_run(directory).scalars("shared").step.tolist() == [*range(64)]


def test_spawned_process_is_flushed_when_it_ends(tmp_path: Path, log: Log) -> None:
    program = tmp_path / "train.py"
    program.write_text(
        "import multiprocessing, sys\nfrom mindscope.capture import SummaryRecord\n"
        "def train():\n"
        "    record = SummaryRecord(sys.argv[1])\n"
        "    for step in range(50):\n"
        "        record.add_value('scalar', 'a', float(step)); record.record(step)\n"
        "if __name__ == '__main__':\n"
        "    process = multiprocessing.get_context('spawn').Process(target=train)\n"
        "    process.start(); process.join(); sys.exit(process.exitcode)\n"
    )
    subprocess.run([sys.executable, program, log.directory], check=True, timeout=250)
    assert log.scalars("a") == ALL


def test_signal_handler_may_record(run_program: Run, log: Log) -> None:
    code = """
count = 0
busy = False
def on_alarm(number, frame):
    global busy, count
    if busy:  # one alarm interrupted another
        return
    busy = True
    record.add_value("scalar", "alarm", float(count))
    record.record(count)
    count += 1
    busy = False
signal.signal(signal.SIGALRM, on_alarm)
signal.setitimer(signal.ITIMER_REAL, 0.001, 0.0002)
step = 0
while count < 300:
    record.add_value("scalar", "loss", float(step))
    record.record(step)
    step += 1
signal.setitimer(signal.ITIMER_REAL, 0)
print(step, count)
"""
    done = run_program(BEGIN + code)
    steps, alarms = map(int, done.stdout.split())
    assert sorted(value for _, value in log.scalars("alarm")) == [float(n) for n in range(alarms)]
    assert sorted(value for _, value in log.scalars("loss")) == [float(n) for n in range(steps)]


def test_idle_writer_never_wakes(log: Log) -> None:
    before = set(threading.enumerate())
    with SummaryRecord(log.directory) as record:
        record.add_value("scalar", "a", 1.0)
        record.add_value("histogram", "h", [0.5] * 300_000)
        record.record(1)
        record.flush()
        threads = [thread for thread in threading.enumerate() if thread not in before or "termination" in thread.name]
        assert {thread.name for thread in threads} >= {"mindscope-termination", "mindscope-writer"}
        deadline = time.monotonic() + 200
        while not _are_asleep(threads):  # the writer looks for a next step for a while
            assert time.monotonic() < deadline


def _are_asleep(threads: list[threading.Thread]) -> bool:
    before = _switches(threads)
    for _ in range(5):
        _let_time_pass()
    return _switches(threads) == before


def _switches(threads: list[threading.Thread]) -> list[str]:
    """How often the system let each thread run."""
    lines = [Path(f"/proc/self/task/{thread.native_id}/status").read_text().splitlines() for thread in threads]
    return [line for status in lines for line in status if "ctxt_switches" in line]


def _let_time_pass() -> None:
    """Wait as long as another program takes to start and end: some ten milliseconds."""
    for _ in range(10):
        subprocess.run([sys.executable, "-S", "-c", ""], check=True)
