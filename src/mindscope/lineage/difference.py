# SPDX-License-Identifier: Apache-2.0
"""Compares two runs field by field."""

from __future__ import annotations

from typing import NamedTuple

from mindscope.lineage.cell import Cell
from mindscope.lineage.column import RUN, ColumnKey
from mindscope.lineage.index import Row, is_same_cell
from mindscope.lineage.table import in_group_order


class FieldPair(NamedTuple):
    """A field of two runs; None if a run lacks it."""

    key: ColumnKey
    one: Cell | None
    other: Cell | None
    differs: bool


def compare_rows(one: Row, other: Row) -> tuple[FieldPair, ...]:
    """Return all fields of two rows except the run, differing ones first.

    NaN equals NaN, ``1`` differs from ``1.0``.
    """
    keys = in_group_order(dict.fromkeys((*one, *other)))
    pairs = [_pair(key, one.get(key), other.get(key)) for key in keys if key != RUN]
    return tuple(sorted(pairs, key=lambda pair: not pair.differs))


def _pair(key: ColumnKey, one: Cell | None, other: Cell | None) -> FieldPair:
    is_same = one is not None and other is not None and is_same_cell(one, other)
    return FieldPair(key, one, other, not is_same)
