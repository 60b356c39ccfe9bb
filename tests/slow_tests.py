# SPDX-License-Identifier: Apache-2.0
"""The tests that ``make test`` leaves to ``make test-all``: slow_tests.txt names them, and slowest.py writes it."""

from __future__ import annotations

from pathlib import Path

LIST = Path(__file__).with_name("slow_tests.txt")


def slow_tests() -> frozenset[str]:
    """Files and functions, such as ``tests/torch/test_model.py::test_it``."""
    lines = LIST.read_text("utf-8").splitlines()
    return frozenset(line for line in lines if line and not line.startswith("#"))
