# SPDX-License-Identifier: Apache-2.0
"""Lists sweeps, and starts and stops them if the viewer was started with --allow-sweeps."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from fastapi.responses import JSONResponse

from mindscope.errors import ServerError
from mindscope.reasons import Reason, reason_of
from mindscope.server.http.access import CurrentVisitor
from mindscope.server.http.context import CurrentViewer, Viewer
from mindscope.server.http.errors import NOT_FOUND, failure
from mindscope.server.http.schema import FailureAnswer
from mindscope.server.sweeps.processes import SweepProcesses
from mindscope.server.sweeps.query import FoundSweep, sweeps_of
from mindscope.server.sweeps.schema import SweepQuery, SweepsAnswer

REFUSALS: dict[int | str, dict[str, Any]] = {
    **NOT_FOUND,
    403: {"model": FailureAnswer, "description": "This is not allowed, or the request comes from another site."},
    409: {"model": FailureAnswer, "description": "The sweep runs already, or can't be started."},
}

router = APIRouter()


@router.get("/sweeps", response_model=SweepsAnswer)
def get_sweeps(viewer: CurrentViewer, visitor: CurrentVisitor) -> SweepsAnswer:
    """List the sweeps below the directory of the viewer with the counts of their trials."""
    is_allowed = viewer.settings.allow_sweeps and visitor.refusal is None
    entries = [sweep.entry(is_allowed) for sweep in sweeps_of(viewer)]
    is_complete = not any(entry.is_running for entry in entries)
    return SweepsAnswer(sweeps=entries, allow_sweeps=is_allowed, is_complete=is_complete)


@router.post("/sweeps/start", response_model=SweepsAnswer, responses=REFUSALS)
def start_sweep(query: SweepQuery, viewer: CurrentViewer, visitor: CurrentVisitor) -> SweepsAnswer | JSONResponse:
    """Start a sweep, or resume it. Its YAML file must lie below the directory of the viewer."""
    sweep = _allowed(viewer, query.sweep)
    if isinstance(sweep, JSONResponse):
        return sweep
    try:
        viewer.shared(SweepProcesses).start(sweep)
    except (ServerError, OSError) as error:
        reason = reason_of(error)
        return failure(409, reason, reason.remedy)
    return get_sweeps(viewer, visitor)


@router.post("/sweeps/stop", response_model=SweepsAnswer, responses=REFUSALS)
def stop_sweep(query: SweepQuery, viewer: CurrentViewer, visitor: CurrentVisitor) -> SweepsAnswer | JSONResponse:
    """Stop a sweep on all machines: its trials end, and are begun again when it is resumed."""
    sweep = _allowed(viewer, query.sweep)
    if isinstance(sweep, JSONResponse):
        return sweep
    if sweep.is_running:
        sweep.directory.stop_file.touch()
    return get_sweeps(viewer, visitor)


def _allowed(viewer: Viewer, id: str) -> FoundSweep | JSONResponse:
    """Return the sweep of an id, which is looked up and never joined to a path."""
    if not viewer.settings.allow_sweeps:
        reason = Reason("sweeps_not_allowed")
        return failure(403, reason, reason.remedy)
    sweep = next((sweep for sweep in sweeps_of(viewer) if sweep.id == id), None)
    if sweep is None:
        reason = Reason("sweep_missing", sweep=id)
        return failure(404, reason, reason.remedy)
    return sweep
