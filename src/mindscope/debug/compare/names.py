# SPDX-License-Identifier: Apache-2.0
"""Names of modules and operators without what differs between frameworks and wrappers."""

from __future__ import annotations

import re
from functools import lru_cache

from mindscope.debug.model.tensor_kinds import plain_type

_WRAPPERS = frozenset(
    "module _orig_mod _fsdp_wrapped_module _checkpoint_wrapped_module default network _network backbone _backbone"
    .split()
)  # fmt: skip
_CLASS = re.compile(r"-(\w+)$")
_OF_BACKWARD = re.compile(r"(?<=.)(backwarddata|backward|forward|gradv\d|gradext|grad|backpropfilter|backpropinput)$")
_ALIKE = {
    "dense": "linear", "addmm": "linear", "baddbmm": "linear", "biasadd": "add", "addn": "add", "matmul": "mm",
    "bmm": "mm", "batchmatmul": "mm", "conv2dfwd": "conv2d", "convolution": "conv2d", "cudnnconvolution": "conv2d",
    "mkldnnconvolution": "conv2d", "nativelayernorm": "layernorm", "nativebatchnorm": "batchnorm",
    "cudnnbatchnorm": "batchnorm", "batchnorm1d": "batchnorm", "batchnorm2d": "batchnorm", "batchnorm3d": "batchnorm",
    "nativegroupnorm": "groupnorm", "realdiv": "div", "reducemean": "mean", "reducesum": "sum", "biasaddgrad": "sum",
    "softmaxcrossentropywithlogits": "crossentropyloss", "sparsesoftmaxcrossentropywithlogits": "crossentropyloss",
    "crossentropy": "crossentropyloss", "maxpool2dwithindices": "maxpool2d", "maxpool": "maxpool2d",
    "avgpool": "avgpool2d", "gamma": "weight", "beta": "bias", "embeddinglookup": "embedding", "gather": "embedding",
    "embeddingdense": "embedding", "permute": "transpose", "t": "transpose", "view": "reshape", "flatten": "reshape",
    "unsafeview": "reshape", "threshold": "relu", "reluv2": "relu", "fastgelu": "gelu", "nativedropout": "dropout",
    "logsoftmaxbackwarddata": "logsoftmax", "softmaxbackwarddata": "softmax",
}  # fmt: skip
"""Plain types, and names of parameters, that mean the same in PyTorch and MindSpore."""
_MOVES_MEMORY = frozenset(
    "reshape transpose detach clone copy contiguous alias expand asstrided squeeze unsqueeze expanddims tocopy"
    " localscalardense empty emptylike newempty emptystrided zeros zeroslike ones oneslike zero fill fillinplace"
    " load updatestate depend tensormove setitem to identity".split()
)
"""Types whose outputs hold what enters them, or constants."""
_UNDEFINED = frozenset("empty emptylike emptystrided emptypermuted newempty newemptystrided emptyquantized".split())
"""Types whose outputs are memory that nothing was written to."""
_MEMORY_ONLY = _UNDEFINED | frozenset("to numpy setitem resize".split())
"""Types whose outputs msprobe leaves out of its comparison."""
_PARTS = {"linear": ("mm", "add"), "crossentropyloss": ("logsoftmax", "nllloss")}
"""Types that compute what several others do, one after the other."""


@lru_cache(maxsize=100_000)
def plain_path(module: str) -> str:
    """Return the path of a module without wrappers and classes: ``Default/network-LeNet5/conv1-Conv2d`` is
    ``conv1``.
    """
    parts = (_CLASS.sub("", part) for part in re.split(r"[./]", module))
    return ".".join(part for part in parts if part and part.lower() not in _WRAPPERS)


@lru_cache(maxsize=100_000)
def alike_type(type_name: str) -> str:
    """Return the plain type of an operator under one name for all frameworks, its backward operators included."""
    plain = plain_type(type_name).lstrip("_")
    if plain in _ALIKE:
        return _ALIKE[plain]
    stem = _OF_BACKWARD.sub("", plain)
    return _ALIKE.get(stem, stem)


def alike_slot(slot: str) -> str:
    """Return the name of a parameter, or the slot of an input."""
    return _ALIKE.get(slot, slot)


def moves_memory(type_name: str) -> bool:
    """Return whether an operator computes nothing: it copies, reorders or fills memory."""
    return alike_type(type_name) in _MOVES_MEMORY


def has_undefined_outputs(type_name: str) -> bool:
    """Return whether the outputs of an operator are memory that nothing was written to."""
    return alike_type(type_name) in _UNDEFINED


def is_memory_only(type_name: str) -> bool:
    """Return whether an operator only allocates, converts or writes memory, so that its outputs have no level."""
    return alike_type(type_name) in _MEMORY_ONLY


def parts_of(type_name: str, *, has_bias: bool) -> tuple[str, ...]:
    """Return the types that an operator of the forward pass computes, one after the other: ``addmm`` is ``mm`` and
    ``add``.
    """
    alike = alike_type(type_name)
    if alike == "linear" and not has_bias:
        return ("mm",)
    if alike.startswith("conv") and has_bias:
        return (alike, "add")
    return _PARTS.get(alike, (alike,))
