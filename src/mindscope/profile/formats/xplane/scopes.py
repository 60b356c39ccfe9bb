# SPDX-License-Identifier: Apache-2.0
"""Paths of operations in a JAX program: ``jit(step)/jit(main)/transpose(jvp(Dense_0))/dot_general``."""

from __future__ import annotations

import re
from typing import NamedTuple

from mindscope.formats.message_columns import Messages
from mindscope.profile.formats.xplane.schemas import HLO

_CALL = re.compile(r"([a-z_0-9]+)\((.*)\)", re.DOTALL)
_DROPPED = frozenset(
    (
        "while", "body", "cond", "closed_call", "core_call", "custom_jvp_call", "custom_vjp_call", "shard_map", "remat",
        "checkpoint", "rematted_computation", "branch_0_fun", "branch_1_fun", "xla_call",
    )
)  # fmt: skip
"""Segments that JAX adds."""
_FUNCTIONS = frozenset(("jit", "pjit", "pmap", "xmap"))
_OPTIMIZER = re.compile(r"(optax|optimizer|adamw?|sgd|lion|adafactor|apply_updates)", re.IGNORECASE)
_LONGEST = 4000
_DEEPEST = 20


class OperationScope(NamedTuple):
    """The parts of a path."""

    module: str
    """``Net/Dense_0``; empty outside of any named scope."""
    type: str
    """``dot_general``; empty if the path is."""
    phase: str
    """``forward``, ``backward``, ``optimizer``, or empty."""


def scope_of(path: str) -> OperationScope:
    """Return the parts of a path; of TensorFlow, ``:TYPE`` at its end is the type."""
    path, _, named_type = path[:_LONGEST].partition(":")
    segments = _split(path)
    if not segments:
        return OperationScope("", named_type, "")
    modules = [bare for segment in segments[:-1] if (bare := _bare(segment))]
    phase = "backward" if "transpose(" in path else "forward" if "jvp(" in path else ""
    if not phase and any(_OPTIMIZER.fullmatch(module) for module in modules):
        phase = "optimizer"
    return OperationScope("/".join(modules), named_type or segments[-1], phase)


def hlo_paths(encoded: bytes) -> dict[str, str]:
    """Name of an operation -> its path, of an encoded HloProto. Damaged parts are left out."""
    module = Messages.one(HLO, encoded).messages("module")
    _, computations = module.each_message("computations")
    _, instructions = computations.each_message("instructions")
    names, paths = instructions.field_runs("name"), instructions.messages("metadata").field_runs("op_name")
    return {names.text(row): path for row in range(len(instructions)) if (path := paths.text(row))}


def _split(path: str) -> list[str]:
    """Split a path at each ``/`` outside of parentheses."""
    found, depth, begin = list[str](), 0, 0
    for index, letter in enumerate(path):
        depth += (letter == "(") - (letter == ")")
        if letter == "/" and depth <= 0:
            found.append(path[begin:index])
            begin = index + 1
    return [each for each in [*found, path[begin:]] if each]


def _bare(segment: str) -> str:
    """Return a segment without the transformations of JAX around it; empty for what JAX adds."""
    for _ in range(_DEEPEST):
        match = _CALL.fullmatch(segment)
        if match is None:
            break
        if match[1] in _FUNCTIONS:
            return ""
        segment = match[2]
    return "" if segment in _DROPPED else segment
