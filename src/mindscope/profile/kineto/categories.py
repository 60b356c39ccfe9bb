# SPDX-License-Identifier: Apache-2.0
"""Classifies the slices of a trace of PyTorch, by their categories and names."""

from __future__ import annotations

import re
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.trace.trace import Trace


class SliceRole(IntEnum):
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


ON_HOST = (SliceRole.OPERATOR, SliceRole.ANNOTATION, SliceRole.LAUNCH, SliceRole.FRAME, SliceRole.MODULE)
ON_DEVICE = (SliceRole.KERNEL, SliceRole.MEMCPY, SliceRole.MEMSET)

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
    "cpu_op": SliceRole.OPERATOR,
    "operator": SliceRole.OPERATOR,
    "user_annotation": SliceRole.ANNOTATION,
    "python_function": SliceRole.FRAME,
    "kernel": SliceRole.KERNEL,
    "gpu_memcpy": SliceRole.MEMCPY,
    "memcpy": SliceRole.MEMCPY,
    "gpu_memset": SliceRole.MEMSET,
    "memset": SliceRole.MEMSET,
    "runtime": SliceRole.LAUNCH,
    "privateuse1_kernel": SliceRole.KERNEL,
    "mtia_ccp_events": SliceRole.KERNEL,
    "hpu_op": SliceRole.KERNEL,
    STEP_CATEGORY: SliceRole.STEP,
}


def roles_of(trace: Trace) -> NDArray[np.uint8]:
    """Return the ``SliceRole`` of each of n slices."""
    slices = trace.slices
    by_category = np.array([_role_of(category.lower()) for category in trace.categories], np.uint8)
    roles = by_category[slices.category] if len(by_category) else np.zeros(len(slices), np.uint8)
    by_name = np.array([_named(name) for name in trace.names], np.uint8)
    if not len(by_name):
        return roles
    named = by_name[slices.name]
    is_range = np.isin(roles, (SliceRole.OPERATOR, SliceRole.ANNOTATION))
    roles = np.where(is_range & np.isin(named, (SliceRole.STEP, SliceRole.ANNOTATION)), named, roles)
    roles = np.where((roles == SliceRole.FRAME) & (named == SliceRole.MODULE), SliceRole.MODULE, roles)
    return np.where((roles == SliceRole.OPERATOR) & (named == SliceRole.OTHER), SliceRole.OTHER, roles).astype(np.uint8)


def _role_of(category: str) -> SliceRole:
    if category.endswith(("_runtime", "_driver")):
        return SliceRole.LAUNCH
    return _BY_CATEGORY.get(category, SliceRole.OTHER)


def _named(name: str) -> SliceRole:
    """Return the role by the name, beside the category: ``OTHER`` for operators that are not drawn."""
    if STEP_NAME.fullmatch(name):
        return SliceRole.STEP
    if name.startswith(_ANNOTATIONS):
        return SliceRole.ANNOTATION
    if name.startswith(MODULE_PREFIX):
        return SliceRole.MODULE
    return SliceRole.OTHER if name in _HIDDEN else SliceRole.OPERATOR
