# SPDX-License-Identifier: Apache-2.0
"""The memory of a profile: curves, live blocks at a moment, stacks, segments, leaks."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response

from mindscope.profile.memory.views import MemoryViews
from mindscope.profile.model.profile_data import Part
from mindscope.profile.tables.memory import Memory
from mindscope.profile.texts import Missing
from mindscope.profile.timeline.timeline import Timeline
from mindscope.reasons import Reason
from mindscope.server.http.access import READS
from mindscope.server.http.columns_response import COLUMNS, ColumnsResponse
from mindscope.server.http.context import CurrentViewer, Viewer
from mindscope.server.http.errors import failure
from mindscope.server.http.json_response import JsonResponse
from mindscope.server.profiles.access import READABLE, Version, found_profile, open_parts, reader_of
from mindscope.server.profiles.memory.cache import MemoryCache
from mindscope.server.profiles.memory.query import (
    block_answer,
    blocks_answer,
    memory_facts,
    pack_memory_flame,
    pack_memory_window,
    pack_segment_map,
)
from mindscope.server.profiles.memory.schema import (
    MOST_TIME,
    BlockAnswer,
    BlocksAnswer,
    BlocksQuery,
    By,
    MemoryAnswer,
    MemoryFlameQuery,
    MemoryWindowQuery,
    OfMemory,
)
from mindscope.server.profiles.reader import OpenParts
from mindscope.server.profiles.tables.missing import missing_entry

router = APIRouter()

Time = Annotated[int, Query(ge=-MOST_TIME, le=MOST_TIME)]


@router.get("/profiles/memory", response_model=MemoryAnswer, responses=READABLE)
def get_memory(run: str, profile: str, viewer: CurrentViewer) -> Response:
    """Describe the recorded memory of a profile, with hints at leaks, or say why it is missing."""
    opened = open_parts(viewer, run, profile)
    if isinstance(opened, Response):
        return opened
    answer = MemoryAnswer(run=run, profile=profile, missing=None, memory=None)
    views = _views(viewer, opened)
    if views is None:
        missing = opened.profile.part(Part.MEMORY)
        assert isinstance(missing, Missing)
        return JsonResponse(answer.model_copy(update={"missing": missing_entry(Part.MEMORY, missing)}))
    facts = memory_facts(views, opened.profile, opened.version, opened.zero)
    return JsonResponse(answer.model_copy(update={"memory": facts}))


@router.post(
    "/profiles/memory/window", openapi_extra=READS, response_class=ColumnsResponse, responses={**READABLE, **COLUMNS}
)
def query_memory_window(query: MemoryWindowQuery, viewer: CurrentViewer) -> Response:
    """Curves of memory in a range, pixel by pixel, and areas of live blocks. The header is a MemoryWindowHeader."""
    memory = _memory(viewer, query)
    if isinstance(memory, Response):
        return memory
    views, zero = memory
    return ColumnsResponse(pack_memory_window(views, query, zero))


@router.post("/profiles/memory/blocks", openapi_extra=READS, response_model=BlocksAnswer, responses=READABLE)
def query_blocks(query: BlocksQuery, viewer: CurrentViewer) -> Response:
    """The live blocks of a device at a moment: by group, and a page of them."""
    memory = _memory(viewer, query)
    if isinstance(memory, Response):
        return memory
    views, zero = memory
    return JsonResponse(blocks_answer(views, query, zero))


@router.post(
    "/profiles/memory/flame", openapi_extra=READS, response_class=ColumnsResponse, responses={**READABLE, **COLUMNS}
)
def query_memory_flame(query: MemoryFlameQuery, viewer: CurrentViewer) -> Response:
    """Bytes by stack as a flame graph. The header is a FlameHeader, its totals are bytes."""
    memory = _memory(viewer, query)
    if isinstance(memory, Response):
        return memory
    views, zero = memory
    if views.blocks is None:
        return _without_blocks(query.profile)
    return ColumnsResponse(pack_memory_flame(views, query, zero))


@router.get("/profiles/memory/segments", response_class=ColumnsResponse, responses={**READABLE, **COLUMNS})
def get_segment_map(
    run: str, profile: str, version: Version, device: str, time_ns: Time, by: By, viewer: CurrentViewer
) -> Response:
    """Return how the segments of an allocator are filled at a moment. The header is a SegmentMapHeader."""
    memory = _memory(viewer, OfMemory(run=run, profile=profile, version=version))
    if isinstance(memory, Response):
        return memory
    views, zero = memory
    packed = pack_segment_map(views, version, device, time_ns, by, zero)
    return _without_blocks(profile) if packed is None else ColumnsResponse(packed)


@router.get("/profiles/memory/block", response_model=BlockAnswer, responses=READABLE)
def get_block(
    run: str,
    profile: str,
    version: Version,
    block: Annotated[int, Query(ge=0, le=2**31 - 1)],
    viewer: CurrentViewer,
) -> Response:
    """A block: its stack, and the slice of the timeline that allocated it."""
    memory = _memory(viewer, OfMemory(run=run, profile=profile, version=version))
    if isinstance(memory, Response):
        return memory
    views, zero = memory
    if views.blocks is None:
        return _without_blocks(profile)
    if block >= len(views.blocks):
        what = Reason("memory_block_not_found", profile=profile, block=block, blocks=len(views.blocks))
        return failure(404, what, "POST /api/profiles/memory/blocks returns the live blocks at a moment")
    return JsonResponse(block_answer(views, views.blocks, block, _timeline(viewer, run, profile), zero))


def _memory(viewer: Viewer, of: OfMemory) -> tuple[MemoryViews, int] | Response:
    """The memory of a profile at a version and the begin of its timeline, or the response that says why not."""
    opened = open_parts(viewer, of.run, of.profile)
    if isinstance(opened, Response):
        return opened
    if opened.version != of.version:
        return failure(409, Reason("profile_changed", profile=of.profile), "GET /api/profiles/memory has its version")
    views = _views(viewer, opened)
    if views is None:
        what = Reason("profile_without_part", profile=of.profile, part="memory")
        return failure(409, what, "GET /api/profiles/memory says why")
    return views, opened.zero


def _views(viewer: Viewer, opened: OpenParts) -> MemoryViews | None:
    memory = opened.profile.part(Part.MEMORY)
    if not isinstance(memory, Memory):
        return None
    return viewer.shared(MemoryCache, MemoryCache).views(opened.path, opened.version, memory)


def _timeline(viewer: Viewer, run: str, profile: str) -> Timeline | None:
    """None if the profile has none, or if it is not read."""
    found = found_profile(viewer, run, profile)
    if isinstance(found, Response):
        return None
    opened = reader_of(viewer).timeline(found).value
    return None if opened is None else opened.timeline


def _without_blocks(profile: str) -> Response:
    what = Reason("profile_without_part", profile=profile, part="blocks of memory")
    return failure(409, what, "GET /api/profiles/memory has what it records")
