# SPDX-License-Identifier: Apache-2.0
"""Metrics of processors, memory, disk, network and this process, by psutil and the limits of the container."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil

from mindscope.system import cgroup
from mindscope.system.rates import Rates

_MIB, _GIB = 2**20, 2**30
_FAILURES = (psutil.Error, OSError, NotImplementedError, RuntimeError, AttributeError)


class MachineMetrics:
    """What the operating system tells about the machine and about this process.

    ``directory`` is on the disk whose space counts. Rates need two samples.
    """

    def __init__(self, directory: Path, cgroup_root: Path = cgroup.CGROUP) -> None:
        self._directory, self._cgroup = directory, cgroup_root
        self._process = psutil.Process()
        self._rates = Rates()

    def read(self) -> dict[str, float]:
        """Return the metrics by name, without those that this machine does not tell."""
        values: dict[str, float] = {}
        for part in (self._cpu, self._memory, self._disk, self._network, self._own):
            values |= _attempt(part)
        return values

    def _cpu(self) -> Iterator[tuple[str, float]]:
        quota, used_s = cgroup.cpu_quota(self._cgroup), cgroup.cpu_seconds(self._cgroup)
        if quota is not None and used_s is not None:
            cores = self._rates.per_second("cpu/percent", used_s, time.monotonic())
            yield from ((name, 100 * rate / quota) for name, rate in cores.items())
        else:
            times = psutil.cpu_times()
            idle = times.idle + getattr(times, "iowait", 0.0)
            # guest time is part of user time
            whole = sum(times) - getattr(times, "guest", 0.0) - getattr(times, "guest_nice", 0.0)
            for _, share in self._rates.per_second("cpu", whole - idle, whole).items():
                yield "cpu/percent", min(100 * share, 100.0)  # sums of floats may differ by a rounding

    def _memory(self) -> Iterator[tuple[str, float]]:
        limited = cgroup.memory(self._cgroup)
        machine = psutil.virtual_memory()
        used, whole = limited if limited is not None else (machine.total - machine.available, machine.total)
        yield "memory/percent", 100 * used / whole
        yield "memory/used_gib", used / _GIB

    def _disk(self) -> Iterator[tuple[str, float]]:
        yield "disk/percent", psutil.disk_usage(str(self._directory)).percent
        counters = psutil.disk_io_counters()
        if counters is not None:
            yield from self._mib_per_second("disk/read_mib_per_s", counters.read_bytes)
            yield from self._mib_per_second("disk/write_mib_per_s", counters.write_bytes)

    def _network(self) -> Iterator[tuple[str, float]]:
        counters = {name: each for name, each in psutil.net_io_counters(pernic=True).items() if name != "lo"}
        yield from self._mib_per_second(
            "network/received_mib_per_s", sum(each.bytes_recv for each in counters.values())
        )
        yield from self._mib_per_second("network/sent_mib_per_s", sum(each.bytes_sent for each in counters.values()))

    def _own(self) -> Iterator[tuple[str, float]]:
        with self._process.oneshot():
            times = self._process.cpu_times()
            cores = self._rates.per_second("process/cpu_percent", times.user + times.system, time.monotonic())
            yield from ((name, 100 * rate) for name, rate in cores.items())
            yield "process/memory_gib", self._process.memory_info().rss / _GIB
            yield "process/threads", self._process.num_threads()
        yield "processes", len(psutil.pids())

    def _mib_per_second(self, name: str, count: int) -> Iterator[tuple[str, float]]:
        yield from self._rates.per_second(name, count / _MIB, time.monotonic()).items()


def _attempt(part: Callable[[], Iterator[tuple[str, float]]]) -> dict[str, float]:
    """Return what a part tells before it fails: some machines, such as containers, hide some counters."""
    values: dict[str, float] = {}
    try:
        for name, value in part():
            values[name] = value
    except _FAILURES:
        pass
    return values
