# SPDX-License-Identifier: Apache-2.0
"""In-memory stores of runs: scalars in growing columns, every other value as a reference into a file."""

from __future__ import annotations

from mindscope.store.cache import RunCache
from mindscope.store.chunk import SCALAR_LAYOUT
from mindscope.store.encoded_value import read_encoded
from mindscope.store.file_facts import FileFacts
from mindscope.store.run import RunStore
from mindscope.store.series import ReferenceColumns, ReferenceSeries, ScalarColumns, ScalarSeries, Series
from mindscope.store.visible_rows import Hidden, VisibleRows

__all__ = [
    "SCALAR_LAYOUT",
    "FileFacts",
    "Hidden",
    "ReferenceColumns",
    "ReferenceSeries",
    "RunCache",
    "RunStore",
    "ScalarColumns",
    "ScalarSeries",
    "Series",
    "VisibleRows",
    "read_encoded",
]
