# SPDX-License-Identifier: Apache-2.0
"""SIGTERM: what was recorded is written, and the process ends as if nobody had handled the signal."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Log

Run = Callable[..., subprocess.CompletedProcess[str]]

BEGIN = """
import os, signal, sys, time
import numpy as np
import mindscope

record = mindscope.SummaryRecord(sys.argv[1])

def train(first, last):
    for step in range(first, last):
        record.add_value("scalar", "a", float(step))
        if step % 10 == 0:
            record.add_value("tensor", "t", np.zeros(100_000))
        record.record(step)

def end():
    os.kill(os.getpid(), signal.SIGTERM)
"""
WAIT = "\ntime.sleep(200)\n"
ALL = [(step, float(step)) for step in range(50)]


@pytest.mark.parametrize(
    "code",
    [
        "train(0, 50); end()" + WAIT,
        "train(0, 50); record.flush(); end()" + WAIT,
        "import threading; train(0, 50); threading.Thread(target=end).start()" + WAIT,
        "other = mindscope.SummaryRecord(sys.argv[1] + '/other'); train(0, 50); end()" + WAIT,
    ],
)
def test_what_was_recorded_before_sigterm_is_written(run_program: Run, log: Log, code: str) -> None:
    run_program(BEGIN + code, want=-signal.SIGTERM)
    assert log.scalars("a") == ALL
    assert len(log.values("t")) == 5


def test_a_call_that_keeps_the_interpreter_does_not_keep_the_process(run_program: Run) -> None:
    code = """
from mindscope.capture.termination import TerminationWatch
TerminationWatch(lambda: None, 0.3).start()
end()
sum(range(10**12))
"""
    run_program(BEGIN + code, want=-signal.SIGTERM)


def test_a_forked_child_writes_its_own_and_leaves_the_parent_alone(run_program: Run, log: Log) -> None:
    code = """
train(0, 10)
for records in (True, False):
    child = os.fork()
    if child == 0:
        if records:
            train(10, 20)
        end()
        time.sleep(200)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == -signal.SIGTERM, status
train(20, 50)
end()
time.sleep(200)
"""
    run_program(BEGIN + code, want=-signal.SIGTERM)
    assert sorted(log.scalars("a")) == ALL


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_handler_of_the_program_has_precedence_and_can_flush(run_program: Run, log: Log, when: str) -> None:
    handle = """
def on_signal(number, frame):
    assert mindscope.flush_all()
    os._exit(7)
signal.signal(signal.SIGTERM, on_signal)
"""
    train = "train(0, 50)\n"
    body = handle + train if when == "before" else train + handle
    run_program(BEGIN + body + "end()" + WAIT, want=7)
    assert log.scalars("a") == ALL


def test_an_ignored_signal_stays_ignored(run_program: Run, log: Log) -> None:
    run_program(
        BEGIN + "signal.signal(signal.SIGTERM, signal.SIG_IGN)\ntrain(0, 50)\nend()\ntrain(50, 60)\nrecord.close()"
    )
    assert len(log.scalars("a")) == 60


def test_programs_that_a_training_starts_get_the_default(run_program: Run) -> None:
    code = """
import subprocess
train(0, 3)
child = subprocess.Popen([sys.executable, "-S", "-c", "import time; print('ready', flush=True); time.sleep(200)"],
                         stdout=subprocess.PIPE)
child.stdout.readline()
child.terminate()
assert child.wait() == -signal.SIGTERM
"""
    run_program(BEGIN + code)
