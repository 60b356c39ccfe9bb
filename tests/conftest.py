# SPDX-License-Identifier: Apache-2.0
"""What holds for all tests."""

from __future__ import annotations

import pytest
from hypothesis import settings

settings.register_profile("no deadline", deadline=None)  # a busy machine is slow, which says nothing about the code
settings.load_profile("no deadline")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Tests of a GPU run where there is one."""
    if item.get_closest_marker("gpu"):
        import torch

        if not torch.cuda.is_available():
            pytest.skip("there is no GPU")
