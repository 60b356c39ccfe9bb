# SPDX-License-Identifier: Apache-2.0
"""Functions that tests run in limited processes."""

from __future__ import annotations

import os
import resource
import signal
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from mindscope.errors import FormatError
from mindscope.limited_process import Report
from mindscope.profile.formats.torch_trace import TORCH_TRACE
from mindscope.reasons import Reason
from mindscope.server.profiles.large_profile import read_into
from mindscope.store.free_memory import release_free_memory


def take(size: int, report: Report) -> None:
    """Take memory, and say how much."""
    report({"first": float(np.ones(size, np.uint8)[-1])})
    report({"taken": len(bytearray(size))})


def fail(how: str, report: Report) -> None:
    """End in a way."""
    if how == "format":
        raise FormatError(Reason("profile_empty", file="x.json"))
    if how == "system":
        Path("/nowhere/file").read_bytes()
    if how == "bug":
        raise KeyError("missing")
    if how == "memory":
        try:
            raise MemoryError
        except MemoryError as error:
            raise FormatError("x can't be read") from error
    os.kill(os.getpid(), signal.SIGKILL if how == "killed" else signal.SIGSEGV)


def wait(path: str, report: Report) -> None:
    """Name this process in a file, and wait for its end."""
    Path(path).write_text(str(os.getpid()))
    report({"is_there": True})
    time.sleep(3600)


def read_profile(path: str, folder: str, report: Report) -> None:
    """Read a trace of PyTorch as the viewer does; no more memory is there from its tables on."""

    def report_and_limit(message: Mapping[str, Any]) -> None:
        if message.get("phase") == "tables":
            release_free_memory()
            lines = Path("/proc/self/status").read_text().splitlines()
            taken = next(int(line.split()[1]) << 10 for line in lines if line.startswith("VmData:"))
            limit = taken + (1 << 20)
            resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
        report(message)

    read_into(path, TORCH_TRACE.name, None, folder, "version", report_and_limit)
