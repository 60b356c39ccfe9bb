# SPDX-License-Identifier: Apache-2.0
"""Processes that measure themselves, and the machine that they ran on."""

from __future__ import annotations

import contextlib
import gc
import importlib.metadata
import json
import mmap
import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

SPAWNED = "BENCH_SPAWNED"
LARGEST_BYTES = 1200 << 20
"""What the largest of the readers needs."""


def have_memory_handed_out() -> None:
    """Use as much memory as a reader may need and give it back.

    A virtual machine returns memory that is free for a few seconds to its host, and whoever uses it next waits for the
    host: three times as long for the same load. So the first of two readers would pay for the second, too.
    """
    with mmap.mmap(-1, LARGEST_BYTES) as memory:
        touched = np.frombuffer(memory, np.uint8)
        touched[:: mmap.PAGESIZE] = 1
        del touched  # the mapping can't end before


def run_alone(script: str, *arguments: str) -> dict[str, Any] | None:
    """What a script of this folder reports from a fresh process; None where the peer that it needs is missing."""
    command = [sys.executable, str(Path(__file__).with_name(script)), *arguments]
    have_memory_handed_out()
    environment = {**os.environ, SPAWNED: repr(time.time())}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode == 0:
        return json.loads(done.stdout.splitlines()[-1])
    if "ModuleNotFoundError" in done.stderr:
        return None
    sys.exit(f"{script} {' '.join(arguments)} failed:\n{done.stderr}")


def report(**figures: Any) -> None:
    """Print the figures for ``run_alone``, with this process' peak of memory."""
    print(json.dumps({**figures, "peak_mb": memory_mb("VmHWM")}))


def started_s() -> float:
    """Seconds since this process was spawned: what starting Python and importing took, at the place of the call."""
    return time.time() - float(os.environ[SPAWNED])


def memory_mb(entry: str, pid: int | str = "self") -> float:
    """An entry of a process' status in MB: VmHWM is the peak of resident memory, VmRSS the present."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        name, _, value = line.partition(":")
        if name == entry:
            return int(value.split()[0]) / 1000
    return float("nan")


def family(pid: int) -> list[int]:
    """The process and those that it has begun."""
    children = [
        int(each) for task in Path(f"/proc/{pid}/task").iterdir() for each in (task / "children").read_text().split()
    ]
    return [pid, *(each for child in children for each in family(child))]


def processor_s(pid: int) -> float:
    """Seconds of processor time that the process has used so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Stopwatch:
    """Seconds of the block, once it has ended."""

    seconds = float("nan")


@contextlib.contextmanager
def timed() -> Iterator[Stopwatch]:
    gc.collect()
    watch = Stopwatch()
    start = time.perf_counter()
    yield watch
    watch.seconds = time.perf_counter() - start


def machine() -> str:
    """The processor, Python and the versions that were measured; how busy the machine was before."""
    names = ["mindscope", "numpy", "tensorboard", "tensorboard-data-server", "mindspore", "protobuf"]
    versions = ", ".join(f"{name} {version}" for name in names if (version := _version(name)))
    load = " ".join(f"{each:.2f}" for each in os.getloadavg())
    return (
        f"{len(os.sched_getaffinity(0))} cores of {_processor()}, load before {load}, "
        f"{platform.system()} {platform.machine()}, Python {platform.python_version()}; {versions}"
    )


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _processor() -> str:
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "an unknown processor"
