# SPDX-License-Identifier: Apache-2.0
"""LRU cache of the previews of runs."""

from __future__ import annotations

from mindscope.reading.graphs import GraphReaders
from mindscope.server.http.run_cache import RunValueCache
from mindscope.server.previews.query import preview_run
from mindscope.server.previews.schema import Previews

MAX_RUNS = 64


class PreviewCache(RunValueCache[Previews]):
    """Reads the previews of a run again after the run has changed."""

    def __init__(self, readers: GraphReaders) -> None:
        super().__init__(lambda run: preview_run(run, readers), MAX_RUNS)
