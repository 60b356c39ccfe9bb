# SPDX-License-Identifier: Apache-2.0
"""Opens the debugging data that a request names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastapi.responses import Response

from mindscope.errors import DebugDataError, FormatError
from mindscope.reading.debugging_data import statistics_cache
from mindscope.server.debugger.schema import OfAllRanks
from mindscope.server.debugger.sources import OpenSource, OpenSources, SourceNotFoundError
from mindscope.server.http.context import Viewer
from mindscope.server.http.errors import NOT_FOUND
from mindscope.server.http.refusals import Refusal, refusing
from mindscope.server.http.schema import FailureAnswer

READABLE: dict[int | str, dict[str, Any]] = {
    **NOT_FOUND,
    404: {"model": FailureAnswer, "description": "No such run, source, step, row or tensor."},
    409: {"model": FailureAnswer, "description": "The data can't be read."},
}
_REFUSALS = (
    Refusal((SourceNotFoundError,), 404, "POST /api/debugger/sources lists the debugging data of runs"),
    Refusal((DebugDataError,), 404, "POST /api/debugger/steps lists steps", "debug_data_not_found"),
    Refusal((FormatError, OSError), 409, "other steps may be readable", "unreadable"),
)


def sources_of(viewer: Viewer) -> OpenSources:
    """Return the open debugging data of a viewer."""
    catalog = viewer.catalog
    return viewer.shared(OpenSources, lambda: OpenSources(statistics_cache(catalog.workspace, catalog.cache_bytes)))


def opened_source(viewer: Viewer, run: str, source: str) -> OpenSource:
    """Return the debugging data of a run. Raises as ``OpenSources.get``."""
    return sources_of(viewer).get(viewer.catalog, run, source)


def answer_of(viewer: Viewer, query: OfAllRanks, look: Callable[[OpenSource], Response]) -> Response:
    """Return the result of ``look`` for a source. Raises as ``readable``."""
    return readable(lambda: look(opened_source(viewer, query.run, query.source)))


def readable(look: Callable[[], Response]) -> Response:
    """Return the result of ``look``. Raises RefusedError with 404 or 409."""
    with refusing(*_REFUSALS):
        return look()
