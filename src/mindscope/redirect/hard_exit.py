# SPDX-License-Identifier: Apache-2.0
"""Writes what is queued before ``os._exit``, by which scripts end past all hooks."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import NoReturn

from mindscope.capture.exit_hooks import flush_all

_EXIT = os._exit  # pyright: ignore[reportPrivateUsage]


def flush_before_hard_exit() -> None:
    """Make ``os._exit`` of this process write first. Idempotent."""
    os._exit = _exit


def _exit(status: int) -> NoReturn:
    with suppress(Exception):
        flush_all()
    _EXIT(status)
