# SPDX-License-Identifier: Apache-2.0
"""What holds for all tests."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

settings.register_profile("no deadline", deadline=None)  # a busy machine is slow, which says nothing about the code
settings.load_profile("no deadline")

os.environ.setdefault("OMP_NUM_THREADS", "1")  # idle threads of OpenMP spin, and tests run side by side


SLOW = ("browser", "framework", "scale")
"""Marks of tests that take seconds each."""


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with slow tests come first: at the end the others are dealt out until every process has enough."""
    slow = {item.path for item in items if any(item.get_closest_marker(name) for name in SLOW)}
    items.sort(key=lambda item: item.path not in slow)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Tests of a GPU run where there is one."""
    if item.get_closest_marker("gpu"):
        import torch

        if not torch.cuda.is_available():
            pytest.skip("there is no GPU")
