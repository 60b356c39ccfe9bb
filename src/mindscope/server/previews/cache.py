# SPDX-License-Identifier: Apache-2.0
"""LRU cache of the previews of runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from mindscope.server.http.run_cache import RunCache
from mindscope.server.previews.schema import Previews

if TYPE_CHECKING:
    from mindscope.reading import Run
    from mindscope.reading.graphs import GraphReaders

MAX_RUNS = 64


class PreviewCache(RunCache[Previews]):
    """Reads the previews of a run again after the run has changed."""

    def __init__(self, graph_readers: Callable[[], GraphReaders]) -> None:
        def read(run: Run) -> Previews:
            from mindscope.server.previews.query import preview_run  # graphs and lineage would delay the first response

            return preview_run(run, graph_readers())

        super().__init__(read, MAX_RUNS)
