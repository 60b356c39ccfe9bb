# SPDX-License-Identifier: Apache-2.0
"""Losses survive a kill, a torn or damaged file, a full disk and another process."""

from __future__ import annotations

import logging
import os
import resource
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindscope.landscape.computation import compute
from mindscope.landscape.grid import grid_around
from mindscope.landscape.loss_cache import LossCache, content_key
from mindscope.landscape.plane import Points
from tests.landscape.evaluators import Counted, bowl

KEY = content_key("a landscape")
POINTS: Points = np.array([[0.1, -2.0], [1 / 3, 1e-9], [0.0, 5e300], [-1.0, 1.0]])
LOSSES = [1.5, np.nan, np.inf, -0.0]


def write(directory: Path, key: str = KEY) -> Path:
    with LossCache(directory, key) as cache:
        for place in range(len(POINTS)):
            cache.add(POINTS[place : place + 1], LOSSES[place : place + 1])
        return cache.path


def read(directory: Path, key: str = KEY) -> tuple[list[bool], list[float]]:
    with LossCache(directory, key) as cache:
        known, losses = cache.known(POINTS)
        return known.tolist(), losses.tolist()


def test_losses_are_read_again_also_those_that_are_not_finite(tmp_path: Path) -> None:
    path = write(tmp_path)
    assert path.stat().st_mode & 0o777 == 0o600
    known, losses = read(tmp_path)
    assert known == [True] * 4
    np.testing.assert_array_equal(losses, LOSSES)
    assert read(tmp_path, content_key("another"))[0] == [False] * 4


def test_coordinates_that_differ_by_rounding_are_the_same(tmp_path: Path) -> None:
    with LossCache(tmp_path, KEY) as cache:
        cache.add(np.array([[0.1 + 0.2, 1.0]]), [7.0])
        assert cache.known(np.array([[0.3, 1.0], [0.3001, 1.0]]))[0].tolist() == [True, False]


@pytest.mark.parametrize("cut", range(1, 4 * 28 + 40, 9))
def test_torn_file_keeps_its_whole_records_and_takes_new_ones(cut: int, tmp_path: Path) -> None:
    path = write(tmp_path)
    data = path.read_bytes()
    path.write_bytes(data[:-cut])
    whole = max(0, (len(data) - cut - 40) // 28)
    assert read(tmp_path)[0] == [place < whole for place in range(4)]
    write(tmp_path)
    assert read(tmp_path)[0] == [True] * 4


@given(place=st.integers(0, 4 * 28 + 39), bit=st.integers(0, 7))
def test_damaged_byte_costs_at_most_its_record(place: int, bit: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    directory = tmp_path_factory.mktemp("damaged")
    path = write(directory)
    data = bytearray(path.read_bytes())
    data[place] ^= 1 << bit
    path.write_bytes(data)
    hurt = range(4) if place < 40 else [(place - 40) // 28]
    assert read(directory)[0] == [record not in hurt for record in range(4)]


@pytest.mark.parametrize(
    "content", [b"", b"MSLOSS01", b"\xa5\x00" * 500, b"MSLOSS01" + bytes(32) + b"\xa5" * 28],
    ids=["empty", "cut", "other", "other key"],
)  # fmt: skip
def test_file_of_another_kind_is_written_again(content: bytes, tmp_path: Path) -> None:
    path = write(tmp_path)
    path.write_bytes(content)
    assert read(tmp_path)[0] == [False] * 4
    write(tmp_path)
    assert read(tmp_path)[0] == [True] * 4


def test_second_process_reads_but_does_not_write(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with LossCache(tmp_path, KEY) as first:
        first.add(POINTS[:2], LOSSES[:2])
        with caplog.at_level(logging.WARNING), LossCache(tmp_path, KEY) as second:
            assert second.known(POINTS)[0].tolist() == [True, True, False, False]
            second.add(POINTS[2:3], LOSSES[2:3])
            assert second.known(POINTS)[0].tolist() == [True, True, True, False]
        first.add(POINTS[3:], LOSSES[3:])
    assert caplog.text.count("another process writes it") == 1
    assert read(tmp_path)[0] == [True, True, False, True]


def test_full_disk_is_reported_once_and_losses_stay_in_memory(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    with LossCache(tmp_path, KEY) as cache:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
        try:
            *_, drawn = compute(grid_around(9), Counted(bowl), cache=cache, full=True, points_per_task=1)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert caplog.text.count("can't continue after a stop") == 1
    np.testing.assert_allclose(drawn.z, bowl(*np.meshgrid(drawn.x, drawn.y)))  # type: ignore[arg-type]
    with LossCache(tmp_path, KEY) as cache:
        assert cache.known(grid_around(9).points())[0].sum() == 2


def test_directory_that_cannot_be_written_is_reported_and_the_landscape_computed(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("in the way")
    with LossCache(tmp_path / "file", KEY) as cache:
        *_, drawn = compute(grid_around(3), Counted(bowl), cache=cache)
    assert np.isfinite(drawn.z).all()
    assert "can't continue after a stop" in caplog.text


KILLED = """
import os, signal, sys
from pathlib import Path
from mindscope.landscape.computation import compute
from mindscope.landscape.grid import grid_around
from mindscope.landscape.loss_cache import LossCache, content_key
from tests.landscape.evaluators import bowl

calls = []
def evaluate(points):
    calls.extend(points.tolist())
    if len(calls) > 60:
        os.kill(os.getpid(), signal.SIGKILL)
    return [bowl(a, b) for a, b in points.tolist()]

with LossCache(Path(sys.argv[1]), content_key("a landscape")) as cache:
    list(compute(grid_around(12), lambda: evaluate, cache=cache, full=True, points_per_task=4))
"""


def test_killed_computation_continues_where_it_was(tmp_path: Path) -> None:
    environment = os.environ | {"PYTHONPATH": f"{Path(__file__).parents[2]}"}
    killed = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], env=environment, check=False)
    assert killed.returncode == -signal.SIGKILL
    rest = Counted(bowl)
    with LossCache(tmp_path, KEY) as cache:
        kept = (cache.path.stat().st_size - 40) // 28
        *_, drawn = compute(grid_around(12), rest, cache=cache, full=True)
    assert 57 <= kept <= 60  # all tasks before the kill
    assert len(rest.points) == 145 - kept
    np.testing.assert_allclose(drawn.z, bowl(*np.meshgrid(drawn.x, drawn.y)))  # type: ignore[arg-type]
    again = Counted(bowl)
    with LossCache(tmp_path, KEY) as cache:
        *_, same = compute(grid_around(12), again, cache=cache, full=True)
    assert again.made == 0
    np.testing.assert_array_equal(same.z, drawn.z)


def test_finer_grid_takes_the_points_that_it_shares(tmp_path: Path) -> None:
    for size, new in ((5, 25), (9, 81 - 25)):
        counted = Counted(bowl)
        with LossCache(tmp_path, KEY) as cache:
            list(compute(grid_around(size), counted, cache=cache, full=True))
        assert len(set(counted.points)) == new


def test_key_depends_on_every_part_and_on_dtype_and_shape() -> None:
    parts = ["a", "b", b"a", b"ab", np.arange(4.0), np.arange(4), np.arange(4.0).reshape(2, 2), np.arange(4.0) + 1e-9]
    keys = {content_key(part) for part in parts} | {content_key("a", "b"), content_key("ab"), content_key("a", b"b")}
    assert len(keys) == len(parts) + 3
    make = partial(np.random.default_rng(0).standard_normal, (3, 500_000))
    large = make()
    assert content_key(large) == content_key(large.copy()) != content_key(large[::-1])
