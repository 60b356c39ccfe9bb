# SPDX-License-Identifier: Apache-2.0
"""Values whose content arrives later: on a thread of the recorder, in the step that they were added to."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mindscope
from mindscope.capture import SummaryRecord
from mindscope.capture.deferred_array import DeferredArray
from mindscope.errors import ValueRejectedError


class Content:
    """Hands out an array once it may, and knows who asked."""

    def __init__(self, array: Any) -> None:
        self.array = np.asarray(array)
        self.is_there = threading.Event()
        self.askers: set[str] = set()

    def fetch(self) -> np.ndarray[Any, Any]:
        self.askers.add(threading.current_thread().name)
        assert self.is_there.wait(60)
        return self.array

    @property
    def arriving(self) -> DeferredArray:
        return DeferredArray(self.array.nbytes, self.fetch)


@pytest.mark.parametrize("size", [6, 1 << 19])
def test_the_caller_waits_for_no_content(tmp_path: Path, size: int) -> None:
    numbers = np.arange(size, dtype=np.float32)
    plugins = {"scalar": 2.5, "histogram": numbers, "tensor": numbers, "image": numbers.reshape(1, 2, -1)}
    contents = {plugin: Content(value) for plugin, value in plugins.items()}
    with SummaryRecord(tmp_path, raise_exception=True, export_options={"tensor_format": "npy"}) as record:
        for plugin, content in contents.items():
            record.add_value(plugin, "late", content.arriving)
        record.add_value("scalar", "early", 1.0)
        record.record(1)
        record.add_value("scalar", "early", 2.0)
        record.record(2)
        for content in contents.values():
            content.is_there.set()
    run = mindscope.open_run(tmp_path)
    assert list(run.scalars("early").step) == [1, 2]
    assert (list(run.scalars("late").step), list(run.scalars("late").value)) == ([1], [2.5])
    assert run.histograms("late")[0].value.count.sum() == size
    np.testing.assert_array_equal(run.tensors("late")[0].value.value, numbers)
    assert run.images("late")[0].value[0].pixels().shape[:2] == (2, size // 2)
    (exported,) = tmp_path.rglob("*.npy")
    np.testing.assert_array_equal(np.load(exported), numbers)
    asked = {name for content in contents.values() for name in content.askers}
    assert asked
    assert all(name.startswith("mindscope-") for name in asked)


@pytest.mark.parametrize(
    ("plugin", "shape", "dtype"), [("scalar", (2,), "f4"), ("image", (5,), "f4"), ("histogram", (2,), "c8")]
)
def test_what_can_not_be_recorded_is_refused_when_it_is_there(
    tmp_path: Path, plugin: str, shape: Any, dtype: str
) -> None:
    content = Content(np.zeros(shape, dtype))
    content.is_there.set()
    record = SummaryRecord(tmp_path, raise_exception=True)
    record.add_value(plugin, "x", content.arriving)
    record.record(1)
    with pytest.raises(ValueRejectedError, match=f"{plugin} 'x' was not recorded"):
        record.close()


def test_content_that_fails_costs_only_its_value(tmp_path: Path) -> None:
    def fail() -> Any:
        raise RuntimeError("device is gone")

    with SummaryRecord(tmp_path) as record:
        record.add_value("histogram", "bad", DeferredArray(12, fail))
        record.add_value("histogram", "good", np.ones(3))
        record.record(1)
    run = mindscope.open_run(tmp_path)
    assert run.tags("histogram") == ("good",)
    assert list(run.scalars("mindscope/dropped").value) == [1]


@pytest.mark.parametrize("size", [6, 1 << 19])
def test_memory_is_given_back_when_it_was_written(tmp_path: Path, size: int) -> None:
    given: list[Any] = []
    arrays = [np.full(size, number, np.float32) for number in (1, 2)]
    with SummaryRecord(tmp_path) as record:
        for step, array in enumerate(arrays, start=1):
            record.add_value("histogram", "a", DeferredArray(array.nbytes, lambda array=array: array, given.append))
            record.record(step)
        record.flush()
        assert sorted(map(id, given)) == sorted(map(id, arrays))  # two threads may encode them
    assert [each.value.minimum for each in mindscope.open_run(tmp_path).histograms("a")] == [1, 2]


def test_failure_that_nobody_foresaw_costs_its_batch_only(tmp_path: Path) -> None:
    def fail(content: Any) -> None:
        raise ArithmeticError("nobody expects this")

    with SummaryRecord(tmp_path) as record:
        record.add_value("histogram", "a", DeferredArray(4, lambda: np.ones(1, np.float32), fail))
        record.record(1)
        record.flush()
        record.add_value("scalar", "b", 1.0)
        record.record(2)
    run = mindscope.open_run(tmp_path)
    assert list(run.scalars("b").step) == [2]
    assert run.scalars("mindscope/dropped").value[-1] == 1
