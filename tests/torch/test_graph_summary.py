# SPDX-License-Identifier: Apache-2.0
"""The line about a network against PyTorch's own counts: parameters, FLOPs, shapes, blocks, and what is unknown."""

from __future__ import annotations

from typing import Any

import pytest

from mindscope.formats import wire
from mindscope.formats.mindspore_schemas import GRAPH
from mindscope.graph import GraphSummary, read_mindspore_graph
from tests.browser.test_graph_totals import networks

torch = pytest.importorskip("torch")
from torch import nn  # noqa: E402
from torch.nn.attention import SDPBackend, sdpa_kernel  # noqa: E402
from torch.utils.flop_counter import FlopCounterMode  # noqa: E402

from mindscope.torch.graphs import graph_of  # noqa: E402

pytestmark = pytest.mark.framework


class Tagger(nn.Module):
    """Its input has a name that is no usual one, and one weight is read twice."""

    def __init__(self) -> None:
        super().__init__()
        self.embed, self.lstm = nn.Embedding(100, 64), nn.LSTM(64, 64, 2, batch_first=True)
        self.head = nn.Linear(64, 100, bias=False)
        self.head.weight = self.embed.weight

    def forward(self, sentence: Any) -> Any:
        return self.head(self.lstm(self.embed(sentence))[0])


def transformer() -> nn.Module:
    layer = nn.TransformerEncoderLayer(64, 4, 128, batch_first=True)
    return nn.TransformerEncoder(layer, 12, enable_nested_tensor=False).eval()


def summary(network: nn.Module, inputs: Any) -> GraphSummary:
    return read_mindspore_graph(wire.encode(GRAPH, graph_of(network, inputs))).summary


def counted(network: nn.Module, inputs: Any) -> int:
    """What PyTorch counts while the network computes; oneDNN's fused kernels hide products from it."""
    with (
        FlopCounterMode(display=False) as flops,
        torch.backends.mkldnn.flags(enabled=False),
        sdpa_kernel(SDPBackend.MATH),
    ):
        network(inputs)
    return flops.get_total_flops()


@pytest.mark.filterwarnings("ignore:TF32 acceleration")
@pytest.mark.parametrize(
    ("name", "inputs", "outputs", "blocks"),
    [
        ("LeNet", (64, 1, 28, 28), (64, 10), (0, "")),
        ("ResNet18", (2, 3, 64, 64), (2, 1000), (8, "Block")),
        ("TransformerEncoder", (2, 16, 64), (2, 16, 64), (12, "TransformerEncoderLayer")),
        ("Tagger", (4, 20), (4, 20, 100), (0, "")),
    ],
)
def test_the_line_says_what_pytorch_counts(
    name: str, inputs: tuple[int, ...], outputs: tuple[int, ...], blocks: tuple[int, str]
) -> None:
    more = {
        "TransformerEncoder": (transformer(), torch.zeros(2, 16, 64)),
        "Tagger": (Tagger(), torch.zeros(4, 20, dtype=torch.long)),
    }
    network, example = {**networks(), **more}[name]
    got = summary(network, example)
    assert got.name == name
    assert (got.parameters, got.unknown_parameters) == (sum(each.numel() for each in network.parameters()), 0)
    assert (got.flops, got.unknown_flops) == (counted(network, example), 0)
    assert (got.inputs, got.outputs, got.has_backward) == ([inputs], [outputs], False)
    assert (got.blocks, got.block) == blocks


def test_resnet18_has_the_numbers_that_everybody_knows() -> None:
    network, _ = networks()["ResNet18"]
    got = summary(network, torch.zeros(2, 3, 224, 224))
    assert (got.parameters, round(got.flops / 1e9, 1), got.inputs) == (11_689_512, 7.3, [(2, 3, 224, 224)])


def test_what_is_not_recorded_is_unknown() -> None:
    class Branching(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.low, self.high = nn.Linear(2, 2), nn.Linear(2, 2)

        def forward(self, x: Any) -> Any:
            return self.low(x) if x.sum() < 0 else self.high(x)

    got = summary(Branching(), torch.ones(1, 2))
    assert (got.has_edges, got.unknown_flops, got.inputs, got.outputs) == (False, 2, [], [])

    class Conditional(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(3, 3)

        def forward(self, x: Any) -> Any:
            return torch.cond(x.sum() > 0, torch.sin, torch.cos, (self.layer(x),))

    got = summary(Conditional(), torch.ones(3))
    assert (got.has_edges, got.flops, got.unknown_flops) == (True, 2 * 9, 0)  # the branches have no products
