# SPDX-License-Identifier: Apache-2.0
"""The difference of two profiles, or of two ranges of steps."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response

from mindscope.server.http.context import CurrentViewer
from mindscope.server.http.json_response import JsonResponse
from mindscope.server.jobs.schema import fields_of
from mindscope.server.profiles.access import READABLE, found_profile, reader_of
from mindscope.server.profiles.diff.cache import DiffCache
from mindscope.server.profiles.diff.query import step_numbers
from mindscope.server.profiles.diff.schema import DiffAnswer
from mindscope.server.profiles.reader import OpenParts

router = APIRouter()

Step = Annotated[int | None, Query(ge=-(2**53), le=2**53)]


@router.get("/profiles/diff", response_model=DiffAnswer, responses=READABLE)
def get_diff(
    run: str,
    profile: str,
    before_run: str,
    before_profile: str,
    viewer: CurrentViewer,
    first: Step = None,
    last: Step = None,
    before_first: Step = None,
    before_last: Step = None,
) -> Response:
    """Compare a profile with an earlier one, in all steps or in a range.

    Returns the progress until both are read.
    """
    reader = reader_of(viewer)
    answer = DiffAnswer(progress=None, reading="", problem=None, numbers_before=[], numbers_after=[], diff=None)
    opened: list[OpenParts] = []
    for of_run, name in ((before_run, before_profile), (run, profile)):
        found = found_profile(viewer, of_run, name)
        if isinstance(found, Response):
            return found
        outcome = reader.parts(found)
        if outcome.value is None:
            return JsonResponse(answer.model_copy(update={"reading": name, **fields_of(outcome)}))
        opened.append(outcome.value)
    before, after = opened
    answer.numbers_before, answer.numbers_after = step_numbers(before.profile), step_numbers(after.profile)
    cache = viewer.shared(DiffCache, lambda: DiffCache(reader, viewer.settings.reader_memory))
    difference = cache.message(before, after, _range(before_first, before_last), _range(first, last))
    reading = "" if difference.progress is None else profile
    update = {"reading": reading, "diff": difference.value, **fields_of(difference)}
    return JsonResponse(answer.model_copy(update=update))


def _range(first: int | None, last: int | None) -> tuple[int, int] | None:
    if first is None and last is None:
        return None
    return (-(2**53) if first is None else first, 2**53 if last is None else last)
