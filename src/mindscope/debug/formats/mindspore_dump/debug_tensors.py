# SPDX-License-Identifier: Apache-2.0
"""The tensors of a dump in the neutral model: modules, phases, roles."""

from __future__ import annotations

import re
from collections import defaultdict

from mindscope.debug.formats.mindspore_dump.file_names import PARAMETER
from mindscope.debug.formats.mindspore_dump.graph_names import GraphNames
from mindscope.debug.formats.mindspore_dump.listing import ListedTensor
from mindscope.debug.formats.mindspore_dump.scopes import is_optimizer_state, scope_of
from mindscope.debug.model.tensors import DebugTensor, Phase, Role

CONSTANT = "Constant"
_CONSTANT_NAME = re.compile(r"data-\d+", re.ASCII)
_Key = tuple[str, str, Role | None, int]


class TensorNames:
    """Gives a tensor the same ``DebugTensor`` in each step. dtype and shape are those of the first step with it."""

    def __init__(self) -> None:
        self._known: dict[_Key, DebugTensor] = {}
        self._calls: dict[tuple[str, str, Phase], dict[str, int]] = defaultdict(dict)

    def tensor(self, listed: ListedTensor, names: GraphNames) -> DebugTensor:
        """Return the tensor of a file or row."""
        key = (listed.name.type, listed.full_name, listed.name.role, listed.name.slot)
        if key not in self._known:
            self._known[key] = (
                _parameter(listed, names) if listed.name.type == PARAMETER else self._operator(listed, names)
            )
        return self._known[key]

    def _operator(self, listed: ListedTensor, names: GraphNames) -> DebugTensor:
        type, full_name = listed.name.type, listed.full_name
        module, phase, _ = scope_of(full_name, type)
        calls = self._calls[module, type, phase]
        dtype, shape = _dtype_and_shape(listed)
        return DebugTensor(
            module,
            type,
            phase,
            listed.name.role or Role.OUTPUT,
            str(listed.name.slot),
            calls.setdefault(full_name, len(calls)),
            dtype,
            shape,
            full_name,
            names.stack(full_name),
        )


def _parameter(listed: ListedTensor, names: GraphNames) -> DebugTensor:
    """Return a weight, a state of the optimizer, an input of the graph, or a constant."""
    dtype, shape = _dtype_and_shape(listed)
    plain = listed.name.name
    if _CONSTANT_NAME.fullmatch(plain):
        return DebugTensor("", CONSTANT, Phase.FORWARD, Role.OUTPUT, "0", 0, dtype, shape, plain)
    name, is_weight = names.parameters.get(plain, (plain, True))
    module, _, slot = name.rpartition(".")
    phase = Phase.OPTIMIZER if is_optimizer_state(name) else Phase.FORWARD
    role = Role.PARAMETER if is_weight else Role.INPUT
    return DebugTensor(module, names.classes.get(module, PARAMETER), phase, role, slot, 0, dtype, shape, name)


def _dtype_and_shape(listed: ListedTensor) -> tuple[str, tuple[int, ...] | None]:
    array = listed.array
    dtype = listed.name.dtype or (array.element.name if array else "")
    if listed.row is not None:
        return listed.row.name.dtype or dtype, listed.row.name.shape
    return dtype, array.tensor_shape if array else listed.name.shape
