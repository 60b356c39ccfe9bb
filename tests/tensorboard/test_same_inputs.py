# SPDX-License-Identifier: Apache-2.0
"""The inputs that PyTorch's own tests give its writer: ours writes the same of each, or refuses the same."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from mindscope import SummaryWriter
from tests.tensorboard.test_compared import plain, values

pytestmark = pytest.mark.framework
Call = Callable[[Any], Any]
torch.manual_seed(0)  # the names of the tests have the numbers
RANDOM = np.random.default_rng(0)
NOISE, BYTES = RANDOM.random((3, 32, 32)), RANDOM.integers(0, 256, (3, 32, 32), np.uint8)
BATCH, SOUND = RANDOM.random((16, 3, 8, 8)), np.sin(np.linspace(0, 99, 4000))
MANY, CLEAR = RANDOM.random(1024), RANDOM.integers(0, 256, (4, 8, 8), np.uint8)
BOXES = np.array([[10.0, 10.0, 30.0, 30.0], [2.0, 4.0, 9.0, 12.0]])
COUNTS = [75, 64, 21, 5, 0], [150, 105, 18, 0, 0], [0, 45, 132, 150, 150], [0, 11, 54, 70, 75]
RATES = [0.3333333, 0.3786982, 0.5384616, 1.0, 0.0], [1.0, 0.8533334, 0.28, 0.0666667, 0.0]
CORNERS = np.array([[[1, 1, 1], [-1, -1, 1], [1, -1, -1], [-1, 1, -1]]], float)
TRIANGLES = np.array([[[0, 2, 3], [0, 3, 1], [0, 1, 2], [1, 3, 2]]])
NUMBERS: tuple[Any, ...] = (
    1, 1.5, True, np.int32(1), np.int64(-3), np.uint8(7), np.float16(0.1), np.float32(0.1), np.float64(0.1),
    np.array(2), np.array([2.5]), torch.tensor(3), torch.rand(1), torch.tensor([0.1], dtype=torch.float16),
    torch.tensor(2.5, requires_grad=True), float("nan"), float("-inf"),
)  # fmt: skip
SAMPLES: tuple[Any, ...] = (
    torch.rand(50), torch.randint(0, 100, (50,)), np.arange(100.0), RANDOM.random((10, 10)), np.array([True, False]),
    torch.rand(50, dtype=torch.float16),
)  # fmt: skip
LAYOUT = {
    "Taiwan": {"twse": ["Multiline", ["twse/0050", "twse/2330"]]},
    "USA": {"dow": ["Margin", ["dow/aaa", "dow/bbb", "dow/ccc"]], "nasdaq": ["Margin", ["n/a", "n/b", "n/c"]]},
}

CALLS: dict[str, Call] = {
    **{f"scalar {value!r} {style}": lambda w, v=value, s=style: w.add_scalar("x", v, 1, new_style=s)
       for value in NUMBERS for style in (False, True)},
    **{f"histogram {number} {bins}": lambda w, n=number, b=bins: w.add_histogram("x", SAMPLES[n], 1, bins=b)
       for number in range(len(SAMPLES)) for bins in ("tensorflow", "auto", "fd", "doane")},
    "histogram of few bins": lambda w: w.add_histogram("x", MANY, 1, bins="fd", max_bins=5),
    "raw histogram": lambda w: w.add_histogram_raw("x", 0.0, 1.0, 4, 2.0, 1.5, [0.25, 0.5, 1.0], [1, 1, 2], 1),
    "uint8 image": lambda w: w.add_image("x", BYTES, 1),
    "float image": lambda w: w.add_image("x", NOISE.astype("f4"), 1),
    "image of torch": lambda w: w.add_image("x", torch.from_numpy(NOISE), 1),
    "image beyond 1": lambda w: w.add_image("x", NOISE * 3 - 1, 1),
    "gray image": lambda w: w.add_image("x", NOISE[0], 1, dataformats="HW"),
    "channels last": lambda w: w.add_image("x", np.moveaxis(BYTES, 0, 2), 1, dataformats="HWC"),
    "one channel": lambda w: w.add_image("x", BYTES[:1], 1),
    "four channels": lambda w: w.add_image("x", CLEAR, 1),
    "boxes": lambda w: w.add_image_with_boxes("x", NOISE, BOXES, 1),
    "named boxes": lambda w: w.add_image_with_boxes("x", torch.from_numpy(NOISE), BOXES, 1, labels=["a", "b"]),
    "fewer labels than boxes": lambda w: w.add_image_with_boxes("x", NOISE, BOXES, 1, labels=["a"]),
    "scaled boxes": lambda w: w.add_image_with_boxes("x", BYTES, BOXES, 1, rescale=2),
    "images": lambda w: w.add_images("x", BATCH, 1),
    "gray images": lambda w: w.add_images("x", BATCH[:, :1], 1),
    "images of odd number": lambda w: w.add_images("x", BATCH[:9], 1),
    "images of bytes": lambda w: w.add_images("x", torch.tensor([[[[1, 2, 3], [4, 5, 6]]]], dtype=torch.uint8), 1),
    "images with channels last": lambda w: w.add_images("x", np.moveaxis(BATCH, 1, 3), 1, dataformats="NHWC"),
    "audio": lambda w: w.add_audio("x", SOUND, 1),
    "audio of torch": lambda w: w.add_audio("x", torch.from_numpy(SOUND)[None], 1, sample_rate=8000),
    "loud audio": lambda w: w.add_audio("x", SOUND * 3, 1),
    "silence": lambda w: w.add_audio("x", np.zeros(882), 1),
    "text": lambda w: w.add_text("x", "text 123", 1),
    "markdown": lambda w: w.add_text("x", "a|b\n-|-\nc|d", 1),
    "empty text": lambda w: w.add_text("x", "", 1),
    "curve": lambda w: w.add_pr_curve("x", np.arange(100) % 2, np.arange(100) / 100, 1),
    "curve with weights": lambda w: w.add_pr_curve(
        "x", torch.arange(100) % 2, torch.arange(100) / 100, 1, num_thresholds=9, weights=np.arange(100.0)
    ),
    "curve of bools": lambda w: w.add_pr_curve("x", np.arange(9) % 2 == 0, np.arange(9) / 9, 1, num_thresholds=5),
    "raw curve": lambda w: w.add_pr_curve_raw("x", *COUNTS, *RATES, 1, num_thresholds=5),
    "mesh": lambda w: w.add_mesh("x", CORNERS, np.abs(TRIANGLES), TRIANGLES, global_step=1),
    "points": lambda w: w.add_mesh("x", torch.from_numpy(CORNERS), global_step=1),
    "mesh with a camera": lambda w: w.add_mesh("x", CORNERS, None, TRIANGLES, {"camera": {"fov": 75}}, 1),
    "layout": lambda w: w.add_custom_scalars(LAYOUT),
    "lines": lambda w: w.add_custom_scalars_multilinechart(["twse/0050", "twse/2330"]),
    "margins": lambda w: w.add_custom_scalars_marginchart(["a", "b", "c"], "category", "title"),
    "float tensor": lambda w: w.add_tensor("x", torch.arange(6.0).reshape(2, 3), 1),
    "int tensor": lambda w: w.add_tensor("x", torch.arange(4, dtype=torch.int32), 1),
    "scalar tensor": lambda w: w.add_tensor("x", torch.tensor(2.5), 1),
}  # fmt: skip
BAD: dict[str, Call] = {
    "text as a scalar": lambda w: w.add_scalar("x", "text", 1),
    "several numbers as a scalar": lambda w: w.add_scalar("x", np.arange(3.0), 1),
    "empty histogram": lambda w: w.add_histogram("x", np.ndarray(0), 1),
    "dict as a histogram": lambda w: w.add_histogram("x", {"a": 1}, 1),
    "list as parameters": lambda w: w.add_hparams([1], {"a": 1}),
    "list as metrics": lambda w: w.add_hparams({"a": 1}, [1]),
    "object as a parameter": lambda w: w.add_hparams({"a": object()}, {"b": 1}),
    "two axes as an image": lambda w: w.add_image("x", NOISE[0], 1),
    "unknown axes": lambda w: w.add_image("x", NOISE, 1, dataformats="CXY"),
    "one axis as images": lambda w: w.add_images("x", np.arange(9.0), 1),
    "counts of different lengths": lambda w: w.add_pr_curve_raw("x", [1, 2], *COUNTS[1:], *RATES, 1, num_thresholds=5),
}


def torch_writer(directory: Path) -> Any:
    from torch.utils.tensorboard import SummaryWriter as TorchWriter

    return TorchWriter(str(directory))


def written(writer: Any, directory: Path, call: Call) -> list[tuple[str, int, Any]]:
    with writer, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        call(writer)
    return [(value.tag, event.step, plain(value)) for event, value in values(directory)]


@pytest.mark.parametrize("name", CALLS)
def test_the_same_is_written(tmp_path: Path, name: str) -> None:
    theirs = written(torch_writer(tmp_path / "torch"), tmp_path / "torch", CALLS[name])
    ours = SummaryWriter(tmp_path / "ours", system_metrics=False, raise_exception=True)
    assert repr(written(ours, tmp_path / "ours", CALLS[name])) == repr(theirs)  # NaN equals nothing
    assert theirs


def test_half_precision_is_readable_where_pytorch_writes_what_no_reader_takes(tmp_path: Path) -> None:
    def call(writer: Any) -> None:
        writer.add_tensor("x", torch.tensor([0.5, -2.0], dtype=torch.float16), 1)

    with pytest.raises(OverflowError):
        written(torch_writer(tmp_path / "torch"), tmp_path / "torch", call)
    ((_, _, (*_, numbers)),) = written(SummaryWriter(tmp_path / "ours", system_metrics=False), tmp_path / "ours", call)
    assert numbers == [0.5, -2.0]


def test_lists_are_histograms_too(tmp_path: Path) -> None:
    def call(writer: Any) -> None:
        writer.add_histogram("x", [0.5, 1.5, 2.5], 1)

    with pytest.raises(NotImplementedError):
        written(torch_writer(tmp_path / "torch"), tmp_path / "torch", call)
    assert len(written(SummaryWriter(tmp_path / "ours", system_metrics=False), tmp_path / "ours", call)) == 1


@pytest.mark.parametrize("name", BAD)
def test_the_same_is_refused(tmp_path: Path, name: str) -> None:
    with torch_writer(tmp_path / "torch") as theirs, pytest.raises(Exception):  # noqa: B017, PT011, PT012
        BAD[name](theirs)
        theirs.flush()
    strict = SummaryWriter(tmp_path / "strict", system_metrics=False, raise_exception=True)
    with strict, pytest.raises((TypeError, ValueError)):  # noqa: PT012
        BAD[name](strict)
        strict.flush()
    with SummaryWriter(tmp_path / "ours", system_metrics=False) as ours:
        BAD[name](ours)  # a training continues
    assert "mindscope/dropped" in {value.tag for _, value in values(tmp_path / "ours")}
