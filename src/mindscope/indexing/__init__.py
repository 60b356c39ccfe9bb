# SPDX-License-Identifier: Apache-2.0
"""The index of a base directory: its runs decoded by many workers, as a cache for viewers and as a Parquet dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mindscope.lazy_names import lazy_names

if TYPE_CHECKING:
    from mindscope.indexing.build import IndexReport as IndexReport
    from mindscope.indexing.build import build_index as build_index
    from mindscope.indexing.manifest import Manifest as Manifest
    from mindscope.indexing.manifest import index_folder as index_folder
    from mindscope.indexing.manifest import read_manifest as read_manifest
    from mindscope.indexing.task import UNLIMITED as UNLIMITED

__getattr__ = lazy_names(
    __name__,
    {
        "mindscope.indexing.build": "IndexReport build_index",
        "mindscope.indexing.manifest": "Manifest index_folder read_manifest",
        "mindscope.indexing.task": "UNLIMITED",
    },
)
