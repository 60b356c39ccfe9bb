# SPDX-License-Identifier: Apache-2.0
"""Names of modules and operators without what differs between frameworks and wrappers."""

from __future__ import annotations

import re
from functools import lru_cache

from mindscope.debug.watchpoints.tensor_kinds import plain_type

_WRAPPERS = frozenset(
    "module _orig_mod _fsdp_wrapped_module _checkpoint_wrapped_module default network _network backbone _backbone"
    .split()
)  # fmt: skip
_CLASS = re.compile(r"-(\w+)$")
_ALIKE = {
    "dense": "linear", "addmm": "linear", "biasadd": "add", "addn": "add", "matmul": "mm", "bmm": "mm",
    "batchmatmul": "mm", "conv2dfwd": "conv2d", "convolution": "conv2d", "cudnnconvolution": "conv2d",
    "nativelayernorm": "layernorm", "nativebatchnorm": "batchnorm", "batchnorm1d": "batchnorm",
    "batchnorm2d": "batchnorm", "nativegroupnorm": "groupnorm", "realdiv": "div", "reducemean": "mean",
    "reducesum": "sum", "softmaxcrossentropywithlogits": "crossentropyloss",
    "sparsesoftmaxcrossentropywithlogits": "crossentropyloss", "maxpool2dwithindices": "maxpool2d",
    "maxpool": "maxpool2d", "gamma": "weight", "beta": "bias", "embeddinglookup": "embedding", "gather": "embedding",
    "permute": "transpose", "t": "transpose", "view": "reshape",
}  # fmt: skip
"""Plain types, and names of parameters, that mean the same in PyTorch and MindSpore."""


@lru_cache(maxsize=100_000)
def plain_path(module: str) -> str:
    """The path of a module without wrappers and classes: ``Default/network-LeNet5/conv1-Conv2d`` is ``conv1``."""
    parts = (_CLASS.sub("", part) for part in re.split(r"[./]", module))
    return ".".join(part for part in parts if part and part.lower() not in _WRAPPERS)


@lru_cache(maxsize=100_000)
def alike_type(type_name: str) -> str:
    """The plain type of an operator under one name for all frameworks."""
    plain = plain_type(type_name).lstrip("_")
    return _ALIKE.get(plain, plain)


def alike_slot(slot: str) -> str:
    """The name of a parameter, or the place of an input."""
    return _ALIKE.get(slot, slot)
