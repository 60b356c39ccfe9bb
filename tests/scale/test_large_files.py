# SPDX-License-Identifier: Apache-2.0
"""Files beyond 4 GiB and records of 1 GB. Their bytes are holes, so that they take neither disk nor minutes."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mindscope.ingest import RunLoader, find_run
from mindscope.reading import open_run
from mindscope.types import Kind
from tests.event_log import MINDSPORE_NAME, append, load, steps, version, visible_steps

from .counting import counted
from .zero_tensors import append_zero_tensor

pytestmark = pytest.mark.scale

RECORD = 1_000_000_000
ROOM = 64_000_000
"""For Python, numpy and one buffer for reading."""


@pytest.fixture
def directory(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path
    shutil.rmtree(tmp_path)


def test_values_beyond_four_gibibytes_have_their_places(directory: Path) -> None:
    path = directory / MINDSPORE_NAME.format(1)
    append(path, version())
    starts: list[int] = []
    for step in range(70):
        starts.append(path.stat().st_size)
        append_zero_tensor(path, step, 16 << 20)
        append(path, steps([step]))
    assert path.stat().st_size > 2**32
    found = find_run(directory)
    assert found is not None
    loader = RunLoader(found)
    loader.read_all()
    store = loader.store
    assert store.damages == ()
    assert store.files[0].read_bytes == path.stat().st_size
    assert visible_steps(store) == list(range(70))
    places = store.references(Kind.TENSOR, "weights")
    assert places is not None
    assert places.all().step.tolist() == list(range(70))
    assert [0 < place - start < 64 for place, start in zip(places.all().offset.tolist(), starts, strict=True)] == [
        True
    ] * 70
    assert sum(place > 2**31 for place in places.all().offset) > 30
    append(path, steps([70]))
    with counted(directory) as work:
        loader.read_all()
    assert visible_steps(store)[-1] == 70
    assert work.bytes_read < 10_000, "it went on where it stopped"
    value = open_run(directory).tensors("weights")[69].value
    assert value.value.shape == (16 << 20,)
    assert not value.value.any()


def test_a_record_of_a_gigabyte_is_placed_and_read(directory: Path) -> None:
    path = directory / MINDSPORE_NAME.format(1)
    append(path, version())
    length = append_zero_tensor(path, 1, RECORD // 4)
    append(path, steps([2]))
    assert peak_bytes("load(path)", directory) < length + ROOM, "held once, and checked where it is held"
    assert peak_bytes("open_run(path).tensors('weights')[0].value.value.sum()", directory) < 3 * length + ROOM


def test_half_a_record_of_a_gigabyte_is_not_read(directory: Path) -> None:
    path = directory / MINDSPORE_NAME.format(1)
    append(path, version())
    start = path.stat().st_size
    length = append_zero_tensor(path, 1, RECORD // 4)
    with path.open("r+b") as file:
        file.truncate(start + length // 2)
    store = load(directory)
    assert store.files[0].read_bytes == start
    assert store.damages == ()
    assert peak_bytes("load(path)", directory) < ROOM, "memory is taken for what is there, not for what is announced"


def peak_bytes(statement: str, directory: Path) -> int:
    """How far the memory of a process grows at the most by a statement over ``path``."""
    script = f"""
from pathlib import Path
from mindscope.reading import open_run
from tests.event_log import load

def resident(entry):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(entry))

path = Path({str(directory)!r})
before = resident("VmRSS:")
{statement}
print(resident("VmHWM:") - before)
"""
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True, cwd=root)
    return int(done.stdout)
