# SPDX-License-Identifier: Apache-2.0
"""A file that several threads read at once is read as by one: same rows, damages and place to go on from."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator
from io import FileIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindscope.formats.frames import FrameReader
from mindscope.formats.scan import Scanned
from mindscope.ingest import RunLoader, find_run
from mindscope.ingest import file_segment as segment_module
from mindscope.ingest import parallel_read as parallel_module
from mindscope.ingest.file_identity import ContentFingerprint
from mindscope.ingest.file_segment import FileSegment
from mindscope.ingest.parallel_read import read_parallel
from mindscope.ingest.read_buffers import ReadBufferPool
from mindscope.types import DialectName, Kind
from tests.event_log import (
    TENSORBOARD_NAME,
    append,
    content,
    event,
    scalars,
    steps,
    tensorboard_event,
    tensorboard_version,
    version,
)

from .streams import NAME, STREAM

BUFFER_BYTES = 1 << 16


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts of a few records, read by chunks of fewer."""
    monkeypatch.setattr(parallel_module, "MIN_PART_BYTES", 100)
    monkeypatch.setattr(segment_module, "CHUNK_BYTES", 64)
    monkeypatch.setattr(segment_module, "FEW_RECORDS", 1)


def told(tag: str, step: int, plugin: str | None, dtype: int = 1) -> bytes:
    """An event of TensorBoard's with a tensor, whose kind is in the metadata or was told by an earlier event."""
    tensor: dict[str, Any] = {"dtype": dtype, "tensor_shape": {}}
    tensor |= {"float_val": [step / 2]} if dtype == 1 else {"string_val": [b"words"]}
    metadata = {"metadata": {"plugin_data": {"plugin_name": plugin}}} if plugin else {}
    return tensorboard_event(step, {"tag": tag, "tensor": tensor, **metadata})


def nested() -> bytes:
    """A record that holds records, where a part may seem to begin."""
    return event(50, {"tag": "files", "tensor": {"dims": [1], "data_type": 6, "raw_data": STREAM * 3}})


LOGS = {
    "mindspore": (NAME, version() + steps(range(60)) + STREAM + steps(range(60, 90), "accuracy")),
    "tensorboard": (
        TENSORBOARD_NAME.format(7),
        tensorboard_version()
        + b"".join(told("loss", step, None if step else "scalars") for step in range(40))
        + b"".join(tensorboard_event(step, {"tag": "plain", "simple_value": step}) for step in range(30)),
    ),
    "kinds told late": (
        TENSORBOARD_NAME.format(7),
        tensorboard_version()
        + b"".join(told("early", step, None) for step in range(9))
        + b"".join(told(f"tag {step % 5}", step, "text" if step in (21, 33) else None, 7) for step in range(60))
        + told("early", 60, "scalars")
        + b"".join(told("early", step, None) for step in range(61, 80)),
    ),
    "metadata alone, then told": (
        TENSORBOARD_NAME.format(7),
        tensorboard_version()
        + tensorboard_event(0, {"tag": "note", "metadata": {"display_name": "Note"}})
        + b"".join(tensorboard_event(step, {"tag": "plain", "simple_value": step}) for step in range(30))
        + b"".join(told("note", step, None if step else "text", 7) for step in range(30)),
    ),
    "records in a record": (NAME, version() + steps(range(9)) + nested() + steps(range(9, 20)) + nested() * 2),
    "one long record": (NAME, version() + nested() + steps([60])),
    "long and short ones": (
        NAME,
        version() + b"".join(scalars(step, {f"tag {number}": 0.5 for number in range(step % 7)}) for step in range(50)),
    ),
}


def read(directory: Path, processors: int, budgets: Iterator[int] | None = None) -> tuple[Any, Any]:
    """What is found in a log, and where its reading would go on."""
    run = find_run(directory)
    assert run is not None
    loader = RunLoader(run, ReadBufferPool(BUFFER_BYTES, processors))
    while loader.read(next(budgets) if budgets else 1 << 20) or loader.has_more:
        pass
    progress = [tail.to_json() | {"kinds": loader._kinds} for tail in loader._tailers.values()]
    for path, tail in zip(loader.paths, progress, strict=True):
        assert_spans_match(path, tail)
    return content(loader.store), progress


def assert_spans_match(path: str, tail: dict[str, Any]) -> None:
    """Spans differ with the parts, but follow each other up to the position, and have the digests of the file."""
    spans = tail.pop("spans")
    starts = [0, *(stop for stop, *_ in spans)]
    assert starts[-1] == tail["position"]
    for start, (stop, digest, is_damaged) in zip(starts, spans, strict=False):
        fresh = ContentFingerprint(start)
        fresh.advance(memoryview(Path(path).read_bytes())[start:stop], is_damaged)
        assert (fresh.spans[-1].stop, fresh.spans[-1].digest) == (stop, digest)


def assert_read_alike(name: str, data: bytes, processors: int = 4) -> None:
    with tempfile.TemporaryDirectory() as path:
        append(Path(path) / name, data)
        assert read(Path(path), processors) == read(Path(path), 1)


@pytest.mark.parametrize("log", LOGS)
@pytest.mark.parametrize("processors", [2, 3, 8])
def test_parts_of_an_intact_log_are_the_log(log: str, processors: int) -> None:
    assert_read_alike(*LOGS[log], processors)


@given(st.sampled_from(sorted(LOGS)), st.integers(2, 6), st.integers(0, 1 << 32), st.integers(30, 700))
def test_parts_of_a_damaged_log_are_the_log(log: str, processors: int, seed: int, least: int) -> None:
    name, data = LOGS[log]
    chance = random.Random(seed)
    damaged = bytearray(data)
    for _ in range(chance.choice([1, 1, 2, 5])):
        at = chance.randrange(len(damaged))
        damaged[at : at + chance.choice([0, 1, 1, 30])] = chance.randbytes(chance.choice([0, 1, 1, 40]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parallel_module, "MIN_PART_BYTES", least)
        assert_read_alike(name, bytes(damaged), processors)


def test_damage_at_any_byte_is_told_as_by_one_thread() -> None:
    data = version() + steps(range(12))
    for at in range(len(data)):
        damaged = bytearray(data)
        damaged[at] ^= 0x41
        assert_read_alike(NAME, bytes(damaged))


def test_a_log_cut_at_any_byte_is_read_as_by_one_thread() -> None:
    data = version() + steps(range(12))
    for stop in range(len(data)):
        assert_read_alike(NAME, data[:stop])


@given(st.sampled_from(sorted(LOGS)), st.integers(2, 6), st.integers(0, 1 << 32))
def test_budgets_of_any_size_change_nothing(log: str, processors: int, seed: int) -> None:
    name, data = LOGS[log]
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as path:
        append(Path(path) / name, data)
        got = read(Path(path), processors, iter(lambda: chance.randrange(1, 2000), 0))
        assert got == read(Path(path), 1)


def found_in_parts(path: Path, dialect: DialectName, kinds: dict[str, Kind], processors: int = 4) -> list[Scanned]:
    buffer_pool = ReadBufferPool(BUFFER_BYTES, processors)
    size = path.stat().st_size
    with FileIO(path) as file, buffer_pool.borrow(size) as room:
        stretch = FileSegment(file, room, FrameReader(path.name), ContentFingerprint(), kinds, dialect)
        found = list(read_parallel(stretch, file, buffer_pool, size, size))
        assert stretch.reader.position == size
    return found


@pytest.mark.parametrize("processors", [1, 2, 4])
def test_each_idle_processor_reads_a_part(tmp_path: Path, processors: int) -> None:
    append(tmp_path / NAME, version() + steps(range(100)))
    found = found_in_parts(tmp_path / NAME, DialectName.MINDSPORE, {}, processors)
    records = [scanned.records for scanned in found if scanned.records]
    assert len(records) == processors
    assert sum(records) == 101
    assert min(records) > 101 / processors / 2


def test_a_part_that_may_lack_a_kind_is_read_again(tmp_path: Path) -> None:
    name, data = LOGS["kinds told late"]
    append(tmp_path / name, data)
    kinds: dict[str, Kind] = {}
    found = found_in_parts(tmp_path / name, DialectName.TENSORBOARD, kinds)
    assert {tag for tag, kind in kinds.items() if kind is Kind.TEXT} == {"tag 1", "tag 3"}
    assert len([scanned for scanned in found if scanned.records]) < 4


def test_rooms_know_the_idle_processors() -> None:
    buffer_pool = ReadBufferPool(BUFFER_BYTES, 2)
    with buffer_pool.borrow(1):
        assert buffer_pool.idle_processors == 1
        with buffer_pool.borrow(1), buffer_pool.borrow(1):
            assert buffer_pool.idle_processors == 0
    assert buffer_pool.idle_processors == 2
