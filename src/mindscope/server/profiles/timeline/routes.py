# SPDX-License-Identifier: Apache-2.0
"""The timeline of a profile: its facts, windows of it, slices, search, statistics."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response, StreamingResponse
from pydantic import Field

from mindscope.profile.timeline.timeline import Timeline
from mindscope.reasons import Reason
from mindscope.server.http.access import READS
from mindscope.server.http.columns_response import COLUMNS, ColumnsResponse
from mindscope.server.http.context import CurrentViewer, Viewer
from mindscope.server.http.errors import failure
from mindscope.server.http.immutable import immutable
from mindscope.server.http.json_response import JsonResponse
from mindscope.server.jobs.schema import fields_of
from mindscope.server.profiles.access import READABLE, Version, found_profile, open_timeline, reader_of
from mindscope.server.profiles.reader import OpenProfile
from mindscope.server.profiles.timeline.query import (
    export_name,
    export_text,
    facts_of,
    pack_flame,
    pack_window,
    search_answer,
    slice_answer,
    statistics_answer,
)
from mindscope.server.profiles.timeline.schema import (
    MOST_SLICE,
    MOST_TIME,
    MOST_TRACKS,
    NamesAnswer,
    OfTimeline,
    RangeQuery,
    RangeStatisticsAnswer,
    SearchAnswer,
    SearchQuery,
    SliceAnswer,
    TimelineAnswer,
    WindowQuery,
)

router = APIRouter()

Slice = Annotated[int, Query(ge=0, le=MOST_SLICE)]
Track = Annotated[int, Field(ge=0, le=MOST_SLICE)]
Time = Annotated[int, Query(ge=-MOST_TIME, le=MOST_TIME)]
Tracks = Annotated[list[Track], Query(max_length=MOST_TRACKS)]


class TraceResponse(StreamingResponse):
    """A JSON trace."""

    media_type = "application/json"


@router.get("/profiles/timeline", response_model=TimelineAnswer, responses=READABLE)
def get_timeline(run: str, profile: str, viewer: CurrentViewer) -> Response:
    """Describe the parts of the timeline of a profile. The first request begins to read it and returns the progress."""
    found = found_profile(viewer, run, profile)
    if isinstance(found, Response):
        return found
    outcome = reader_of(viewer).timeline(found)
    opened: OpenProfile | None = outcome.value if outcome.progress is None else outcome.progress.partial
    timeline = None if opened is None or opened.timeline is None else facts_of(opened.timeline, opened.version)
    return JsonResponse(TimelineAnswer(run=run, profile=profile, **fields_of(outcome), timeline=timeline))


@router.post("/profiles/window", openapi_extra=READS, response_class=ColumnsResponse, responses={**READABLE, **COLUMNS})
def query_window(query: WindowQuery, viewer: CurrentViewer) -> Response:
    """Return the cells of a timeline on a screen: at most one for each pixel of a row. The header is a WindowHeader."""
    opened = _open(viewer, query)
    return opened if isinstance(opened, Response) else ColumnsResponse(pack_window(opened[1], query, query.version))


@router.get("/profiles/slice", response_model=SliceAnswer, responses=READABLE)
def get_slice(run: str, profile: str, version: Version, slice: Slice, viewer: CurrentViewer) -> Response:
    """A slice: its arguments, what it is part of, its parts, arrows."""
    opened = _open(viewer, OfTimeline(run=run, profile=profile, version=version))
    if isinstance(opened, Response):
        return opened
    if slice >= len(opened[1]):
        what = Reason("slice_not_found", profile=profile, slice=slice, slices=len(opened[1]))
        return failure(404, what, "POST /api/profiles/window returns the slices of a range")
    return immutable(JsonResponse(slice_answer(*opened, slice)))


@router.get("/profiles/names", response_model=NamesAnswer, responses=READABLE)
def get_names(run: str, profile: str, version: Version, viewer: CurrentViewer) -> Response:
    """The names of all slices of a timeline, to search in."""
    opened = _open(viewer, OfTimeline(run=run, profile=profile, version=version))
    return opened if isinstance(opened, Response) else immutable(JsonResponse(NamesAnswer(names=list(opened[1].names))))


@router.post("/profiles/search", openapi_extra=READS, response_model=SearchAnswer, responses=READABLE)
def query_slices(query: SearchQuery, viewer: CurrentViewer) -> Response:
    """Slices with some names: how many, where, and the next one."""
    opened = _open(viewer, query)
    return opened if isinstance(opened, Response) else JsonResponse(search_answer(opened[1], query))


@router.post("/profiles/statistics", openapi_extra=READS, response_model=RangeStatisticsAnswer, responses=READABLE)
def query_range_statistics(query: RangeQuery, viewer: CurrentViewer) -> Response:
    """Count, total and own time of the slices of a range, by name."""
    opened = _open(viewer, query)
    return opened if isinstance(opened, Response) else JsonResponse(statistics_answer(opened[1], query))


@router.post("/profiles/flame", openapi_extra=READS, response_class=ColumnsResponse, responses={**READABLE, **COLUMNS})
def query_flame(query: RangeQuery, viewer: CurrentViewer) -> Response:
    """The calls within a range as a flame graph. The header is a FlameHeader."""
    opened = _open(viewer, query)
    return opened if isinstance(opened, Response) else ColumnsResponse(pack_flame(opened[1], query, query.version))


@router.get("/profiles/export", response_class=TraceResponse, responses=READABLE)
def export_range(
    run: str, profile: str, version: Version, begin_ns: Time, end_ns: Time, tracks: Tracks, viewer: CurrentViewer
) -> Response:
    """The slices of a range as a JSON trace, which Perfetto and chrome://tracing open."""
    opened = _open(viewer, OfTimeline(run=run, profile=profile, version=version))
    if isinstance(opened, Response):
        return opened
    pieces: Iterator[bytes] = export_text(*opened, tracks, begin_ns, end_ns)
    name = export_name(opened[0].path)
    return TraceResponse(_chunks(pieces), headers={"content-disposition": f'attachment; filename="{name}"'})


def _chunks(pieces: Iterator[bytes]) -> Iterator[bytes]:
    pending = bytearray()
    for piece in pieces:
        pending += piece
        if len(pending) >= 1 << 18:
            yield bytes(pending)
            pending.clear()
    yield bytes(pending)


def _open(viewer: Viewer, of: OfTimeline) -> tuple[OpenProfile, Timeline] | Response:
    """The timeline at its version, or the response that says why not."""
    state = open_timeline(viewer, of.run, of.profile, of.version)
    if isinstance(state, Response):
        return state
    assert state.timeline is not None
    return state, state.timeline
