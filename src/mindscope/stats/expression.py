# SPDX-License-Identifier: Apache-2.0
"""Expressions over columns: a safe part of Python, checked node by node before anything is computed.

    loss - val_loss        1 - acc        `train/loss` > 2 and step > 100        max(tag("a b"), 0) / lr

Names are columns: ``step``, ``wall_time`` and tags. Write a tag that is no Python name in backticks or in ``tag()``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from difflib import get_close_matches

import numpy as np

from mindscope.errors import ExpressionError
from mindscope.reasons import Reason
from mindscope.stats.expression_operators import Column, ColumnsByName, Evaluate
from mindscope.stats.expression_parser import Bound, Parser


@dataclass(frozen=True, slots=True)
class Expression:
    """What ``parse`` made of ``text``. ``tags`` are the tags that it names, in their order.

    ``is_condition`` says whether it gives truths rather than numbers.
    """

    text: str
    tags: tuple[str, ...]
    is_condition: bool
    bounds: tuple[Bound, ...]
    _evaluate: Evaluate = field(repr=False, compare=False)

    def evaluate(self, columns: ColumnsByName) -> Column:
        """Row by row: float64, or bool for a condition, of shape (n,), the shape of every column.

        ``columns`` holds all ``tags`` by name, and those of ``COORDINATES`` by what ``coordinate`` calls them; at least
        one of them. What has no value, such as log(-1), is NaN; a comparison with NaN is false.
        """
        length = len(next(iter(columns.values())))
        with np.errstate(all="ignore"):
            result = self._evaluate(columns)
        return np.ascontiguousarray(
            np.broadcast_to(np.asarray(result, bool if self.is_condition else float), (length,))
        )


def require_tags(text: str, tags: Iterable[str], known: Collection[str]) -> None:
    """Raises ExpressionError, which names near tags, when one of the ``tags`` of an expression is not ``known``."""
    for tag in tags:
        if tag not in known:
            near = get_close_matches(tag, known, n=3, cutoff=0.5) or sorted(each for each in known if tag in each)[:3]
            if not near:
                raise ExpressionError(Reason("expression_unknown_tag", text=text, tag=tag))
            names = " or ".join(f"`{each}`" for each in near)
            raise ExpressionError(Reason("expression_near_tag", text=text, tag=tag, near=names))


def parse(text: str, wants_condition: bool | None = None) -> Expression:
    """Read an expression; ``wants_condition`` requires a condition (True) or a number (False); None accepts both.

    Raises ExpressionError with what was met and what is accepted.
    """
    reader = Parser(text)
    tree = reader.tree()
    evaluate, is_condition = reader.read(tree)
    if wants_condition is not None and is_condition is not wants_condition:
        raise ExpressionError(Reason("expression_is_condition" if is_condition else "expression_is_number", text=text))
    return Expression(text, tuple(dict.fromkeys(reader.tags)), is_condition, tuple(reader.bounds(tree)), evaluate)
