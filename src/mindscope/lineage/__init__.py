# SPDX-License-Identifier: Apache-2.0
"""Where a model came from: hyper-parameters, data, metrics and what the user added."""

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
