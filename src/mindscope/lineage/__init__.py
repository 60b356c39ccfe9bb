# SPDX-License-Identifier: Apache-2.0
"""Lineage of a model: hyperparameters, data, metrics and user-defined fields."""

from __future__ import annotations

from mindscope.lineage.messages import read_custom, read_eval_lineage, read_train_lineage
from mindscope.lineage.model import CustomValue, EvalLineage, Lineage, TrainLineage, merge

__all__ = [
    "CustomValue",
    "EvalLineage",
    "Lineage",
    "TrainLineage",
    "merge",
    "read_custom",
    "read_eval_lineage",
    "read_train_lineage",
]
