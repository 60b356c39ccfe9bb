# SPDX-License-Identifier: Apache-2.0
"""Where cached logs are."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
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


@pytest.fixture
def directory() -> Iterator[Path]:
    """Not pytest's own, which hypothesis would share between examples and which only its owner may enter."""
    with tempfile.TemporaryDirectory() as path:
        Path(path).chmod(0o755)
        yield Path(path)
