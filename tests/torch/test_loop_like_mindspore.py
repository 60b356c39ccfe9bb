# SPDX-License-Identifier: Apache-2.0
"""A recorder in a loop of one's own beside the files that MindSpore's wrote in a loop of the same shape."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from digits import batches
from torch import Tensor, nn

import mindscope
from mindscope.formats import wire
from mindscope.formats.frames import FrameReader
from mindscope.formats.mindspore_schemas import EVENT
from mindscope.torch import SummaryRecord

pytestmark = pytest.mark.framework
DATA = Path(__file__).parents[1] / "data" / "mindspore"
KINDS = {"scalar_value": "scalar", "image": "image", "tensor": "tensor", "histogram": "histogram"}
EACH_STEP = ("train/loss", "train/epoch", "f64", "big_int", "shape1")


class MLP(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(64, 16), nn.Linear(16, 10)

    def forward(self, images: Tensor) -> Tensor:
        return self.fc2(torch.relu(self.fc1(images.flatten(1))))


def trained(network: MLP, epochs: int) -> Iterator[tuple[int, Tensor, Tensor]]:
    """Epoch, input and loss of each step."""
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
    for epoch in range(epochs):
        for images, labels in batches(512, 32):
            loss = nn.functional.cross_entropy(network(images), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            yield epoch, images, loss


def values_of(step: int, epoch: int, network: MLP, images: Tensor, loss: Tensor) -> Iterator[tuple[str, str, Any]]:
    """Plugin, tag and value of all that the script records at a step."""
    yield from zip(
        ["scalar"] * 5, EACH_STEP,
        [loss, torch.tensor(epoch, dtype=torch.int32), torch.tensor(step / 3, dtype=torch.float64),
         torch.tensor(2**31 + step), torch.tensor([float(step)])], strict=True,
    )  # fmt: skip
    if step % 8 == 0:
        yield "histogram", "fc1.weight", network.fc1.weight
        yield "histogram", "int_hist", torch.arange(40) % 7 - 5
        yield "histogram", "const_hist", torch.full((3, 4), 2.5)
        yield "histogram", "one_elem", torch.tensor([7.0], dtype=torch.float16)
    if step % 16 == 0:
        yield "image", "input", images[:10]
        yield "image", "rgb_uint8", torch.arange(2160).reshape(3, 3, 12, 20).to(torch.uint8)
        yield "image", "rgb_float_neg", torch.arange(189.0).reshape(1, 3, 9, 7) - 90
        yield "tensor", "fc2.bias", network.fc2.bias
        yield "tensor", "t3d_f16", torch.ones(2, 3, 4, dtype=torch.float16)
        yield "tensor", "t_int64", torch.tensor([[2**40, -3], [1, 2**24 + 1]])
        yield "tensor", "t_bool", torch.tensor([True, False, True])
        yield "tensor", "t_uint8", torch.arange(6, dtype=torch.uint8).reshape(1, 1, 2, 3)
        yield "tensor", "t_f64", torch.ones(5, dtype=torch.float64)
    if step == 20:
        yield "scalar", "dup", torch.tensor(1.0)
        yield "scalar", "dup", torch.tensor(2.0)


def recorded(directory: Path) -> Iterator[tuple[int, Any]]:
    """Step and value of all events: a reader would hide the steps that go back."""
    (file,) = directory.glob("*_MS")
    for _, payload in FrameReader(file.name).records(file.read_bytes()):
        event = wire.decode(EVENT, payload)
        yield from ((event["step"], value) for value in event.get("summary", {}).get("value", []))


def written_by_mindspore() -> dict[tuple[str, str], list[int]]:
    """Kind and tag -> steps. Mended in ours: the values of the first step go with it and not with the second."""
    expected = json.loads((DATA / "custom_loop.expected.json").read_text("utf-8"))
    (file,) = expected["files"].values()
    found = {(KINDS[each["plugin"]], each["tag"]): sorted(set(each["steps"])) for each in file["tags"]}
    return found | {("scalar", tag): [1, *found["scalar", tag]] for tag in EACH_STEP}


def test_same_tags_kinds_and_steps(tmp_path: Path) -> None:
    network = MLP()
    with SummaryRecord(log_dir=tmp_path, network=network, raise_exception=True) as record:
        for step, (epoch, images, loss) in enumerate(trained(network, 3), start=1):
            for plugin, tag, value in values_of(step, epoch, network, images, loss):
                record.add_value(plugin, tag, value)
            assert record.record(step)
        for odd in (48, 30, 0, 2**40, -1):
            record.add_value("scalar", "odd_steps", torch.tensor(float(odd % 100)))
            assert record.record(odd)
        record.set_mode("eval")
        record.add_value("scalar", "eval_acc", torch.tensor(0.5))
        record.record(48)
    assert record.record(49) is False
    got: dict[tuple[str, str], list[int]] = {}
    for step, value in recorded(tmp_path):
        (kind,) = KINDS.keys() & value.keys()
        got.setdefault((KINDS[kind], value["tag"]), []).append(step)
    assert {key: sorted(steps) for key, steps in got.items()} == written_by_mindspore()
    assert [value["scalar_value"] for _, value in recorded(tmp_path) if value["tag"] == "dup"] == [2]
    assert list(mindscope.open_run(tmp_path).graphs()) == ["MLP"]
