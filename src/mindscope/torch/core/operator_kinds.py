# SPDX-License-Identifier: Apache-2.0
"""Describes an operator to a dispatch mode that reads its tensors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

_SAME_ELEMENTS = frozenset(
    "view t transpose permute unsqueeze squeeze detach alias _unsafe_view _reshape_alias movedim flatten unflatten "
    "lift_fresh view_as_real view_as_complex".split()
)
_UNINITIALIZED = frozenset("empty empty_like empty_strided new_empty new_empty_strided empty_permuted resize_".split())
_OVERWRITING = frozenset(
    "zero_ fill_ copy_ uniform_ normal_ random_ bernoulli_ exponential_ log_normal_ cauchy_ geometric_ set_ "
    "resize_".split()
)


@dataclass(frozen=True, slots=True)
class OverloadFacts:
    """Facts about one overload of an operator."""

    name: str
    """Full name, such as ``aten::mm``."""
    type: str
    """``mm`` of ATen, ``c10d_allreduce_`` of other libraries."""
    has_same_elements: bool
    """Whether its result is another view of all elements of its first argument."""
    is_uninitialized: bool
    """Whether its result is memory that was not written yet."""
    is_overwriting: bool
    """Whether it ignores the elements of its first argument."""
    is_hidden: bool
    """Whether it only makes another object for a tensor."""
    written: tuple[int | str, ...]
    """Positions and names of the arguments that it writes into."""


def operator_kind(operator: Any) -> OverloadFacts:
    """Describe a ``torch._ops.OpOverload`` or a higher-order operator."""
    schema = getattr(operator, "_schema", None)
    name = str(schema.name) if schema is not None else str(getattr(operator, "name", lambda: operator)())
    library, _, plain = name.rpartition("::")
    return OverloadFacts(
        name=name,
        type=plain if library in ("aten", "") else f"{library}_{plain}",
        has_same_elements=library == "aten" and plain in _SAME_ELEMENTS,
        is_uninitialized=plain in _UNINITIALIZED,
        is_overwriting=plain in _OVERWRITING,
        is_hidden=plain in ("detach", "alias", "lift_fresh"),
        written=() if schema is None else _written(schema),
    )


def _written(schema: Any) -> tuple[int | str, ...]:
    """Return the index of each argument that an operator writes, or the name of a keyword-only one."""
    return tuple(
        argument.name if argument.kwarg_only else position
        for position, argument in enumerate(schema.arguments)
        if argument.alias_info is not None and argument.alias_info.is_write
    )


class OperatorKinds:
    """Facts about operators, each computed once."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Any, OverloadFacts]] = {}  # by id: to hash an operator takes longer

    def of(self, operator: Any) -> OverloadFacts:
        """Describe an operator as ``operator_kind``."""
        known = self._known.get(id(operator))
        if known is None:
            known = self._known[id(operator)] = (operator, operator_kind(operator))
        return known[1]
