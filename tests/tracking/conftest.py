# SPDX-License-Identifier: Apache-2.0
"""A directory to work in, and no run left open."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import mindscope


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    yield tmp_path
    mindscope.finish()
