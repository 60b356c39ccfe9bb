# SPDX-License-Identifier: Apache-2.0
"""Memory that is used again holds what the latest copy holds, and is never used twice at a time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindscope.capture import SummaryRecord
from mindscope.capture.buffer_pool import BufferPool
from mindscope.formats import dialects, mindspore
from mindscope.formats.frames import FrameReader
from mindscope.types import DialectName

SHAPES = [(1 << 17,), (300, 1000), (5,), (3, 200, 300), (0,), (1 << 18,)]


@settings(max_examples=50)
@given(st.lists(st.tuples(st.sampled_from(SHAPES), st.sampled_from(["f4", ">i4", "u1", "f8", "?"]), st.booleans())))
def test_copies_are_right_and_apart(plan: list[tuple[tuple[int, ...], str, bool]]) -> None:
    buffers = BufferPool()
    alive: list[tuple[np.ndarray, int]] = []
    for number, (shape, dtype, is_finished) in enumerate(plan):
        copy = buffers.copy(np.full(shape[::-1], number % 2 + 1, dtype).T)
        assert copy.shape == shape
        assert copy.flags.c_contiguous
        assert copy.dtype.isnative
        alive.append((copy, number % 2 + 1))
        if is_finished:
            buffers.release(alive.pop(0)[0])
        assert all((array == np.array(value, array.dtype)).all() for array, value in alive)


def test_memory_is_used_again() -> None:
    buffers = BufferPool()
    first = buffers.copy(np.zeros(100_000))
    buffers.release(first)
    assert np.shares_memory(buffers.copy(np.ones(90_000)), first)


def test_other_memory_is_left_alone() -> None:
    buffers = BufferPool()
    buffers.copy(np.zeros(1 << 20, np.uint8))
    own = np.zeros(1 << 20, np.int8)
    buffers.release(own)
    assert not np.shares_memory(buffers.copy(own), own)


@pytest.mark.parametrize("plugin", ["tensor", "histogram", "image"])
def test_fast_steps_keep_their_values(tmp_path: Path, plugin: str) -> None:
    with SummaryRecord(tmp_path, raise_exception=True) as record:
        array = np.zeros((1, 300, 300), np.uint8)
        for step in range(60):
            array[:] = step
            for tag in "ab":
                record.add_value(plugin, tag, array)
            record.record(step)
    seen: list[tuple[int, float]] = []
    (path,) = tmp_path.iterdir()
    content = path.read_bytes()
    for offset, payload in FrameReader(str(path)).records(content):
        for located in mindspore.locate(payload, offset):
            value = dialects.decode(
                DialectName.MINDSPORE, located.kind, content[located.offset : located.offset + located.length]
            )
            if plugin == "tensor":
                numbers = value.value
            elif plugin == "image":
                numbers = value[0].pixels()
            else:
                numbers = np.array([value.minimum, value.maximum])
            assert numbers.min() == numbers.max()
            seen.append((located.step, float(numbers.min())))
    assert seen == [(step, float(step)) for step in range(60) for _ in "ab"]
