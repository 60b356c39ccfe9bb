# SPDX-License-Identifier: Apache-2.0
"""What a dashboard shows of a run."""

from __future__ import annotations

import numpy as np

from mindscope import open_run
from mindscope.analysis.graph_preview import preview_graphs
from mindscope.analysis.previews import newest_landscape
from mindscope.formats import wire
from mindscope.formats.mindspore_schemas import GRAPH
from mindscope.graph import read_mindspore_graph
from mindscope.types import Landscape
from tests.event_log import DATA

SIDE = np.linspace(-1, 1, 3)
SURFACE = Landscape(SIDE, SIDE, np.zeros((3, 3)))
WITH_PATH = Landscape(SIDE, SIDE, np.zeros((3, 3)), (1,), SIDE[:1], SIDE[:1], SIDE[:1])
LINE = Landscape(SIDE, SIDE[:1], np.zeros((1, 3)), (1,), SIDE[:1], SIDE[:1], SIDE[:1])


def chosen(**landscapes: Landscape) -> str | None:
    found = newest_landscape(landscapes)
    return None if found is None else found[0]


def test_the_newest_surface_with_a_path_comes_first() -> None:
    assert chosen(old=WITH_PATH, new=WITH_PATH, surface=SURFACE, line=LINE) == "new"
    assert chosen(old=SURFACE, new=SURFACE, line=LINE) == "new"
    assert chosen(old=LINE, new=LINE) == "new"
    assert chosen() is None


def test_boxes_of_a_graph_have_the_names_of_the_code() -> None:
    graphs = list(open_run(DATA / "mindspore/collector_specified").graphs().values())
    names = [scope.name for scope in preview_graphs(graphs).scopes]
    assert {"_backbone", "_loss_fn", "optimizer"} <= set(names)
    assert not any("-" in name for name in names)


def test_operations_in_the_scope_around_all_are_boxes_of_their_own() -> None:
    """Twelve modules beside them are more than fit."""
    nodes = [
        {"name": str(row), "op_type": "ReLU", "scope": f"Default/layer{row}-Cell", "full_name": f"{row}"}
        for row in range(12)
    ]
    nodes += [{"name": str(row), "op_type": "Add", "scope": "Default"} for row in (12, 13)]
    preview = preview_graphs([read_mindspore_graph(wire.encode(GRAPH, {"node": nodes}))])
    assert {scope.name: scope.nodes for scope in preview.scopes} == {f"layer{row}": 1 for row in range(12)} | {"Add": 2}
