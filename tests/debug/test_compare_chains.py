# SPDX-License-Identifier: Apache-2.0
"""Operators of one training that are several of the other, made of plain arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mindscope.debug.compare import Divergence, DivergenceCause, compare_sources
from mindscope.debug.compare.names import alike_type, moves_memory
from mindscope.debug.model.loaded import LoadedSource
from mindscope.debug.model.tensors import DebugTensor, Phase, Role
from tests.debug.made_sources import Recorded, source_of

RNG = np.random.default_rng(3)
X, W, B = (RNG.normal(size=shape).astype(np.float32) for shape in ((4, 6), (6, 5), (5,)))
SCALED = X @ W


def call(module: str, type: str, order: int, inputs: list[Any], outputs: list[Any], **facts: Any) -> list[Recorded]:
    """The rows of an operator."""
    rows = []
    for role, arrays in ((Role.INPUT, inputs), (Role.OUTPUT, outputs)):
        for slot, array in enumerate(arrays):
            about = {"phase": Phase.FORWARD, "dtype": str(array.dtype), "shape": array.shape, **facts}
            rows.append(Recorded(DebugTensor(module, type, role=role, slot=str(slot), **about), array, order))
    return rows


def fused(result: np.ndarray, kind: str = "aten::addmm") -> LoadedSource:
    """One operator, beside a view of the weight."""
    rows = call("fc", "aten::t", 0, [W], [W.T]) + call("fc", kind, 1, [B, X, W.T], [result])
    return source_of({1: rows, 2: rows})


def split() -> LoadedSource:
    """Two operators, of MindSpore."""
    name = {"name": "Default/network-Net/fc-Dense/MatMul-op0"}
    rows = call("fc", "MatMul", 0, [X, W, np.array(False)], [SCALED], **name)
    name = {"name": "Default/network-Net/fc-Dense/BiasAdd-op0"}
    return source_of({1: (rows := rows + call("fc", "BiasAdd", 1, [SCALED, B], [SCALED + B], **name)), 2: rows},
                     framework="mindspore")  # fmt: skip


@pytest.mark.parametrize("is_swapped", [False, True])
@pytest.mark.parametrize("kind", ["aten::addmm", "aten::convolution"])
def test_a_fused_operator_is_compared_by_what_enters_and_leaves_the_chain(kind: str, is_swapped: bool) -> None:
    def compare(result: np.ndarray) -> Divergence:
        sources = [fused(result, kind), conv(split()) if "conv" in kind else split()]
        return compare_sources(*(sources[::-1] if is_swapped else sources))

    equal = compare(SCALED + B)
    assert (equal.cause, equal.matching.coverage, equal.matching.unmatched) == (DivergenceCause.NONE, 1, ((), ()))
    other = compare(SCALED + 1.1 * B)
    assert other.first is not None
    assert other.cause is DivergenceCause.OPERATOR
    names = [other.first.left, other.first.right][:: -1 if is_swapped else 1]
    first = "Conv2D" if "conv" in kind else "MatMul"
    assert names[0] == f"fc/{kind}"
    assert names[1] == f"Default/network-Net/fc-Dense/{first}-op0 + Default/network-Net/fc-Dense/BiasAdd-op0"
    assert other.first.inherited < 1e-6
    assert len(other.operators) == 1


def conv(source: LoadedSource) -> LoadedSource:
    """As if the product were a convolution."""
    for place, tensor in enumerate(source.tensors):
        if tensor.type == "MatMul":
            name = tensor.name.replace("MatMul", "Conv2D")
            source.tensors[place] = DebugTensor(  # type: ignore[index]
                tensor.module, "Conv2D", tensor.phase, tensor.role, tensor.slot, 0, tensor.dtype, tensor.shape, name
            )
    return source


def test_what_is_left_of_a_module_is_one_chain() -> None:
    mean = X.mean(axis=1, keepdims=True)
    centered = X - mean
    normed = centered / np.sqrt((centered**2).mean(axis=1, keepdims=True) + 1e-5)
    one = call("norm", "aten::native_layer_norm", 0, [X], [normed])
    several = (
        call("norm", "ReduceMean", 0, [X], [mean])
        + call("norm", "Sub", 1, [X, mean], [centered])
        + call("norm", "Rsqrt", 2, [centered], [normed])
    )
    found = compare_sources(source_of({1: one}), source_of({1: several}))
    assert (found.cause, found.matching.coverage) == (DivergenceCause.NONE, 1)
    assert found.matching.names[0][1] == "norm/ReduceMean + norm/Sub + norm/Rsqrt"


def test_a_module_is_compared_with_the_operators_in_it() -> None:
    first, second = np.tanh(X), np.tanh(X) * 2
    modules = call("block", "Block", 2, [X], [second])
    operators = call("block.0", "aten::tanh", 0, [X], [first]) + call("block", "aten::mul", 1, [first], [second])
    found = compare_sources(source_of({1: modules}), source_of({1: operators}))
    assert found.cause is DivergenceCause.NONE
    assert found.matching.names == (("block/Block", "block.0/aten::tanh + block/aten::mul"),)
    assert found.matching.unmatched == ((), ("block.0/aten::tanh",))


def test_a_gradient_is_what_an_operator_of_its_module_returns() -> None:
    rows = [Recorded(DebugTensor("fc", "Linear", Phase.BACKWARD, Role.GRADIENT, "weight", shape=W.shape), W, 3)]
    name = "Gradients/Default/network-Net/fc-Dense/Grad_MatMul/MatMul-op1"
    product = call("fc", "MatMul", 5, [X, SCALED], [W], phase=Phase.BACKWARD, name=name)
    found = compare_sources(source_of({1: rows}), source_of({1: product}, framework="mindspore"))
    assert (found.cause, found.matching.names) == (DivergenceCause.NONE, (("gradient of fc.weight", name),))
    assert found.matching.coverage == 1


def test_types_of_two_frameworks_that_mean_the_same() -> None:
    for names in (
        ("aten::threshold_backward", "ReluGrad", "relu_", "ReLUV2"),
        ("aten::_log_softmax_backward_data", "LogSoftmaxGrad", "LogSoftmax"),
        ("aten::nll_loss_forward", "NLLLossGrad", "aten::nll_loss_backward"),
        ("aten::convolution_backward", "Conv2DBackpropFilter", "Conv2DBackpropInput", "Conv2D"),
        ("aten::view", "Flatten", "Reshape", "aten::_unsafe_view", "aten::flatten"),
        ("aten::native_layer_norm_backward", "LayerNormGrad", "LayerNorm"),
        ("aten::max_pool2d_with_indices_backward", "MaxPoolGrad", "MaxPool"),
        ("BiasAddGrad", "aten::sum", "ReduceSum"),
        ("aten::embedding_dense_backward", "EmbeddingLookup", "aten::embedding", "Gather"),
        ("SparseSoftmaxCrossEntropyWithLogits", "CrossEntropyLoss"),
    ):
        assert len({alike_type(each) for each in names}) == 1, names
    assert all(map(moves_memory, ("aten::view", "Reshape", "aten::t", "aten::clone", "aten::_to_copy", "ExpandDims")))
    assert not any(map(moves_memory, ("aten::mm", "ReLU", "Grad", "aten::add_")))
