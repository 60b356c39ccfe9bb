# SPDX-License-Identifier: Apache-2.0
"""In-memory stores of runs: scalars in growing columns, every other value as a reference into a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mindscope.lazy_names import lazy_names

if TYPE_CHECKING:
    from mindscope.store.cache import RunCache
    from mindscope.store.chunk import SCALAR_LAYOUT
    from mindscope.store.encoded_value import read_encoded
    from mindscope.store.file_facts import FileFacts
    from mindscope.store.run import RunStore
    from mindscope.store.series import ReferenceColumns, ReferenceSeries, ScalarColumns, ScalarSeries, Series
    from mindscope.store.visible_rows import Hidden, VisibleRows
    from mindscope.store.workspace_caches import CacheEntry as CacheEntry
    from mindscope.store.workspace_caches import clear_caches as clear_caches
    from mindscope.store.workspace_caches import list_caches as list_caches

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

__getattr__ = lazy_names(
    __name__,
    {
        "mindscope.store.cache": "RunCache",
        "mindscope.store.chunk": "SCALAR_LAYOUT",
        "mindscope.store.encoded_value": "read_encoded",
        "mindscope.store.file_facts": "FileFacts",
        "mindscope.store.run": "RunStore",
        "mindscope.store.series": "ReferenceColumns ReferenceSeries ScalarColumns ScalarSeries Series",
        "mindscope.store.visible_rows": "Hidden VisibleRows",
        "mindscope.store.workspace_caches": "CacheEntry clear_caches list_caches",
    },
)
