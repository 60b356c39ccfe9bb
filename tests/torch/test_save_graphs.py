# SPDX-License-Identifier: Apache-2.0
"""The stages of compilation as files that the viewer reads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mindscope.graph import find_graph_files, read_graph_file

torch = pytest.importorskip("torch")
from mindscope.torch import Model, save_stages, set_context  # noqa: E402
from mindscope.torch.core.context import CONTEXT  # noqa: E402

pytestmark = [pytest.mark.framework, pytest.mark.filterwarnings("ignore")]


def test_stages_are_written(tmp_path: Path) -> None:
    net, x = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.ReLU()), torch.randn(5, 4)
    torch._dynamo.reset()
    set_context(save_graphs=True, save_graphs_path=tmp_path)
    try:
        save_stages(net, (x,))
        torch.compile(net)(x).sum().backward()
    finally:
        set_context(save_graphs=False)
    save_stages(net, (x,))
    graphs = {path.stem.removeprefix("ms_output_"): read_graph_file(path) for path in find_graph_files(tmp_path)}
    assert set(graphs) == {"exported", "decomposed", "joint", "after_hwopt", "after_hwopt_1"}
    assert [node.op_type for node in graphs["exported"].operations] == ["linear", "relu"]
    assert [node.op_type for node in graphs["decomposed"].operations] == ["permute", "addmm", "relu"]
    assert "threshold_backward" in {node.op_type for node in graphs["joint"].operations}
    assert {"0.weight", "0.bias"} <= {each.name for each in graphs["joint"].parameters}
    assert any("relu" in node.op_type for node in graphs["after_hwopt"].operations)


def test_model_saves_the_stages_of_its_first_batch(tmp_path: Path) -> None:
    torch.manual_seed(0)
    torch._dynamo.reset()
    net = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.Tanh())
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    data = [(torch.randn(5, 4), torch.tensor([0, 1, 2, 0, 1]))] * 2
    model = Model(net, torch.nn.CrossEntropyLoss(), optimizer, is_compiled=True)
    set_context(save_graphs=True, save_graphs_path=tmp_path)
    try:
        model.train(1, data)
    finally:
        set_context(save_graphs=False)
    graphs = {path.stem.removeprefix("ms_output_"): read_graph_file(path) for path in find_graph_files(tmp_path)}
    assert {"exported", "decomposed", "joint", "after_hwopt"} <= set(graphs)
    operators = {node.op_type for node in graphs["joint"].operations}
    assert {"tanh_backward", "nll_loss_backward"} <= operators


def test_columns_of_a_dict_are_the_arguments_of_the_network(tmp_path: Path) -> None:
    class Sum(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = torch.nn.Parameter(torch.ones(3))

        def forward(self, first: Any, second: Any) -> Any:
            return ((first + second) * self.weight).sum()

    net = Sum()
    model = Model(net, optimizer=torch.optim.SGD(net.parameters(), lr=0.1))
    set_context(save_graphs=2, save_graphs_path=tmp_path)
    try:
        model.train(1, [{"second": torch.ones(3), "first": torch.zeros(3)}])
    finally:
        set_context(save_graphs=0)
    assert {path.stem for path in find_graph_files(tmp_path)} == {
        "ms_output_exported", "ms_output_decomposed", "ms_output_joint"
    }  # fmt: skip


def test_choices_of_the_process_are_checked(tmp_path: Path) -> None:
    set_context(mode=0, device_target="CPU", device_id=0)
    try:
        assert Model(torch.nn.Linear(1, 1)).predict(torch.ones(1, 1)).device == torch.device("cpu")
    finally:
        CONTEXT.device = None
    for wrong in ({"mode": 3}, {"device_target": "TPU"}, {"device_target": "Ascend"}, {"save_graphs": -1}):
        with pytest.raises(ValueError, match=r"want|it has"):
            set_context(**wrong)


def test_without_inductors_hook_the_other_stages_are_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As with a version of torch that took the private hook away."""
    from torch._inductor import config

    torch._dynamo.reset()
    monkeypatch.delitem(config._config, "_post_fusion_custom_pass")
    net, x = torch.nn.Linear(4, 3), torch.randn(5, 4)
    set_context(save_graphs=True, save_graphs_path=tmp_path)
    try:
        save_stages(net, (x,))
    finally:
        set_context(save_graphs=False)
    assert {path.stem for path in find_graph_files(tmp_path)} == {
        "ms_output_exported", "ms_output_decomposed", "ms_output_joint",
    }  # fmt: skip
