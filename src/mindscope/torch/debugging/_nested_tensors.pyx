# SPDX-License-Identifier: Apache-2.0
# cython: language_level=3, embedsignature=True
"""The tensors in the arguments and results of modules and operators: compiled, because a step has hundreds of these."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass

from torch import Tensor

cdef enum:
    DEEPEST = 8

cdef list SLOTS = [str(index) for index in range(64)]
cdef tuple PLAIN = (int, float, str, type(None), type)


def tensors_in(value, str slot=""):
    """Slots and tensors: ``0``, ``1.2`` in nested lists, ``mask`` and ``cache.key`` in mappings and data classes."""
    cdef list found = []
    collect(found, value, slot, 0)
    return found


cdef int collect(list found, value, str slot, int depth) except -1:
    if isinstance(value, Tensor):
        found.append((slot or "0", value))
    elif isinstance(value, PLAIN) or depth == DEEPEST:
        pass
    elif isinstance(value, (list, tuple)):
        collect_items(found, value, slot, depth + 1)
    elif isinstance(value, Mapping):
        for name, each in value.items():
            collect(found, each, inner(slot, str(name)), depth + 1)
    elif is_dataclass(value):
        for field in fields(value):
            collect(found, getattr(value, field.name, None), inner(slot, field.name), depth + 1)
    return 0


cdef int collect_items(list found, items, str slot, int depth) except -1:
    cdef Py_ssize_t index = 0
    for each in items:
        if each is not None:
            collect(found, each, inner(slot, SLOTS[index] if index < 64 else str(index)), depth)
        index += 1
    return 0


cdef str inner(str slot, str name):
    return f"{slot}.{name}" if slot else name
