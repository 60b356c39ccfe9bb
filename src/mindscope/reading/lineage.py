# SPDX-License-Identifier: Apache-2.0
"""The lineage of a run from all its files."""

from __future__ import annotations

from collections.abc import Callable

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


def read_lineage(all_of: Callable[[Kind], list[Message]]) -> Lineage:
    """Merge what the files say, from the oldest to the newest."""
    train: TrainLineage | None = None
    for message in all_of(Kind.TRAIN_LINEAGE):
        train = merge(train, read_train_lineage(message))
    evaluation: EvalLineage | None = None
    for message in all_of(Kind.EVAL_LINEAGE):
        evaluation = merge(evaluation, read_eval_lineage(message))
    custom: dict[str, CustomValue] = {}
    for message in all_of(Kind.CUSTOM_LINEAGE):
        custom |= read_custom(message)
    return Lineage(train, evaluation, custom)
