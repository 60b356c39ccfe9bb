# SPDX-License-Identifier: Apache-2.0
"""What the interpreter asks of the system, to be counted in tests."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

_told: dict[str, list[str]] = {}  # by event, while somebody listens


def _audit(event: str, arguments: tuple[object, ...]) -> None:
    paths = _told.get(event)
    if paths is not None:
        paths.append(str(arguments[0]))


sys.addaudithook(_audit)  # can't be taken back, so it stays and is silent outside of the tests


@contextmanager
def opened_files() -> Iterator[list[str]]:
    with _listening("open") as paths:
        yield paths


@contextmanager
def listed_directories() -> Iterator[list[str]]:
    with _listening("os.scandir") as paths:
        yield paths


@contextmanager
def _listening(event: str) -> Iterator[list[str]]:
    _told[event] = []
    try:
        yield _told[event]
    finally:
        del _told[event]
