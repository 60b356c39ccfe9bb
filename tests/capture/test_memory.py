# SPDX-License-Identifier: Apache-2.0
"""A step takes as much memory as its values, and that of one encoded value."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

import mindscope
from mindscope.capture import SummaryRecord
from mindscope.capture.buffer_pool import MAX_POOL_BYTES
from mindscope.capture.encoded import LARGE_BYTES

if TYPE_CHECKING:
    from conftest import Log

COUNT = 6
VALUE_BYTES = 16 << 20


def value_of(plugin: str, dtype: str, number: int) -> np.ndarray[tuple[int, ...], np.dtype[np.generic]]:
    if plugin == "image":
        return np.random.default_rng(number).integers(0, 256, (4096, 4096), np.uint8)
    return np.full(VALUE_BYTES // np.dtype(dtype).itemsize, number + 0.1, dtype)


@pytest.mark.parametrize(
    ("plugin", "dtype", "encoded"),
    [("tensor", "float32", 0.1), ("tensor", "float64", 0.6), ("tensor", "float16", 2.1), ("image", "uint8", 3.2)],
)
def test_a_step_needs_its_size_and_one_encoded_value(tmp_path: Path, plugin: str, dtype: str, encoded: float) -> None:
    values = [value_of(plugin, dtype, number) for number in range(COUNT)]
    tracemalloc.start()
    try:
        with SummaryRecord(tmp_path, num_process=1, queue_timeout=None) as record:
            for step in range(3):
                for number, value in enumerate(values):
                    record.add_value(plugin, f"v{number}", value)
                record.record(step)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    pooled = MAX_POOL_BYTES if plugin == "image" else 0  # buffers that wait for the next copies
    assert peak < (COUNT * 1.02 + encoded) * VALUE_BYTES + LARGE_BYTES + pooled
    run = mindscope.open_run(tmp_path)
    for number, value in enumerate(values):
        if plugin == "image":
            entries = [entry.value[0].pixels() for entry in run.images(f"v{number}")]
        else:
            entries = [entry.value.value for entry in run.tensors(f"v{number}")]
        assert len(entries) == 3
        for got in entries:
            np.testing.assert_array_equal(got, value)
    assert not run.damages


def test_small_values_share_an_event_and_large_ones_have_their_own(log: Log) -> None:
    with SummaryRecord(log.directory) as record:
        record.add_value("scalar", "loss", 1.0)
        record.add_value("tensor", "small", np.ones(3))
        record.add_value("tensor", "large", np.full(LARGE_BYTES // 4, 0.5, np.complex64))
        record.add_value("histogram", "h", np.ones(5 << 20))
        record.record(7)
    tags = [[value["tag"] for value in event["summary"]["value"]] for event in log.events()]
    assert tags == [["large/real", "large/imag"], ["loss", "small", "h"]]
    assert {event["step"] for event in log.events()} == {7}
