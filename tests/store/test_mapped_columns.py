# SPDX-License-Identifier: Apache-2.0
"""Columns in files instead of memory."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from mindscope.store.mapped_columns import FEWEST_BYTES, mapped, mapped_file, release_pages

LARGE = FEWEST_BYTES // 8


def test_a_large_column_has_the_same_values_before_and_after_its_pages_are_released() -> None:
    values = np.arange(LARGE, dtype=np.int64)
    found = mapped(values)
    assert found.dtype == values.dtype
    assert np.array_equal(found, values)
    release_pages()
    assert np.array_equal(found, values)
    assert not found.flags.writeable


def test_a_column_of_another_dtype_keeps_its_order() -> None:
    values = np.flatnonzero(np.arange(4 * LARGE) % 2).astype(np.uint32)
    assert np.array_equal(mapped(values), values)


def test_small_and_repeated_values_stay_where_they_are() -> None:
    for values in (np.zeros(LARGE - 1, np.int64), np.broadcast_to(np.zeros(1, np.int64), 2 * LARGE)):
        assert mapped(values) is values


def test_without_room_for_a_file_a_column_stays_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = (
        "import numpy as np, resource, signal; from mindscope.store.mapped_columns import mapped; "
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, 1 << 16)); "
        f"values = np.zeros({LARGE}); print(mapped(values) is values)"
    )
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    found = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert found.stdout == "True\n"
    assert not list(tmp_path.iterdir())


def test_released_pages_take_no_memory(tmp_path: Path) -> None:
    (tmp_path / "columns").write_bytes(os.urandom(32 << 20))
    columns = [mapped_file(tmp_path / "columns"), mapped(np.ones(32 << 17))]
    release_pages()
    before = _resident_file_bytes()
    assert sum(int(each.sum()) for each in columns)
    assert _resident_file_bytes() > before + (60 << 20)
    release_pages()
    assert _resident_file_bytes() < before + (4 << 20)


def _resident_file_bytes() -> int:
    found = re.search(r"RssFile:\s*(\d+) kB", Path("/proc/self/status").read_text())
    assert found
    return 1024 * int(found[1])
