# SPDX-License-Identifier: Apache-2.0
"""Gives a profile to routes, or the response that says why they can't have it."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query
from fastapi.responses import Response

from mindscope.profile.open import FoundProfile
from mindscope.reasons import Reason
from mindscope.server.http.context import Viewer
from mindscope.server.http.errors import NOT_FOUND, failure
from mindscope.server.http.schema import FailureAnswer
from mindscope.server.profiles.files import find_profile
from mindscope.server.profiles.reader import OpenParts, OpenProfile, ProfileReader

_TIMELINE, _TABLES = "/api/profiles/timeline", "/api/profiles/tables"
_RETRY_S = 1
Version = Annotated[str, Query(max_length=100, description="As in /api/profiles/timeline.")]
READABLE: dict[int | str, dict[str, Any]] = {
    **NOT_FOUND,
    404: {"model": FailureAnswer, "description": "No such run, profile or slice."},
    409: {"model": FailureAnswer, "description": "The profile is not read yet, has changed, or has no timeline."},
}


def reader_of(viewer: Viewer) -> ProfileReader:
    """Return the reader of the viewer, made at the first call."""

    def make() -> ProfileReader:
        return ProfileReader(
            viewer.catalog.cache_folder, viewer.settings.cache_size // 2, viewer.settings.reader_memory
        )

    return viewer.shared(ProfileReader, make)


def found_profile(viewer: Viewer, run: str, profile: str) -> FoundProfile | Response:
    """Return the file or directory of a profile, or a response with 404."""
    found = find_profile(viewer.catalog.run(run), viewer.catalog.runs, profile)
    if found is not None:
        return found
    what = Reason("profile_not_found", run=run, profile=profile)
    return failure(404, what, "POST /api/profiles lists the profiles of runs")


def open_timeline(viewer: Viewer, run: str, profile: str, version: str) -> OpenProfile | Response:
    """Return a profile that was read, or a response with 404 or 409."""
    found = found_profile(viewer, run, profile)
    if isinstance(found, Response):
        return found
    outcome = reader_of(viewer).timeline(found)
    opened = outcome.value
    if opened is None:
        part: OpenProfile | None = None if outcome.progress is None else outcome.progress.partial
        return part if part is not None and part.version == version else _not_read(profile, _TIMELINE, outcome.problem)
    if opened.timeline is None:
        return failure(409, Reason("profile_without_timeline", profile=profile), "its tables have all it holds")
    if opened.version != version:
        return failure(409, Reason("profile_changed", profile=profile), f"GET {_TIMELINE} has its version")
    return opened


def open_parts(viewer: Viewer, run: str, profile: str) -> OpenParts | Response:
    """Return all parts of a profile that was read, or a response with 404 or 409."""
    found = found_profile(viewer, run, profile)
    if isinstance(found, Response):
        return found
    outcome = reader_of(viewer).parts(found)
    return _not_read(profile, _TABLES, outcome.problem) if outcome.value is None else outcome.value


def _not_read(profile: str, path: str, problem: Exception | None) -> Response:
    if problem is not None:
        return failure(409, Reason("unreadable", detail=str(problem)), f"GET {path} says why")
    return failure(409, Reason("profile_not_read", profile=profile), f"ask GET {path} until it is read", _RETRY_S)
