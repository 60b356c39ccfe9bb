# SPDX-License-Identifier: Apache-2.0
"""Annotations: notes, tags, colors of runs and groups, thresholds, pins, views, mutes, targets and reports."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from fastapi.responses import JSONResponse

from mindscope.annotations import AnnotationChange
from mindscope.errors import AnnotationError, StaleRecordError
from mindscope.reasons import Reason, reason_of
from mindscope.server.annotations.query import (
    MUTE,
    PIN,
    REPORT,
    TARGET,
    THRESHOLD,
    VIEW,
    answer_annotations,
    answer_newer,
    answer_records,
    group_change,
    run_change,
    whole_change,
)
from mindscope.server.annotations.schema import (
    AnnotationRecords,
    AnnotationsAnswer,
    GroupsChange,
    LiveAnnotations,
    MuteChange,
    PinChange,
    ReportChange,
    RunsChange,
    StaleAnswer,
    TargetChange,
    ThresholdChange,
    ViewChange,
)
from mindscope.server.annotations.store import annotations_of
from mindscope.server.http.access import CurrentVisitor
from mindscope.server.http.context import CurrentViewer, Viewer
from mindscope.server.http.errors import failure
from mindscope.server.http.json_response import JsonResponse
from mindscope.server.http.schema import Failure, FailureAnswer, ReasonEntry
from mindscope.server.live.event_stream import LiveEvents

REFUSALS: dict[int | str, dict[str, Any]] = {
    409: {"model": StaleAnswer, "description": "A record has changed since; nothing was written."},
    503: {"model": FailureAnswer, "description": "The annotations can't be written."},
}

router = APIRouter()


@router.get("/annotations", response_model=AnnotationsAnswer)
def get_annotations(viewer: CurrentViewer, visitor: CurrentVisitor) -> JsonResponse:
    """All annotations of the runs below the base directory."""
    return JsonResponse(answer_annotations(annotations_of(viewer), visitor.refusal))


@router.patch("/annotations/runs", response_model=AnnotationRecords, responses=REFUSALS)
def change_runs(query: RunsChange, viewer: CurrentViewer, visitor: CurrentVisitor) -> JsonResponse | JSONResponse:
    """Change notes, tags, colors and the archive flag of runs; returns their records."""
    return _write(viewer, [run_change(change, visitor.user) for change in query.changes])


@router.patch("/annotations/groups", response_model=AnnotationRecords, responses=REFUSALS)
def change_groups(query: GroupsChange, viewer: CurrentViewer) -> JsonResponse | JSONResponse:
    """Change the colors of groups of runs; returns the records of the groups."""
    return _write(viewer, [group_change(change) for change in query.changes])


@router.put("/annotations/thresholds", response_model=AnnotationRecords, responses=REFUSALS)
def put_threshold(query: ThresholdChange, viewer: CurrentViewer) -> JsonResponse | JSONResponse:
    """Write or delete a threshold. Saves an invalid rule too; its record has the problem."""
    return _write(viewer, [whole_change(THRESHOLD, query.id, query.version, query.threshold)])


@router.put("/annotations/pins", response_model=AnnotationRecords, responses=REFUSALS)
def put_pin(query: PinChange, viewer: CurrentViewer) -> JsonResponse | JSONResponse:
    """Pin or unpin a tag or a chart."""
    return _write(viewer, [whole_change(PIN, query.id, query.version, query.pin)])


@router.put("/annotations/views", response_model=AnnotationRecords, responses=REFUSALS)
def put_view(query: ViewChange, viewer: CurrentViewer) -> JsonResponse | JSONResponse:
    """Save or delete a view."""
    return _write(viewer, [whole_change(VIEW, query.id, query.version, query.view)])


@router.put("/annotations/mutes", response_model=AnnotationRecords, responses=REFUSALS)
def put_mute(query: MuteChange, viewer: CurrentViewer) -> JsonResponse | JSONResponse:
    """Mute or unmute alerts."""
    return _write(viewer, [whole_change(MUTE, query.id, query.version, query.mute)])


@router.put("/annotations/targets", response_model=AnnotationRecords, responses=REFUSALS)
def put_target(query: TargetChange, viewer: CurrentViewer) -> JsonResponse | JSONResponse:
    """Write or delete the goal of a lineage column."""
    return _write(viewer, [whole_change(TARGET, query.id, query.version, query.target)])


@router.put("/annotations/reports", response_model=AnnotationRecords, responses=REFUSALS)
def put_report(query: ReportChange, viewer: CurrentViewer, visitor: CurrentVisitor) -> JsonResponse | JSONResponse:
    """Write or delete a report."""
    return _write(viewer, [whole_change(REPORT, query.id, query.version, query.report, author=visitor.user)])


def _write(viewer: Viewer, changes: list[AnnotationChange]) -> JsonResponse | JSONResponse:
    try:
        contents = annotations_of(viewer).write(changes)
    except StaleRecordError as error:
        return _stale(error)
    except AnnotationError as error:
        return failure(503, reason_of(error), "start the viewer with a --workspace of your own")
    viewer.shared(LiveEvents).announce("annotations", LiveAnnotations(revision=contents.revision))
    return JsonResponse(answer_records(contents))


def _stale(error: StaleRecordError) -> JSONResponse:
    newer = answer_newer(error.args)
    names = ", ".join(repr(record.key) for record in error.args[:3])
    entry = ReasonEntry.of(Reason("stale_record", keys=names))
    why = Failure(**dict(entry), remedy="merge with ``newer``, and send the change again")
    return JSONResponse(StaleAnswer(error=why, newer=newer).model_dump(mode="json"), status_code=409)
