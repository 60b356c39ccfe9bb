# SPDX-License-Identifier: Apache-2.0
"""Full names of MindSpore's operators: ``Default/network-TrainOneStepCell/fc1-Dense/MatMul-op4``.

The first segment is the subgraph, the last the kernel, those between are modules as ``ATTRIBUTE-CLASS``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import numpy as np

from mindscope.profile.tables.operators import Operators
from mindscope.table.columns import TextColumn

_KERNEL = re.compile(r"(.*?)-op\d+$", re.DOTALL)
_SUBGRAPHS: Mapping[str, str] = {"Default": "forward", "Gradients": "backward", "recompute_Default": "backward"}


def kernel_of(full_name: str) -> str:
    """Return the kernel of a full name, such as ``MatMul-op4``."""
    return full_name.rpartition("/")[2]


def type_of(full_name: str) -> str:
    """Return the type of a full name, such as ``MatMul``."""
    kernel = kernel_of(full_name)
    match = _KERNEL.match(kernel)
    return match[1] if match else kernel


def module_of(full_name: str) -> str:
    """Return ``network-TrainOneStepCell/fc1-Dense``; empty without a module.

    Of the backward pass, the module whose gradients it computes: its path starts with the subgraph of that one.
    """
    segments = full_name.split("/")[:-1]
    while segments and segments[0] in _SUBGRAPHS:
        del segments[0]
    return "/".join(segment for segment in segments if not segment.startswith(("grad", "Grad_")))


def phase_of(full_name: str) -> str:
    """Return ``forward``, ``backward``, ``optimizer``, or empty for a name without subgraph."""
    first, _, rest = full_name.partition("/")
    if "optimizer-" in rest.rpartition("/")[0]:
        return "optimizer"
    return _SUBGRAPHS.get(first, "") if rest else ""


def mapped(column: TextColumn, function: Callable[[str], str]) -> TextColumn:
    """Return the function of each text; called once for each value."""
    values = TextColumn.of(map(function, column.values))
    codes = values.codes[column.codes] if len(column.values) else column.codes
    return TextColumn(codes.astype(np.uint32), values.values)


def by_time(operators: Operators | None) -> Operators | None:
    """Return the operators, those of the greatest self time first."""
    return None if operators is None else operators.select(np.argsort(-operators.self_time, kind="stable"))
