# SPDX-License-Identifier: Apache-2.0
"""Classifies the slices of a trace of PyTorch, by their categories and names."""

from __future__ import annotations

import re
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.trace.trace import Trace


class Role(IntEnum):
    """The role of a slice."""

    OTHER = 0
    OPERATOR = 1
    ANNOTATION = 2
    """A range that a program or torch named, such as ``Optimizer.step#SGD.step``."""
    LAUNCH = 3
    """A call of the runtime or driver of a device."""
    FRAME = 4
    """A call of a Python function."""
    MODULE = 5
    """A frame that calls the forward function of a module."""
    STEP = 6
    KERNEL = 7
    MEMCPY = 8
    MEMSET = 9


ON_HOST = (Role.OPERATOR, Role.ANNOTATION, Role.LAUNCH, Role.FRAME, Role.MODULE)
ON_DEVICE = (Role.KERNEL, Role.MEMCPY, Role.MEMSET)

STEP_CATEGORY = "step"
"""Category of marks of steps that only readers of other formats make."""
STEP_NAME = re.compile(r"ProfilerStep#(\d+)")
MODULE_PREFIX = "nn.Module: "
DATA_LOADER_PREFIX = "enumerate(DataLoader)"
OPTIMIZER_PREFIX = "Optimizer."
BACKWARD_PREFIX = "autograd::engine::evaluate_function"
_ANNOTATIONS = (DATA_LOADER_PREFIX, OPTIMIZER_PREFIX)
"""Old traces give annotations the category of operators."""
_HIDDEN = frozenset(
    (
        "profiler::_record_function_enter", "profiler::_record_function_enter_new", "profiler::_record_function_exit",
        "aten::is_leaf", "aten::output_nr", "aten::_version",
    )
)  # fmt: skip
"""Operators that tables of torch leave out."""

_BY_CATEGORY = {
    "cpu_op": Role.OPERATOR,
    "operator": Role.OPERATOR,
    "user_annotation": Role.ANNOTATION,
    "python_function": Role.FRAME,
    "kernel": Role.KERNEL,
    "gpu_memcpy": Role.MEMCPY,
    "memcpy": Role.MEMCPY,
    "gpu_memset": Role.MEMSET,
    "memset": Role.MEMSET,
    "runtime": Role.LAUNCH,
    "privateuse1_kernel": Role.KERNEL,
    "mtia_ccp_events": Role.KERNEL,
    "hpu_op": Role.KERNEL,
    STEP_CATEGORY: Role.STEP,
}


def roles_of(trace: Trace) -> NDArray[np.uint8]:
    """Return the ``Role`` of each of n slices."""
    slices = trace.slices
    by_category = np.array([_role_of(each.lower()) for each in trace.categories], np.uint8)
    roles = by_category[slices.category] if len(by_category) else np.zeros(len(slices), np.uint8)
    by_name = np.array([_named(each) for each in trace.names], np.uint8)
    if not len(by_name):
        return roles
    named = by_name[slices.name]
    is_range = np.isin(roles, (Role.OPERATOR, Role.ANNOTATION))
    roles = np.where(is_range & np.isin(named, (Role.STEP, Role.ANNOTATION)), named, roles)
    roles = np.where((roles == Role.FRAME) & (named == Role.MODULE), Role.MODULE, roles)
    return np.where((roles == Role.OPERATOR) & (named == Role.OTHER), Role.OTHER, roles).astype(np.uint8)


def _role_of(category: str) -> Role:
    if category.endswith(("_runtime", "_driver")):
        return Role.LAUNCH
    return _BY_CATEGORY.get(category, Role.OTHER)


def _named(name: str) -> Role:
    """Return the role by the name, beside the category: ``OTHER`` for operators that are not drawn."""
    if STEP_NAME.fullmatch(name):
        return Role.STEP
    if name.startswith(_ANNOTATIONS):
        return Role.ANNOTATION
    if name.startswith(MODULE_PREFIX):
        return Role.MODULE
    return Role.OTHER if name in _HIDDEN else Role.OPERATOR
