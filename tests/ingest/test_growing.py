# SPDX-License-Identifier: Apache-2.0
"""One event file that grows, in any portions, and is read on."""

from __future__ import annotations

import random
import tempfile
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindscope.ingest import file_segment as segment_module
from mindscope.ingest import find_run
from mindscope.types import Kind
from tests.event_log import (
    DATA,
    TENSORBOARD_NAME,
    append,
    content,
    event,
    load,
    steps,
    tensorboard_event,
    tensorboard_version,
    version,
    visible_steps,
)

from .streams import NAME, STREAM, WHOLE, loader_of


@given(st.lists(st.integers(0, len(STREAM)), max_size=12).map(sorted), st.integers(20, 400))
def test_a_stream_that_grows_in_any_portions_gives_the_same_store(cuts: list[int], chunk_bytes: int) -> None:
    with tempfile.TemporaryDirectory() as path, pytest.MonkeyPatch.context() as patch:
        patch.setattr(segment_module, "CHUNK_BYTES", chunk_bytes)
        file = Path(path) / NAME
        file.touch()
        loader = loader_of(Path(path))
        for start, stop in zip([0, *cuts], [*cuts, len(STREAM)], strict=True):
            append(file, STREAM[start:stop])
            loader.read_all()
        assert content(loader.store) == WHOLE


def test_a_file_cut_at_any_byte_is_not_damaged_and_goes_on(directory: Path) -> None:
    file = directory / NAME
    for cut in range(len(STREAM)):
        file.write_bytes(STREAM[:cut])
        loader = loader_of(directory)
        loader.read_all()
        assert loader.store.damages == ()
        append(file, STREAM[cut:])
        loader.read_all()
        assert content(loader.store) == WHOLE


def test_small_budgets_only_take_more_turns(directory: Path) -> None:
    append(directory / NAME, STREAM)
    turns = 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(segment_module, "CHUNK_BYTES", 64)
        patch.setattr(segment_module, "FEW_RECORDS", 1)
        loader = loader_of(directory)
        while turns == 0 or loader.has_more:
            loader.read(budget_bytes=100)
            turns += 1
    assert turns > 3
    assert content(loader.store) == WHOLE


def test_reading_says_whether_anything_changed(directory: Path) -> None:
    append(directory / NAME, version() + steps([1]))
    loader = loader_of(directory)
    assert loader.read_all()
    assert not loader.read_all()
    append(directory / NAME, steps([2])[:-1])
    loader.read_all()
    assert visible_steps(loader.store) == [1]
    append(directory / NAME, steps([2])[-1:])
    assert loader.read_all()
    assert visible_steps(loader.store) == [1, 2]


def test_an_old_log_that_is_copied_here_is_not_being_trained_until_it_grows(directory: Path) -> None:
    append(directory / NAME, STREAM)
    loader = loader_of(directory)
    loader.read_all()
    assert loader.store.state(time.time()) == "idle"
    append(directory / NAME, steps([20]))
    loader.read_all()
    assert loader.store.state(time.time()) == "live"


def test_a_record_larger_than_a_chunk_is_read_once_it_is_whole(directory: Path) -> None:
    picture = random.Random(0).randbytes(50_000)
    image = {"height": 1, "width": 1, "colorspace": 3, "encoded_image": picture}
    record = event(2, {"tag": "picture", "image": image})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(segment_module, "CHUNK_BYTES", 1000)
        append(directory / NAME, version() + steps([1]) + record[:-10])
        loader = loader_of(directory)
        loader.read_all()
        assert loader.store.references(Kind.IMAGE, "picture") is None
        append(directory / NAME, record[-10:] + steps([3]))
        loader.read_all()
    assert visible_steps(loader.store) == [1, 3]
    series = loader.store.references(Kind.IMAGE, "picture")
    assert series is not None
    assert int(series.visible().length[0]) > len(picture)


def test_kind_of_a_tag_is_remembered_across_portions_and_files(directory: Path) -> None:
    metadata = {"plugin_data": {"plugin_name": "text"}}
    text = {"dtype": 7, "string_val": [b"hello"]}
    first = directory / TENSORBOARD_NAME.format(1)
    append(first, tensorboard_version() + tensorboard_event(1, {"tag": "note", "metadata": metadata, "tensor": text}))
    loader = loader_of(directory)
    loader.read_all()
    append(first, tensorboard_event(2, {"tag": "note", "tensor": text}))
    append(
        directory / TENSORBOARD_NAME.format(2),
        tensorboard_version() + tensorboard_event(3, {"tag": "note", "tensor": text}),
    )
    found = find_run(directory)
    assert found is not None
    loader.set_files(found.files)
    loader.read_all()
    assert loader.store.tags(Kind.TEXT) == ("note",)
    series = loader.store.references(Kind.TEXT, "note")
    assert series is not None
    assert series.visible().step.tolist() == [1, 2, 3]


PORTIONS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 9_000)), max_size=10)


@settings(max_examples=25, deadline=None)
@given(PORTIONS)
def test_real_logs_read_in_portions_equal_the_same_read_whole(portions: list[tuple[int, int]]) -> None:
    source = DATA / "mindspore" / "lineage_sweep" / "run_11"
    files = sorted(path for path in source.iterdir() if "summary" in path.name)
    rest = [file.read_bytes() for file in files]
    everything = [(number, len(data)) for number, data in enumerate(rest)]
    with tempfile.TemporaryDirectory() as path:
        copies = [Path(path) / file.name for file in files]
        for copy in copies:
            copy.touch()
        loader = loader_of(Path(path))
        for number, count in [*portions, *everything]:
            append(copies[number], rest[number][:count])
            rest[number] = rest[number][count:]
            loader.read_all()
        assert content(loader.store) == content(load(source))
