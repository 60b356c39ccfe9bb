# SPDX-License-Identifier: Apache-2.0
"""Lineage of a model: hyperparameters, data, metrics and user-defined fields."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mindscope.lazy_names import lazy_names

if TYPE_CHECKING:
    from mindscope.lineage.filter import Filter as Filter
    from mindscope.lineage.messages import read_custom, read_eval_lineage, read_train_lineage
    from mindscope.lineage.model import CustomValue, EvalLineage, Lineage, TrainLineage, merge
    from mindscope.table.cells import cell_text as cell_text

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

__getattr__ = lazy_names(
    __name__,
    {
        "mindscope.table.cells": "cell_text",
        "mindscope.lineage.filter": "Filter",
        "mindscope.lineage.messages": "read_custom read_eval_lineage read_train_lineage",
        "mindscope.lineage.model": "CustomValue EvalLineage Lineage TrainLineage merge",
    },
)
