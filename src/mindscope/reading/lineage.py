# SPDX-License-Identifier: Apache-2.0
"""The lineage of a run from all its files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from mindscope.lineage import (
    CustomValue,
    EvalLineage,
    Lineage,
    TrainLineage,
    merge,
    read_custom,
    read_eval_lineage,
    read_train_lineage,
)
from mindscope.types import Kind, Message

T = TypeVar("T")


class ReadAll(Protocol):
    """Reads every value of a kind, oldest file first, and converts each with ``read``."""

    def __call__(self, kind: Kind, read: Callable[[Message], T], /) -> list[T]: ...


def read_lineage(read_all: ReadAll) -> Lineage:
    """Merge the lineage of all files, oldest first."""
    train: TrainLineage | None = None
    for newer in read_all(Kind.TRAIN_LINEAGE, read_train_lineage):
        train = merge(train, newer)
    evaluation: EvalLineage | None = None
    for newer in read_all(Kind.EVAL_LINEAGE, read_eval_lineage):
        evaluation = merge(evaluation, newer)
    custom: dict[str, CustomValue] = {}
    for values in read_all(Kind.CUSTOM_LINEAGE, read_custom):
        custom |= values
    return Lineage(train, evaluation, custom)
