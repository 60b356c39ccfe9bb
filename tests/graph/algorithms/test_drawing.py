# SPDX-License-Identifier: Apache-2.0
"""Graphs drawn as SVG."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindscope.graph import Graph, Role, TensorType
from mindscope.graph.algorithms.drawing import to_svg
from mindscope.graph.formats.builder import NewInput, NewNode, build_graph
from mindscope.reading import open_run
from tests.event_log import DATA

SVG = "{http://www.w3.org/2000/svg}"


def net() -> Graph:
    return build_graph(
        "<net>",
        [
            NewNode("x", "Input", role=Role.INPUT),
            NewNode("a.weight", "", role=Role.PARAMETER, type=TensorType("float32", (8, 3))),
            NewNode("a/conv", "Conv2D", "a", (NewInput("x"), NewInput("a.weight"))),
            NewNode("a/b/relu", "ReLU", "a/b", (NewInput("a/conv"),)),
            NewNode("load", "Load", "", (NewInput("a/b/relu"),)),
            NewNode("c/add", "Add", "c", (NewInput("load"), NewInput("a/conv"), NewInput("x", is_control=True))),
        ],
        ["c/add"],
    )


def texts(svg: str) -> list[str]:
    return [each.text or "" for each in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def boxes(svg: str) -> list[tuple[float, float, float, float]]:
    """Boxes that are no frames: x, y, width and height."""
    found = [each.attrib for each in ElementTree.fromstring(svg).iter(f"{SVG}rect") if "stroke" in each.attrib]
    return [
        (float(each["x"]), float(each["y"]), float(each["width"]), float(each["height"]))
        for each in found
        if "fill-opacity" not in each
    ]


def test_scopes_open_to_a_depth() -> None:
    assert [text for text in texts(to_svg(net(), 0)) if not text.startswith("×")] == ["x", "a  +", "c  +"]
    one = texts(to_svg(net(), 1))
    assert {"a", "conv", "weight 8×3", "b  +", "add"} <= set(one)
    assert set(texts(to_svg(net()))) == set(texts(to_svg(net(), 9))) >= {"relu"}
    assert "load" not in one


def test_control_edges_are_dashed_and_equal_edges_counted() -> None:
    svg = to_svg(net(), 0)
    assert svg.count("stroke-dasharray") == 1
    assert texts(svg).count("×2") == 1
    assert "<title>&lt;net&gt;</title>" in svg


def apart(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    (x, y, width, height), (left, top, wide, high) = one, other
    return x + width <= left or left + wide <= x or y + height <= top or top + high <= y


@given(
    st.lists(st.tuples(st.sampled_from(["", "a", "a/b", "c"]), st.lists(st.integers(0, 11), max_size=3)), max_size=12),
    st.integers(0, 3),
)
def test_boxes_never_overlap_and_all_are_drawn(nodes: list[tuple[str, list[int]]], depth: int) -> None:
    """Also where edges go round in circles."""
    graph = build_graph(
        "g",
        [
            NewNode(f"n{i}", "Op", scope, tuple(NewInput(f"n{j}") for j in ends))
            for i, (scope, ends) in enumerate(nodes)
        ],
    )
    svg = to_svg(graph, depth)
    found = boxes(svg)
    assert all(apart(one, other) for index, one in enumerate(found) for other in found[:index])
    depths = [len([part for part in scope.split("/") if part]) for scope, _ in nodes]
    want = {f"n{i}" for i, level in enumerate(depths) if level <= depth}
    want |= {f"n{j}" for _, ends in nodes for j in ends if j >= len(nodes)}  # names that no node has
    assert {text for text in texts(svg) if re.fullmatch(r"n\d+", text)} == want


@pytest.mark.parametrize("run", ["mindspore/ops", "tensorboard/tb_all/run_a"])
def test_real_graphs(run: str) -> None:
    (graph,) = open_run(DATA / run).graphs().values()
    found = boxes(to_svg(graph))
    assert 5 < len(found) <= 60
    assert len(boxes(to_svg(graph, 20))) >= len(found)
