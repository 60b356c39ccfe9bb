# SPDX-License-Identifier: Apache-2.0
"""Profiles of runs, and the routes of each view of one."""

from __future__ import annotations

from fastapi import APIRouter

from mindscope.server.http.context import CurrentViewer
from mindscope.server.http.json_response import JsonResponse
from mindscope.server.profiles.diff import routes as diff
from mindscope.server.profiles.further import routes as further
from mindscope.server.profiles.memory import routes as memory
from mindscope.server.profiles.pipeline import routes as pipeline
from mindscope.server.profiles.ranks import routes as ranks
from mindscope.server.profiles.rows import routes as rows
from mindscope.server.profiles.schema import ProfilesAnswer, ProfilesQuery
from mindscope.server.profiles.scopes import routes as scopes
from mindscope.server.profiles.steps import routes as steps
from mindscope.server.profiles.streams import routes as streams
from mindscope.server.profiles.tables import routes as tables
from mindscope.server.profiles.timeline import routes as timeline

VIEWS = (timeline, tables, steps, pipeline, memory, diff, ranks, rows, scopes, further, streams)

router = APIRouter()


@router.post("/profiles", response_model=ProfilesAnswer)
def query_profiles(query: ProfilesQuery, viewer: CurrentViewer) -> JsonResponse:
    """The profiles of runs: files and directories that profilers wrote."""
    from mindscope.server.profiles.listing import list_profiles  # readers would delay the first response

    return JsonResponse(list_profiles(viewer.catalog, query.runs))
