# SPDX-License-Identifier: Apache-2.0
"""Which scopes of a graph are a module."""

from __future__ import annotations

from mindscope.analysis.module_scopes import ModuleScopes


def found(paths: list[str], modules: list[str], *, is_backward: bool = False) -> dict[str, list[str]]:
    """The paths of the scopes of each module; scopes above those that are given are added."""
    whole = [""]
    for path in paths:
        labels = path.split("/")
        whole += [above for depth in range(1, len(labels) + 1) if (above := "/".join(labels[:depth])) not in whole]
    parents = [-1, *(whole.index(path.rpartition("/")[0]) for path in whole[1:])]
    scopes = ModuleScopes.of(whole, parents, modules)
    return {each: [whole[scope] for scope in scopes.find(each, is_backward=is_backward)] for each in modules}


def test_scopes_of_a_collector_have_names_and_classes() -> None:
    paths = ["Default/blocks-ModuleList/0-Block/fc-Linear", "Default/head-Linear"]
    got = found(paths, ["blocks.0.fc", "head", "module.head", "head.inner", "other"])
    assert got == {
        "blocks.0.fc": [paths[0]],
        "head": [paths[1]],
        "module.head": [paths[1]],  # as DistributedDataParallel calls it
        "head.inner": [paths[1]],  # a part that the graph does not show
        "other": [],
    }


def test_a_trace_leaves_containers_out() -> None:
    weights, calls = "Net/ModuleList[blocks]/Block[0]/Linear[fc]", "Net/Block[0]/Linear[fc]"
    got = found([f"{weights}/weight", calls], ["blocks.0.fc", "blocks.0"])
    assert got == {"blocks.0.fc": [weights, calls], "blocks.0": ["Net/ModuleList[blocks]/Block[0]", "Net/Block[0]"]}


def test_mindspore_has_scopes_of_gradients() -> None:
    cell = "Default/network-WithLossCell/_backbone-Net/conv1-Conv2d"
    loss = "Default/network-WithLossCell/_loss_fn-MSELoss"
    paths = [cell, loss, f"Gradients/{cell}/Grad_Conv2D"]
    assert found(paths, ["conv1", "_loss_fn"]) == {"conv1": [cell], "_loss_fn": [loss]}
    assert found(paths, ["conv1"], is_backward=True) == {"conv1": [f"Gradients/{cell}"]}
    assert found([cell], ["conv1"], is_backward=True) == {"conv1": [cell]}


def test_scopes_of_onnx_models_have_names_only() -> None:
    got = found(["blocks/blocks.0/fc", "head"], ["blocks.0.fc", "head"])
    assert got == {"blocks.0.fc": ["blocks/blocks.0/fc"], "head": ["head"]}


def test_the_network_is_around_its_modules() -> None:
    scopes = ModuleScopes.of(["", "Net", "Net/Linear[fc]"], [-1, 0, 1], ["fc", ""])
    assert scopes.networks == [0, 1]
    assert scopes.find("", is_backward=False) == []
