# SPDX-License-Identifier: Apache-2.0
"""Profiles of runs, and the timeline of one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import Response, StreamingResponse

from mindscope.errors import MindscopeError
from mindscope.reasons import Reason
from mindscope.server.http.columns_response import COLUMNS, ColumnsResponse
from mindscope.server.http.context import CurrentViewer, Viewer
from mindscope.server.http.errors import NOT_FOUND, failure
from mindscope.server.http.immutable import immutable
from mindscope.server.http.json_response import JsonResponse, RawJsonResponse
from mindscope.server.http.schema import FailureAnswer, ReasonEntry
from mindscope.server.profiles.schema import (
    MOST_SLICE,
    MOST_TIME,
    MOST_TRACKS,
    NamesAnswer,
    OfTimeline,
    ProfilesAnswer,
    ProfilesQuery,
    RangeQuery,
    RangeStatisticsAnswer,
    SearchAnswer,
    SearchQuery,
    SliceAnswer,
    TimelineAnswer,
    WindowQuery,
)
from mindscope.server.profiles.table_schema import TablesAnswer

if TYPE_CHECKING:
    from mindscope.profile.timeline import Timeline
    from mindscope.server.profiles.reader import OpenProfile, ProfileReader

router = APIRouter()

Version = Annotated[str, Query(max_length=100, description="As in /api/profiles/timeline.")]
Slice = Annotated[int, Query(ge=0, le=MOST_SLICE)]
Time = Annotated[int, Query(ge=-MOST_TIME, le=MOST_TIME)]
Tracks = Annotated[list[int], Query(max_length=MOST_TRACKS)]
READABLE: dict[int | str, dict[str, Any]] = {
    **NOT_FOUND,
    404: {"model": FailureAnswer, "description": "No such run, profile or slice."},
    409: {"model": FailureAnswer, "description": "The profile is not read yet, has changed, or has no timeline."},
}


class TraceResponse(StreamingResponse):
    """A JSON trace."""

    media_type = "application/json"


@router.post("/profiles", response_model=ProfilesAnswer)
def query_profiles(query: ProfilesQuery, viewer: CurrentViewer) -> JsonResponse:
    """The profiles of runs: files and directories that profilers wrote."""
    from mindscope.server.profiles.query import list_profiles  # readers would delay the first response

    return JsonResponse(list_profiles(viewer.catalog, query.runs))


@router.get("/profiles/timeline", response_model=TimelineAnswer, responses=READABLE)
def get_timeline(run: str, profile: str, viewer: CurrentViewer) -> Response:
    """What the timeline of a profile consists of. The first request begins to read it and returns the progress."""
    from mindscope.server.profiles.files import find_profile
    from mindscope.server.profiles.query import facts_of, progress_of
    from mindscope.server.profiles.reader import Reading

    found = find_profile(viewer.catalog.run(run), viewer.catalog.runs, profile)
    if found is None:
        return _not_found(run, profile)
    answer = TimelineAnswer(run=run, profile=profile, progress=None, problem=None, timeline=None)
    try:
        state = _reader(viewer).get(found)
    except (MindscopeError, OSError) as error:
        return JsonResponse(answer.model_copy(update={"problem": ReasonEntry.of(error)}))
    if isinstance(state, Reading):
        return JsonResponse(answer.model_copy(update={"progress": progress_of(state)}))
    facts = None if state.timeline is None else facts_of(state.timeline, state.version)
    return JsonResponse(answer.model_copy(update={"timeline": facts}))


@router.get("/profiles/tables", response_model=TablesAnswer, responses=READABLE)
def get_tables(run: str, profile: str, viewer: CurrentViewer) -> Response:
    """Overview with advice, operators and kernels of a profile; the progress until they are computed."""
    from mindscope.server.profiles.files import find_profile
    from mindscope.server.profiles.query import progress_of
    from mindscope.server.profiles.reader import Reading

    found = find_profile(viewer.catalog.run(run), viewer.catalog.runs, profile)
    if found is None:
        return _not_found(run, profile)
    answer = TablesAnswer(run=run, profile=profile, progress=None, problem=None, tables=None)
    try:
        state = _reader(viewer).tables(found)
    except (MindscopeError, OSError) as error:
        return JsonResponse(answer.model_copy(update={"problem": ReasonEntry.of(error)}))
    if isinstance(state, Reading):
        return JsonResponse(answer.model_copy(update={"progress": progress_of(state)}))
    front = answer.model_dump_json(exclude={"tables"}).removesuffix("}")
    return RawJsonResponse(f'{front},"tables":{state}}}')


@router.post("/profiles/window", response_class=ColumnsResponse, responses={**READABLE, **COLUMNS})
def query_window(query: WindowQuery, viewer: CurrentViewer) -> Response:
    """What a screen shows of a timeline: at most one cell for each pixel of a row. The header is a WindowHeader."""
    from mindscope.server.profiles.query import pack_window

    opened = _open(viewer, query)
    return opened if isinstance(opened, Response) else ColumnsResponse(pack_window(opened[1], query, query.version))


@router.get("/profiles/slice", response_model=SliceAnswer, responses=READABLE)
def get_slice(run: str, profile: str, version: Version, slice: Slice, viewer: CurrentViewer) -> Response:
    """A slice: its arguments, what it is part of, its parts, arrows."""
    from mindscope.server.profiles.query import slice_answer

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


@router.post("/profiles/search", response_model=SearchAnswer, responses=READABLE)
def query_slices(query: SearchQuery, viewer: CurrentViewer) -> Response:
    """Slices with some names: how many, where, and the next one."""
    from mindscope.server.profiles.query import search_answer

    opened = _open(viewer, query)
    return opened if isinstance(opened, Response) else JsonResponse(search_answer(opened[1], query))


@router.post("/profiles/statistics", response_model=RangeStatisticsAnswer, responses=READABLE)
def query_range_statistics(query: RangeQuery, viewer: CurrentViewer) -> Response:
    """Count, total and own time of the slices of a range, by name."""
    from mindscope.server.profiles.query import statistics_answer

    opened = _open(viewer, query)
    return opened if isinstance(opened, Response) else JsonResponse(statistics_answer(opened[1], query))


@router.post("/profiles/flame", response_class=ColumnsResponse, responses={**READABLE, **COLUMNS})
def query_flame(query: RangeQuery, viewer: CurrentViewer) -> Response:
    """The calls within a range as a flame graph. The header is a FlameHeader."""
    from mindscope.server.profiles.query import pack_flame

    opened = _open(viewer, query)
    return opened if isinstance(opened, Response) else ColumnsResponse(pack_flame(opened[1], query, query.version))


@router.get("/profiles/export", response_class=TraceResponse, responses=READABLE)
def export_range(
    run: str, profile: str, version: Version, begin_ns: Time, end_ns: Time, tracks: Tracks, viewer: CurrentViewer
) -> Response:
    """The slices of a range as a JSON trace, which Perfetto and chrome://tracing open."""
    from mindscope.server.profiles.query import export_name, export_text

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
    from mindscope.server.profiles.files import find_profile
    from mindscope.server.profiles.reader import Reading

    found = find_profile(viewer.catalog.run(of.run), viewer.catalog.runs, of.profile)
    if found is None:
        return _not_found(of.run, of.profile)
    try:
        state = _reader(viewer).get(found)
    except (MindscopeError, OSError) as error:
        return failure(409, Reason("unreadable", detail=str(error)), "GET /api/profiles/timeline says why")
    if isinstance(state, Reading):
        return failure(
            409, Reason("profile_not_read", profile=of.profile), "ask GET /api/profiles/timeline until it is read"
        )
    if state.timeline is None:
        return failure(409, Reason("profile_without_timeline", profile=of.profile), "its tables have all it holds")
    if state.version != of.version:
        return failure(409, Reason("profile_changed", profile=of.profile), "GET /api/profiles/timeline has its version")
    return state, state.timeline


def _not_found(run: str, profile: str) -> Response:
    what = Reason("profile_not_found", run=run, profile=profile)
    return failure(404, what, "POST /api/profiles lists the profiles of runs")


def _reader(viewer: Viewer) -> ProfileReader:
    from mindscope.server.profiles.reader import ProfileReader

    def make() -> ProfileReader:
        return ProfileReader(viewer.catalog.cache_folder, viewer.settings.cache_size // 2)

    return viewer.shared(ProfileReader, make)
