# SPDX-License-Identifier: Apache-2.0
"""Opens the debugging data that a request names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastapi.responses import Response

from mindscope.errors import DebugDataError, FormatError, RunNotFoundError
from mindscope.reading.debugging_data import statistics_cache
from mindscope.reasons import Reason, reason_of
from mindscope.server.debugger.schema import OfAllRanks
from mindscope.server.debugger.sources import OpenSource, OpenSources, SourceNotFoundError
from mindscope.server.http.context import Viewer
from mindscope.server.http.errors import NOT_FOUND, failure
from mindscope.server.http.schema import FailureAnswer

READABLE: dict[int | str, dict[str, Any]] = {
    **NOT_FOUND,
    404: {"model": FailureAnswer, "description": "No such run, source, step, row or tensor."},
    409: {"model": FailureAnswer, "description": "The data can't be read."},
}


def sources_of(viewer: Viewer) -> OpenSources:
    """Return the open debugging data of a viewer."""
    catalog = viewer.catalog
    return viewer.shared(OpenSources, lambda: OpenSources(statistics_cache(catalog.workspace, catalog.cache_bytes)))


def opened_source(viewer: Viewer, run: str, source: str) -> OpenSource:
    """Return the debugging data of a run. Raises as ``OpenSources.get``."""
    return sources_of(viewer).get(viewer.catalog, run, source)


def answer_of(viewer: Viewer, query: OfAllRanks, look: Callable[[OpenSource], Response]) -> Response:
    """Return the result of ``look`` for a source, or a response with 404 or 409."""
    return readable(lambda: look(opened_source(viewer, query.run, query.source)))


def readable(look: Callable[[], Response]) -> Response:
    """Return the result of ``look``, or a response with 404 or 409."""
    try:
        return look()
    except SourceNotFoundError as error:
        return failure(404, reason_of(error), "POST /api/debugger/sources lists the debugging data of runs")
    except RunNotFoundError:
        raise  # an OSError, which has its own answer
    except DebugDataError as error:
        return failure(404, Reason("debug_data_not_found", detail=str(error)), "POST /api/debugger/steps lists steps")
    except (FormatError, OSError) as error:
        return failure(409, Reason("unreadable", detail=str(error)), "other steps may be readable")
