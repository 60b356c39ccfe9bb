# SPDX-License-Identifier: Apache-2.0
"""One thread samples for all recorders of a process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from queue import Queue

import pytest

from mindscope import SummaryRecord, open_run
from mindscope.system.sampler import VARIABLE, SystemSampler

Samples = Queue[Mapping[str, float]]


@pytest.fixture
def sampler(monkeypatch: pytest.MonkeyPatch) -> SystemSampler:
    monkeypatch.setenv(VARIABLE, "1")
    return SystemSampler(interval_s=0.02, first_s=0.02)


def threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "mindscope-system"]


def test_all_recorders_get_the_samples_of_one_thread(sampler: SystemSampler, tmp_path: Path):
    one: Samples = Queue()
    other: Samples = Queue()
    sampler.add(one.put, tmp_path)
    sampler.add(other.put, tmp_path)
    values = one.get(timeout=60)
    assert {"system/cpu/percent", "system/memory/percent", "system/process/memory_gib"} <= values.keys()
    other.get(timeout=60)
    (thread,) = threads()
    sampler.remove(one.put)
    other.get(timeout=60)
    sampler.remove(other.put)
    sampler.remove(other.put)
    thread.join(60)
    assert not thread.is_alive()


@pytest.mark.parametrize("value", ["0", "false", "No", " off "])
def test_a_variable_switches_them_off(value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(VARIABLE, value)
    samples: Samples = Queue()
    SystemSampler(0.01, 0.01).add(samples.put, tmp_path)
    assert threads() == []


def test_a_forked_child_samples_only_for_itself(sampler: SystemSampler, tmp_path: Path):
    samples: Samples = Queue()
    sampler.add(samples.put, tmp_path)
    samples.get(timeout=60)
    child = os.fork()
    if child == 0:
        sampler.remove(samples.put)  # of the parent: nothing to do, and no lock that it held
        os._exit(len(threads()))
    assert os.waitpid(child, 0)[1] == 0
    samples.get(timeout=60)
    sampler.remove(samples.put)


def test_a_recorder_that_fails_ends_the_samples_with_a_warning(
    sampler: SystemSampler, tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    def fail(_values: Mapping[str, float]) -> None:
        raise OSError("no")

    with caplog.at_level("WARNING", "mindscope"):
        sampler.add(fail, tmp_path)
        for thread in threads():
            thread.join(60)
    assert "system metrics are no longer recorded: OSError: no" in caplog.text


def test_samples_have_the_step_of_the_training_and_its_values_stay(sampler: SystemSampler, tmp_path: Path):
    done = threading.Event()

    with SummaryRecord(tmp_path) as record:

        def write(values: Mapping[str, float]) -> None:
            record.record_beside(values)
            done.set()

        record.add_value("scalar", "loss", 0.5)
        record.record(41)
        record.add_value("scalar", "loss", 0.25)
        sampler.add(write, tmp_path)
        assert done.wait(60)
        sampler.remove(write)
        record.record(42)
    record.record_beside({"system/late": 1.0})  # after close: nothing
    run = open_run(tmp_path)
    assert run.scalars("loss").step.tolist() == [41, 42]
    assert set(run.scalars("system/memory/percent").step.tolist()) == {41}


def test_ctrl_c_at_once_ends_the_process_as_without_metrics(tmp_path: Path):
    code = "import sys, mindscope\nmindscope.init(dir=sys.argv[1], name=sys.argv[2])\nraise KeyboardInterrupt"
    environment = {**os.environ, VARIABLE: "1", "MINDSCOPE_FILES": "1"}
    for name in ("a", "b", "c"):
        command = [sys.executable, "-c", code, str(tmp_path), name]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=120)
        assert done.returncode == -signal.SIGINT, done.stderr
        assert done.stderr.rstrip().endswith("KeyboardInterrupt")
