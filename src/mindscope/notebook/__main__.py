# SPDX-License-Identifier: Apache-2.0
"""Runs a command until its standard input ends, which is when the kernel that started it has ended."""

from __future__ import annotations

import os
import signal
import sys
from threading import Thread

from mindscope.cli import main


def _end_with_input() -> None:
    sys.stdin.buffer.read()
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    Thread(target=_end_with_input, daemon=True).start()
    main()
