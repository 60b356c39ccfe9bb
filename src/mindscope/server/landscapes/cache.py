# SPDX-License-Identifier: Apache-2.0
"""LRU cache of the lists of landscapes of runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mindscope.server.http.run_cache import RunCache
from mindscope.types import Kind

if TYPE_CHECKING:
    from mindscope.reading import Run
    from mindscope.server.landscapes.query import RunLandscapes

MAX_RUNS = 4096
KINDS = frozenset({Kind.LANDSCAPE, Kind.TRAIN_LINEAGE})


class LandscapeCache(RunCache["RunLandscapes"]):
    """Lists the landscapes of a run again after a landscape or its lineage was written."""

    def __init__(self) -> None:
        super().__init__(_read, MAX_RUNS, KINDS)


def _read(run: Run) -> RunLandscapes:
    from mindscope.server.landscapes.query import read_landscapes  # lineage would delay the first response

    return read_landscapes(run)
