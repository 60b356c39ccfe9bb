# SPDX-License-Identifier: Apache-2.0
"""Where cached logs are."""

from __future__ import annotations

from pathlib import Path

import pytest

from .cached import write_logs


@pytest.fixture
def base(tmp_path: Path) -> Path:
    write_logs(tmp_path / "base")
    return tmp_path / "base"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    return tmp_path / "workspace"
