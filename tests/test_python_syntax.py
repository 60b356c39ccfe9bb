# SPDX-License-Identifier: Apache-2.0
"""Several threads parse Python's syntax at once."""

from __future__ import annotations

import ast
import gc
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from mindscope.debug.formats.stored_array import read_npy
from mindscope.python_syntax import parsed
from mindscope.stats.expression import parse


@pytest.fixture
def _frequent_switches() -> Iterator[None]:
    interval, thresholds = sys.getswitchinterval(), gc.get_threshold()
    sys.setswitchinterval(1e-6)
    gc.set_threshold(5, 2, 2)
    yield
    sys.setswitchinterval(interval)
    gc.set_threshold(*thresholds)


class _Cycle:
    """Goes with the garbage collection, where another thread may run."""

    def __init__(self) -> None:
        self.itself = self

    def __del__(self) -> None:
        sum(range(50))


def _errors_on_threads(*works: Callable[[], object], times: int = 500) -> list[Exception]:
    """Run each work on two threads."""
    errors: list[Exception] = []

    def repeat(work: Callable[[], object]) -> None:
        for _ in range(times):
            _Cycle()
            try:
                work()
            except Exception as error:
                errors.append(error)

    threads = [threading.Thread(target=repeat, args=(work,)) for work in (*works, *works)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return errors


@pytest.mark.usefixtures("_frequent_switches")
def test_arrays_and_expressions_are_read_on_several_threads(tmp_path: Path) -> None:
    path = tmp_path / "array.npy"
    np.save(path, np.zeros((2, 3), np.float32))
    assert _errors_on_threads(lambda: read_npy(path), lambda: parse("log(loss) / (1 + step) > 2")) == []


@pytest.mark.usefixtures("_frequent_switches")
def test_a_thread_that_parses_without_the_lock_costs_nothing() -> None:
    done = threading.Event()

    def parse_without_lock() -> None:
        while not done.is_set():
            _Cycle()
            try:
                ast.literal_eval("{'shape': (2, (3, [4]))}")
            except SystemError:
                continue

    stranger = threading.Thread(target=parse_without_lock)
    stranger.start()
    try:
        assert _errors_on_threads(lambda: parse("log(loss) / (1 + step) > 2")) == []
    finally:
        done.set()
        stranger.join()


def test_another_error_is_raised() -> None:
    with pytest.raises(SyntaxError):
        parsed(lambda: ast.parse("a +"))
