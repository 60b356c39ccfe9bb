# SPDX-License-Identifier: Apache-2.0
"""The filter language row by row, written for tests alone: what the columns are checked against."""

from __future__ import annotations

import math
from typing import Any

from mindscope.lineage import filter_syntax as syntax


def holds(node: Any, row: dict[str, Any]) -> bool:
    """Whether a condition holds for one row by column id."""
    if isinstance(node, syntax.Join):
        results = [holds(each, row) for each in node.conditions]
        return all(results) if node.sign == "and" else any(results)
    if isinstance(node, syntax.Not):
        return not holds(node.condition, row)
    if isinstance(node, syntax.IsTrue):
        return value(node.operand, row) is True
    if isinstance(node, syntax.Is):
        got = value(node.operand, row)
        if node.what == "missing":
            return (got is not None) if node.is_negated else (got is None)
        is_nan = isinstance(got, float) and math.isnan(got)
        return got is not None and (not is_nan if node.is_negated else is_nan)
    if isinstance(node, syntax.In):
        item, container = value(node.item, row), value(node.container, row)
        if item is None or container is None:
            return False
        if isinstance(container, tuple):
            found = any(same(item, each) for each in container)
        else:
            found = isinstance(item, str) and isinstance(container, str) and item in container
        return found != node.is_negated
    left, right = value(node.left, row), value(node.right, row)
    if left is None or right is None:
        return False
    if node.sign == "==":
        return same(left, right)
    if node.sign == "!=":
        return not same(left, right)
    if kind(left) != kind(right) or kind(left) not in ("number", "text"):
        return False
    return {"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right}[node.sign]


def value(node: Any, row: dict[str, Any]) -> Any:
    if isinstance(node, syntax.Constant):
        return node.value
    if isinstance(node, syntax.Name):
        return row.get(f"{node.group}/{node.name}" if node.group not in (None, "parameter") else node.name)
    left, right = value(node.left, row), value(node.right, row)
    if kind(left) != "number" or kind(right) != "number":
        return None
    try:
        if node.sign == "/":
            if right == 0:
                if left == 0 or math.isnan(left):
                    return math.nan
                return math.copysign(math.inf, math.copysign(1, left) * math.copysign(1, right))
            return left / right
        return left + right if node.sign == "+" else left - right if node.sign == "-" else left * right
    except OverflowError:
        return math.nan


def kind(cell: Any) -> str:
    return {bool: "truth", int: "number", float: "number", str: "text", tuple: "list"}.get(type(cell), "missing")


def same(left: Any, right: Any) -> bool:
    if kind(left) != kind(right):
        return False
    if isinstance(left, tuple):
        return len(left) == len(right) and all(same(one, other) for one, other in zip(left, right, strict=True))
    return bool(left == right)
