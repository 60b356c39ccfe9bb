# SPDX-License-Identifier: Apache-2.0
"""Full names of MindSpore's operators: the module they belong to, and the part of the step in which they run.

``Gradients/Default/network-WithLossCell/_backbone-Net/conv1-Conv2d/Grad_Conv2D/Conv2DBackpropFilter-op1`` belongs to
the module ``conv1``: each ``NAME-CLASS`` is a cell, and ``_backbone`` is the network within what computes its loss.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from mindscope.debug.model.tensors import Phase

_NUMBERED = re.compile(r"(?P<type>.*)-op(?P<number>\d{1,18})", re.ASCII)
_CELL = re.compile(r"(?P<attribute>[^/-]+)-(?P<class>\w+)", re.ASCII)
_JOINED_CELL = re.compile(r"(?P<attribute>[A-Za-z0-9_]+?)-(?P<class>[A-Za-z0-9]+)(?:_|$)", re.ASCII)
_GRADIENTS = re.compile(r"Gradients[/_]", re.ASCII)
_WRAPPERS = ("_backbone",)
_OPTIMIZER_CELL = "optimizer"
_OPTIMIZER_TYPE = re.compile(
    r"(Sparse|Fused\w*)?Apply\w+|Fused\w*Adam\w*|Adam\w*|Lamb\w*|LARSUpdate|Momentum|SGD|RMSProp\w*", re.ASCII
)
_BACKWARD_TYPE = re.compile(r"\w*(Grad|GradV\d|Backprop\w*|GradExt|Backward\w*)", re.ASCII)
_OPTIMIZER_STATE = re.compile(
    r"(moments?\d?|adam_[mv]|accum\w*|accumulation|velocity|mean_(square|gradient)|stat|delta)[._].+|"
    r"learning_rate|momentum|beta\d_power|global_step|weight_decay|epsilon|lr",
    re.ASCII,
)


class OperatorScope(NamedTuple):
    """The scope of an operator."""

    module: str
    """``conv1``, ``layers.0``; empty for the network itself, or where the name does not say it."""
    phase: Phase
    classes: tuple[tuple[str, str], ...] = ()
    """Module and class of each cell around the operator."""


def scope_of(full_name: str, type: str) -> OperatorScope:
    """Return the scope of an operator.

    Args:
        full_name: with ``/`` between scopes, with ``_``, or only the last part of it.
        type: of the operator, which decides the phase where the name has no scopes.
    """
    if "/" in full_name:
        cells = [match for part in full_name.split("/")[:-1] if (match := _CELL.fullmatch(part))]
        parts = [(match["attribute"], match["class"]) for match in cells]
    else:
        parts = _joined_cells(full_name, type)
    named = _without_wrappers(parts)
    classes = tuple(
        (".".join(attribute for attribute, _ in named[: depth + 1]), cell) for depth, (_, cell) in enumerate(named)
    )
    has_scope = bool(parts) or "/" in full_name or full_name.startswith(("Default_", "Gradients_"))
    return OperatorScope(
        ".".join(attribute for attribute, _ in named), _phase(full_name, type, parts, has_scope), classes
    )


def is_optimizer_state(parameter: str) -> bool:
    """Return whether a parameter is one that an optimizer keeps, such as ``moments.conv1.weight``."""
    return _OPTIMIZER_STATE.fullmatch(parameter) is not None


def operator_number(name: str) -> int:
    """Return the number of a name, such as 107 of ``Conv2D-op107``; 0 without one."""
    match = _NUMBERED.fullmatch(name)
    return int(match["number"]) if match else 0


def plain_name(name: str) -> str:
    """Return a full name as file names hold it."""
    return re.sub(r"[./\\ ]", "_", name)


def _joined_cells(name: str, type: str) -> list[tuple[str, str]]:
    """Return the cells of a name whose ``/`` are ``_``: a class has no ``_`` in it."""
    numbered = _NUMBERED.fullmatch(name)
    scope = (numbered["type"] if numbered else name).removesuffix(type).rstrip("_")
    scope = _GRADIENTS.sub("", scope, count=1)
    scope = re.sub(r"^Default_", "", scope)
    return [(match["attribute"], match["class"]) for match in _JOINED_CELL.finditer(scope)]


def _without_wrappers(parts: list[tuple[str, str]]) -> list[tuple[str, str]]:
    for index, (attribute, _) in enumerate(parts):
        if attribute in _WRAPPERS:
            return parts[index + 1 :]
        if attribute == "_loss_fn":
            return parts[index:]
    return parts


def _phase(full_name: str, type: str, parts: list[tuple[str, str]], has_scope: bool) -> Phase:
    if _GRADIENTS.match(full_name):
        return Phase.BACKWARD
    if any(attribute == _OPTIMIZER_CELL for attribute, _ in parts):
        return Phase.OPTIMIZER
    if not has_scope and _OPTIMIZER_TYPE.fullmatch(type):
        return Phase.OPTIMIZER
    return Phase.BACKWARD if not has_scope and _BACKWARD_TYPE.fullmatch(type) else Phase.FORWARD
