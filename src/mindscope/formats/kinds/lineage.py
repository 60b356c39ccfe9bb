# SPDX-License-Identifier: Apache-2.0
"""MindSpore's lineage: hyperparameters, metrics, data pipelines and user-defined fields."""

from __future__ import annotations

from mindscope.formats import wire
from mindscope.formats.kinds.descriptor import KindDescriptor, event_message
from mindscope.formats.mindspore_schemas import (
    DATASET_GRAPH as DATASET_GRAPH_MESSAGE,
)
from mindscope.formats.mindspore_schemas import (
    EVALUATION_LINEAGE,
    USER_DEFINED_INFO,
)
from mindscope.formats.mindspore_schemas import (
    TRAIN_LINEAGE as TRAIN_LINEAGE_MESSAGE,
)
from mindscope.types import Kind


def _message(kind: Kind, schema: wire.Schema, field: int) -> KindDescriptor:
    return KindDescriptor(kind, mindspore_lineage=event_message(schema, field), is_tagged=False)


TRAIN_LINEAGE = _message(Kind.TRAIN_LINEAGE, TRAIN_LINEAGE_MESSAGE, 6)
EVAL_LINEAGE = _message(Kind.EVAL_LINEAGE, EVALUATION_LINEAGE, 7)
DATASET_GRAPH = _message(Kind.DATASET_GRAPH, DATASET_GRAPH_MESSAGE, 9)
CUSTOM_LINEAGE = _message(Kind.CUSTOM_LINEAGE, USER_DEFINED_INFO, 10)
