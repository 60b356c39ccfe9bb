# SPDX-License-Identifier: Apache-2.0
"""Metrics of the machine against what the system itself says."""

from __future__ import annotations

import os
import time
from pathlib import Path

import psutil
import pytest

from mindscope.system.machine import MachineMetrics
from mindscope.system.rates import Rates

GIB = 2**30


def test_metrics_are_those_of_the_machine_and_of_this_process(tmp_path: Path):
    metrics = MachineMetrics(tmp_path, cgroup_root=tmp_path)
    assert "cpu/percent" not in metrics.read()  # counters begin
    block = b"x" * (200 << 20)
    start, began = time.process_time(), time.monotonic()
    while time.process_time() - start < 0.3:
        pass
    values = metrics.read()
    share = (time.process_time() - start) / (time.monotonic() - began)
    assert values["process/cpu_percent"] == pytest.approx(100 * share, rel=0.5)
    assert 0 < values["cpu/percent"] <= 100
    assert values["memory/used_gib"] == pytest.approx(
        (psutil.virtual_memory().total - psutil.virtual_memory().available) / GIB, rel=0.2
    )
    assert len(block) / GIB < values["process/memory_gib"] == pytest.approx(rss() / GIB, rel=0.05)
    assert values["process/threads"] == len(list(Path("/proc/self/task").iterdir()))
    assert values["processes"] == pytest.approx(len(psutil.pids()), abs=100)
    assert values["disk/percent"] == pytest.approx(psutil.disk_usage(str(tmp_path)).percent, abs=2)
    assert values["network/sent_mib_per_s"] >= 0


def test_a_container_counts_by_its_limits(tmp_path: Path):
    (tmp_path / "memory.max").write_text(f"{4 * GIB}\n")
    (tmp_path / "memory.current").write_text(f"{3 * GIB}\n")
    (tmp_path / "memory.stat").write_text(f"anon 5\ninactive_file {1 * GIB}\n")
    (tmp_path / "cpu.max").write_text("200000 100000\n")
    (tmp_path / "cpu.stat").write_text("usage_usec 1000000\nuser_usec 1\n")
    metrics = MachineMetrics(tmp_path, cgroup_root=tmp_path)
    start = time.monotonic()
    first = metrics.read()
    assert (first["memory/percent"], first["memory/used_gib"]) == (50, 2)
    (tmp_path / "cpu.stat").write_text("usage_usec 1400000\nuser_usec 1\n")
    time.sleep(0.2)
    percent = metrics.read()["cpu/percent"]
    assert 100 * 0.2 / (time.monotonic() - start) <= percent <= 100 * 0.2 / 0.2


@pytest.mark.parametrize("text", ["max 100000", "", "200000 0", "-5 100000", "x y z"])
def test_a_container_without_a_limit_counts_by_the_machine(tmp_path: Path, text: str):
    (tmp_path / "cpu.max").write_text(text)
    (tmp_path / "memory.max").write_text("max\n")
    metrics = MachineMetrics(tmp_path, cgroup_root=tmp_path)
    metrics.read()
    time.sleep(0.05)
    values = metrics.read()
    assert values["memory/percent"] == pytest.approx(psutil.virtual_memory().percent, abs=10)
    assert "cpu/percent" in values


def test_a_directory_that_is_gone_costs_its_own_metrics_only(tmp_path: Path):
    values = MachineMetrics(tmp_path / "gone").read()
    assert "disk/percent" not in values
    assert "memory/percent" in values


def test_rates_need_two_samples_and_survive_a_reset():
    rates = Rates()
    assert rates.per_second("a", 10, 1) == {}
    assert rates.per_second("a", 16, 3) == {"a": 3}
    assert rates.per_second("a", 2, 4) == {}
    assert rates.per_second("a", 4, 5) == {"a": 2}
    assert rates.per_second("a", 4, 5) == {}


def rss() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
