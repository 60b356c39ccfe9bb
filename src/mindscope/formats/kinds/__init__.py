# SPDX-License-Identifier: Apache-2.0
"""Every kind of data, one module each: add a kind as a module here, a name in ``Kind`` and a line below."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from mindscope.errors import WireError
from mindscope.formats.kinds.audio import AUDIO
from mindscope.formats.kinds.descriptor import KindDescriptor, NamedBytes, Storage
from mindscope.formats.kinds.graph import GRAPH, META_GRAPH, RUN_METADATA
from mindscope.formats.kinds.histogram import HISTOGRAM
from mindscope.formats.kinds.image import IMAGE
from mindscope.formats.kinds.landscape import LANDSCAPE
from mindscope.formats.kinds.lineage import CUSTOM_LINEAGE, DATASET_GRAPH, EVAL_LINEAGE, TRAIN_LINEAGE
from mindscope.formats.kinds.notices import EXPLAIN, LOG_MESSAGE, SESSION
from mindscope.formats.kinds.scalar import SCALAR
from mindscope.formats.kinds.table import HTML, TABLE
from mindscope.formats.kinds.tensor import TENSOR
from mindscope.formats.kinds.tensor_plugins import MESH, PR_CURVE
from mindscope.formats.kinds.tensor_statistics import TENSOR_STATISTICS
from mindscope.formats.kinds.tensorboard_plugins import CUSTOM_SCALARS, HPARAMS
from mindscope.formats.kinds.text import TEXT
from mindscope.formats.kinds.video import VIDEO
from mindscope.types import Kind

__all__ = ["KINDS", "REFINED_KINDS", "KindDescriptor", "NamedBytes", "Storage", "refined_kind"]

_DESCRIPTORS = (
    SCALAR, IMAGE, VIDEO, TENSOR, HISTOGRAM, TEXT, AUDIO, PR_CURVE, MESH, TABLE, HTML, HPARAMS, CUSTOM_SCALARS,
    LANDSCAPE, GRAPH, RUN_METADATA, TRAIN_LINEAGE, EVAL_LINEAGE, DATASET_GRAPH, CUSTOM_LINEAGE, EXPLAIN, SESSION,
    LOG_MESSAGE, META_GRAPH, TENSOR_STATISTICS,
)  # fmt: skip
KINDS: Mapping[Kind, KindDescriptor] = MappingProxyType({descriptor.kind: descriptor for descriptor in _DESCRIPTORS})
"""The descriptor of every kind, in export order."""

REFINED_KINDS = frozenset(descriptor.refines for descriptor in _DESCRIPTORS if descriptor.refines)
"""Kinds that ``refined_kind`` may replace."""


def refined_kind(kind: Kind | None, encoded: bytes | memoryview) -> Kind | None:
    """Return the kind of an encoded Summary.Value whose field or plugin says ``kind``, by its content."""
    if kind not in REFINED_KINDS:
        return kind
    for descriptor in _DESCRIPTORS:
        if descriptor.refines is kind and descriptor.recognizes and _recognizes(descriptor.recognizes, encoded):
            return descriptor.kind
    return kind


def _recognizes(recognizes: Callable[[bytes | memoryview], bool], encoded: bytes | memoryview) -> bool:
    try:
        return recognizes(encoded)
    except WireError:  # the decoder of the value reports it
        return False
