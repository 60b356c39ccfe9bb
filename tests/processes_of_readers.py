# SPDX-License-Identifier: Apache-2.0
"""Functions that tests run in limited processes."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import numpy as np

from mindscope.errors import FormatError
from mindscope.limited_process import Report
from mindscope.reasons import Reason


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
