# SPDX-License-Identifier: Apache-2.0
"""The names of operations in PyTorch, MindSpore and ONNX that compute the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from enum import Enum


class Dialect(Enum):
    """A vocabulary of operation types; the number is its column in the table."""

    PYTORCH = 0
    MINDSPORE = 1
    ONNX = 2


_NAMES = """
conv            | conv1d conv2d conv3d convolution       | Conv2D Conv3D                    | Conv
conv_transpose  | conv_transpose1d conv_transpose2d      | Conv2DTranspose Conv2DBackpropInput | ConvTranspose
conv_transpose  | conv_transpose3d                       | Conv3DTranspose                  |
matmul          | matmul mm bmm linear addmm baddbmm     | MatMul BatchMatMul Dense MatMulExt | MatMul Gemm
bias_add        |                                        | BiasAdd                          |
batch_norm      | batch_norm                             | BatchNorm FusedBatchNorm         | BatchNormalization
batch_norm      | _native_batch_norm_legit_no_training   |                                  |
batch_norm      | native_batch_norm                      |                                  |
layer_norm      | layer_norm native_layer_norm           | LayerNorm LayerNormExt           | LayerNormalization
group_norm      | group_norm native_group_norm           | GroupNorm                        | GroupNormalization
instance_norm   | instance_norm                          | InstanceNorm                     | InstanceNormalization
embedding       | embedding                              | EmbeddingLookup Embedding Gather | Gather
embedding       |                                        | GatherV2                         |
lstm            | lstm                                   | LSTM LSTMV2                      | LSTM
gru             | gru                                    | GRU GRUV2                        | GRU
relu            | relu                                   | ReLU ReLUV2                      | Relu
leaky_relu      | leaky_relu                             | LeakyReLU LeakyReLUExt           | LeakyRelu
prelu           | prelu                                  | PReLU                            | PRelu
elu             | elu                                    | Elu EluExt                       | Elu
gelu            | gelu                                   | GeLU GeLUExt                     | Gelu
silu            | silu                                   | SiLU Swish                       | Swish
hard_swish      | hardswish                              | HSwish                           | HardSwish
hard_sigmoid    | hardsigmoid                            | HSigmoid                         | HardSigmoid
sigmoid         | sigmoid                                | Sigmoid                          | Sigmoid
tanh            | tanh                                   | Tanh                             | Tanh
softmax         | softmax _softmax                       | Softmax                          | Softmax
log_softmax     | log_softmax _log_softmax               | LogSoftmax LogSoftmaxExt         | LogSoftmax
clip            | clamp clamp_min clamp_max relu6        | ReLU6 ClampTensor ClampScalar    | Clip
clip            | hardtanh                               |                                  |
max_pool        | max_pool1d max_pool2d max_pool3d       | MaxPool MaxPool3D                | MaxPool
max_pool        | max_pool2d_with_indices                |                                  |
avg_pool        | avg_pool1d avg_pool2d avg_pool3d       | AvgPool AvgPool3D                | AveragePool
global_avg_pool | adaptive_avg_pool1d                    | AdaptiveAvgPool2D                | GlobalAveragePool
global_avg_pool | adaptive_avg_pool2d                    |                                  |
global_avg_pool | adaptive_avg_pool3d                    |                                  |
global_avg_pool | _adaptive_avg_pool2d                   |                                  |
reduce_mean     | mean                                   | ReduceMean MeanExt               | ReduceMean
reduce_sum      | sum                                    | ReduceSum SumExt                 | ReduceSum
reduce_max      | amax max                               | ReduceMax                        | ReduceMax
arg_max         | argmax                                 | ArgMax ArgMaxExt Argmax          | ArgMax
reshape         | view reshape flatten unflatten squeeze | Reshape Flatten FlattenExt Squeeze | Reshape Flatten Squeeze
reshape         | unsqueeze _unsafe_view                 | ExpandDims                       | Unsqueeze
transpose       | transpose permute t numpy_T            | Transpose TransposeExt           | Transpose
concat          | cat concat concatenate                 | Concat                           | Concat
stack           | stack                                  | Stack                            | SequenceConstruct
split           | split chunk split_with_sizes           | Split SplitTensor                | Split
slice           | slice narrow select                    | StridedSlice Slice SliceExt      | Slice
expand          | expand repeat                          | BroadcastTo Tile                 | Expand Tile
pad             | pad constant_pad_nd                    | Pad PadV3                        | Pad
where           | where                                  | Select                           | Where
resize          | interpolate upsample_nearest2d         | ResizeBilinearV2                 | Resize
resize          | upsample_bilinear2d                    | ResizeNearestNeighbor            |
add             | add                                    | Add AddExt                       | Add
sub             | sub rsub                               | Sub SubExt                       | Sub
mul             | mul                                    | Mul                              | Mul
div             | div true_divide                        | Div RealDiv                      | Div
pow             | pow                                    | Pow                              | Pow
sqrt            | sqrt                                   | Sqrt                             | Sqrt
exp             | exp                                    | Exp                              | Exp
log             | log                                    | Log                              | Log
neg             | neg                                    | Neg                              | Neg
abs             | abs                                    | Abs                              | Abs
erf             | erf                                    | Erf                              | Erf
reciprocal      | reciprocal                             | Reciprocal                       | Reciprocal
shape           | sym_size                               | Shape TensorShape                | Shape
dropout         | dropout native_dropout alpha_dropout   | Dropout DropoutExt               | Dropout
identity        | clone contiguous detach alias          | Identity StopGradient Load       | Identity
identity        | lift_fresh_copy lift_fresh             |                                  |
cast            | to type _to_copy                       | Cast                             | Cast
"""


def _read_table() -> tuple[dict[str, str], ...]:
    found: tuple[dict[str, str], ...] = ({}, {}, {})
    for line in _NAMES.strip().splitlines():
        common, *columns = (part.split() for part in line.split("|"))
        for names, column in zip(found, columns, strict=True):
            names.update(dict.fromkeys(column, common[0]))
    return found


_COMMON = _read_table()


def common_name(dialect: Dialect, op_type: str) -> str:
    """Return the name that an operation has in all dialects; that of the graph where the table has none."""
    return _COMMON[dialect.value].get(_plain(dialect, op_type), op_type)


def dialects_of(op_types: Iterable[str]) -> frozenset[Dialect]:
    """Return the dialects with the most names among the operation types of all operations; none without any name."""
    counts: Counter[Dialect] = Counter()
    for op_type, count in Counter(op_types).items():
        for dialect in Dialect:
            if _plain(dialect, op_type) in _COMMON[dialect.value]:
                counts[dialect] += count
    most = max(counts.values(), default=0)
    return frozenset(dialect for dialect, count in counts.items() if count == most)


def tells_dialect(op_type: str) -> bool:
    """Return whether only one dialect has this operation type."""
    return sum(_plain(dialect, op_type) in _COMMON[dialect.value] for dialect in Dialect) == 1


def _plain(dialect: Dialect, op_type: str) -> str:
    """Return a name of PyTorch without its library, overload and mark of an operation in place."""
    if dialect is not Dialect.PYTORCH:
        return op_type
    name = op_type.removeprefix("aten::").removeprefix("aten.").partition(".")[0]
    return name.removesuffix("_") if not name.endswith("__") else name
