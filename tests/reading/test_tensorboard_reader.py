# SPDX-License-Identifier: Apache-2.0
"""Every value of a TensorBoard log, beside what TensorBoard's own reader makes of it."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from mindscope.reading import open_run
from mindscope.types import Kind
from tests.event_log import DATA

pytestmark = pytest.mark.framework

RUN = DATA / "tensorboard" / "tb_all" / "run_a"


@pytest.fixture(scope="module")
def theirs() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its own dependencies warn at import
        accumulator = pytest.importorskip("tensorboard.backend.event_processing.plugin_event_accumulator")
        reader = accumulator.EventAccumulator(str(RUN), tensor_size_guidance={"images": 0, "histograms": 0, "audio": 0})
        reader.Reload()
    return reader


def tensors(theirs: Any, tag: str) -> list[Any]:
    from tensorboard.util import tensor_util

    return [tensor_util.make_ndarray(event.tensor_proto) for event in theirs.Tensors(tag)]


def test_histograms(theirs: Any) -> None:
    ours = open_run(RUN).histograms("weights/fc1")
    for sample, want in zip(ours, tensors(theirs, "weights/fc1"), strict=True):
        histogram = sample.value
        got = np.stack([histogram.left, histogram.right, histogram.count], axis=1)
        np.testing.assert_array_equal(got.astype(np.float32), want)  # theirs are narrowed, ours as they stand


@pytest.mark.parametrize("tag", ["sample", "batch"])
def test_images(theirs: Any, tag: str) -> None:
    ours = open_run(RUN).images(tag)
    for sample, want in zip(ours, tensors(theirs, tag), strict=True):
        width, height, *pictures = want.tolist()
        assert [image.encoded for image in sample.value] == pictures
        assert {(image.width, image.height) for image in sample.value} == {(int(width), int(height))}


@pytest.mark.parametrize(("kind", "tag"), [(Kind.PR_CURVE, "pr"), (Kind.MESH, "mesh_VERTEX")])
def test_tensors(theirs: Any, kind: Kind, tag: str) -> None:
    for sample, want in zip(open_run(RUN).values(kind, tag), tensors(theirs, tag), strict=True):
        np.testing.assert_array_equal(sample.value.value, want)
        assert sample.value.value.dtype == want.dtype


def test_sound(theirs: Any) -> None:
    (sample,) = open_run(RUN).audio("tone")
    ((want,),) = [sound.reshape(-1)[:1].tolist() for sound in tensors(theirs, "tone")]
    assert sample.value.encoded == want


def test_wall_times(theirs: Any) -> None:
    want = [event.wall_time for event in theirs.Tensors("loss/train")]
    assert open_run(RUN).scalars("loss/train").wall_time.tolist() == want
