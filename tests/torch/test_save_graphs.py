# SPDX-License-Identifier: Apache-2.0
"""The stages of compilation as files that the viewer reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from mindscope.graph import find_graph_files, read_graph_file

torch = pytest.importorskip("torch")
from mindscope.torch.save_graphs import save_stages, set_context  # noqa: E402

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
    assert [node.op_type for node in graphs["exported"].nodes] == ["linear", "relu"]
    assert [node.op_type for node in graphs["decomposed"].nodes] == ["permute", "addmm", "relu"]
    assert "threshold_backward" in {node.op_type for node in graphs["joint"].nodes}
    assert {"0.weight", "0.bias"} <= {each.name for each in graphs["joint"].parameters}
    assert any("relu" in node.op_type for node in graphs["after_hwopt"].nodes)
