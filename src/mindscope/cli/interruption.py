# SPDX-License-Identifier: Apache-2.0
"""Ends a command by SIGTERM as by Ctrl-C, also where the parent process ignores Ctrl-C, as nohup and CI may."""

from __future__ import annotations

import signal
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType


class Terminated(KeyboardInterrupt):
    """The exception that SIGTERM raises."""


@contextmanager
def terminable() -> Generator[None]:
    """Raise Terminated at SIGTERM in the body."""
    before = signal.signal(signal.SIGTERM, _terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def exit_code(interrupt: KeyboardInterrupt) -> int:
    """Return 130 after Ctrl-C, 143 after SIGTERM."""
    return 128 + (signal.SIGTERM if isinstance(interrupt, Terminated) else signal.SIGINT)


def _terminate(number: int, frame: FrameType | None) -> None:
    raise Terminated
