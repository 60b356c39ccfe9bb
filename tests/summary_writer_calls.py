# SPDX-License-Identifier: Apache-2.0
"""One script that calls every method of a SummaryWriter, for any writer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch

WALL = 1_700_000_000.25


def arrays() -> dict[str, Any]:
    """The inputs of the script, the same in each call."""
    rng = np.random.default_rng(0)
    torch.manual_seed(0)
    return {
        "image": rng.random((3, 12, 16)).astype("f4"),
        "gray": rng.random((10, 14)).astype("f4"),
        "bytes": rng.integers(0, 256, (9, 7, 3), np.uint8),
        "batch": rng.random((10, 1, 6, 5)).astype("f4"),
        "boxes": np.array([[1.0, 1.0, 10.0, 8.0], [3.0, 2.0, 14.0, 11.0]]),
        "values": rng.standard_normal(4000) * 3,
        "video": rng.integers(0, 256, (2, 3, 3, 8, 8), np.uint8),
        "sound": np.sin(np.linspace(0, 300, 800)).astype("f4")[np.newaxis] * 1.2,
        "labels": rng.integers(0, 2, 300),
        "predictions": rng.random(300),
        "vertices": rng.random((1, 20, 3)).astype("f4"),
        "faces": rng.integers(0, 20, (1, 8, 3)),
        "colors": rng.integers(0, 256, (1, 20, 3)),
        "vectors": rng.standard_normal((10, 4)).astype("f4"),
        "pictures": torch.rand(10, 3, 6, 6),
        "network": torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.ReLU(), torch.nn.Linear(3, 2)),
        "input": torch.randn(2, 4),
    }


def call_everything(writer: Any, figure: Any, onnx: Path | None) -> None:
    """Call each method, with positional and keyword arguments, in a fixed order."""
    given = arrays()
    for step in range(20):
        writer.add_scalar("loss/train", 1 / (step + 1), step, WALL + step)
    writer.add_scalar("nan", float("nan"), 1, walltime=WALL)
    writer.add_scalar("nan", float("inf"), 2, walltime=WALL)
    writer.add_scalar("no step", 3.5, walltime=WALL)
    writer.add_scalar("tensor", torch.tensor([2.5], requires_grad=True), np.int64(7), WALL)
    writer.add_scalar("numpy", np.float32(0.1), torch.tensor(8), WALL)
    writer.add_scalar("int", 5, -3, WALL)
    writer.add_scalar("bool", True, 3, WALL)
    writer.add_scalar("new", 0.1, 4, WALL, new_style=True)
    writer.add_scalar("double", 0.1, 4, WALL, new_style=True, double_precision=True)
    writer.add_scalar("tag with ü 日本", 1.5, 1, WALL)
    writer.add_scalars("group/of", {"a": 0.5, "b/c": 1.5}, 3, WALL)
    writer.add_scalars("group/of", {"a": 0.25}, 4, WALL)
    writer.add_tensor("tensors/float", torch.arange(6.0).reshape(2, 3), 1, WALL)
    writer.add_tensor("tensors/int", torch.arange(4), 1, WALL)
    writer.add_tensor("tensors/bool", torch.tensor([True, False]), 1, WALL)
    writer.add_histogram("histogram", given["values"], 2, walltime=WALL)
    writer.add_histogram("histogram", np.zeros(5), 3, walltime=WALL)
    writer.add_histogram("auto", torch.tensor(given["values"]), 2, bins="auto", walltime=WALL)
    writer.add_histogram("merged", given["values"], 2, "auto", WALL, 10)
    writer.add_histogram_raw("raw", 0.0, 3.0, 4, 6.0, 14.0, [1.0, 2.0, 3.0], [1, 2, 1], 5, WALL)
    writer.add_image("image/chw", given["image"], 1, WALL)
    writer.add_image("image/hwc", given["bytes"], 1, WALL, "HWC")
    writer.add_image("image/hw", torch.tensor(given["gray"]), 1, WALL, dataformats="HW")
    writer.add_image("image/wh", given["gray"], 1, WALL, dataformats="WH")
    writer.add_images("batch", given["batch"], 1, WALL)
    writer.add_image_with_boxes("boxes", given["image"], given["boxes"], 1, WALL)
    writer.add_image_with_boxes("labels", given["image"], given["boxes"], 1, WALL, 2, "CHW", ["a", "b"])
    writer.add_figure("figure", figure, 1, close=False, walltime=WALL)
    writer.add_figure("figures", [figure, figure], 1, close=False, walltime=WALL)
    writer.add_video("video", torch.tensor(given["video"]), 1, fps=5, walltime=WALL)
    writer.add_audio("audio", given["sound"], 1, 8000, WALL)
    writer.add_text("text", "**bold** ü", 1, WALL)
    writer.add_pr_curve("curve", given["labels"], given["predictions"], 1, 50, walltime=WALL)
    writer.add_pr_curve("weighted", given["labels"], given["predictions"], 1, weights=0.5, walltime=WALL)
    rows = np.linspace(0, 1, 5, dtype="f4")
    writer.add_pr_curve_raw("raw curve", rows, rows, rows, rows, rows, rows, 1, 5, walltime=WALL)
    writer.add_mesh(
        "mesh", torch.tensor(given["vertices"]), torch.tensor(given["colors"]), torch.tensor(given["faces"]),
        {"material": {"cls": "PointsMaterial", "size": 2}}, 1, WALL,
    )  # fmt: skip
    writer.add_mesh("points", torch.tensor(given["vertices"]), global_step=1, walltime=WALL)
    writer.add_graph(given["network"], given["input"])
    if onnx is not None:
        writer.add_onnx_graph(str(onnx))
    names = [f"n{number}" for number in range(10)]
    writer.add_embedding(given["vectors"], names, given["pictures"], 5, "embed/one")
    writer.add_embedding(given["vectors"], [[name, "x"] for name in names], tag="two", metadata_header=["name", "kind"])
    writer.add_custom_scalars({"category": {"lines": ["Multiline", ["a", "b"]], "margin": ["Margin", ["a", "b", "c"]]}})
    writer.add_custom_scalars_multilinechart(["a", "b"])
    writer.add_custom_scalars_marginchart(["a", "b", "c"], "category", "title")
    writer.add_hparams(
        {"lr": 0.1, "batch": 32, "optimizer": "adam", "nesterov": True, "none": None},
        {"accuracy": 0.9, "loss": 0.1}, {"lr": [0.1, 0.01], "optimizer": ["adam", "sgd"]}, "session", 3,
    )  # fmt: skip
    writer.flush()
