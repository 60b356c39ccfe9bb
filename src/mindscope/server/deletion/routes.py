# SPDX-License-Identifier: Apache-2.0
"""Deletes runs, if the viewer was started with --allow-delete."""

from __future__ import annotations

import hmac
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse

from mindscope.reasons import Reason, os_reason
from mindscope.server.annotations.query import forget_run
from mindscope.server.annotations.store import annotations_of
from mindscope.server.deletion.query import delete_files, plan_deletion
from mindscope.server.deletion.schema import DeletedAnswer, DeletionAnswer
from mindscope.server.http.context import CurrentViewer, Viewer
from mindscope.server.http.errors import NOT_FOUND, failure
from mindscope.server.http.schema import FailureAnswer
from mindscope.server.live.event_stream import EventStream
from mindscope.store import RunStore

REFUSALS: dict[int | str, dict[str, Any]] = {
    **NOT_FOUND,
    403: {"model": FailureAnswer, "description": "Deleting is not allowed, or the request comes from another site."},
    409: {"model": FailureAnswer, "description": "The run is being written, or not what the token is for."},
    500: {"model": FailureAnswer, "description": "A file can't be deleted."},
}

router = APIRouter()


@router.get("/runs/deletion", response_model=DeletionAnswer, responses=REFUSALS)
def get_deletion(run: str, viewer: CurrentViewer) -> DeletionAnswer | JSONResponse:
    """The files that a deletion of the run deletes, with the token that confirms it."""
    store = viewer.catalog.run(run)
    refusal = _refusal(viewer, store)
    if refusal is not None:
        return refusal
    try:
        return plan_deletion(viewer.catalog.base, store, viewer.secret)
    except OSError as error:
        return _failed(run, error)


@router.delete("/runs/files", response_model=DeletedAnswer, responses=REFUSALS)
def delete_run(
    run: str, token: Annotated[str, Query(max_length=100)], viewer: CurrentViewer
) -> DeletedAnswer | JSONResponse:
    """Delete the event files of a run, and its directory if it is empty then. They can't be restored."""
    store = viewer.catalog.run(run)
    refusal = _refusal(viewer, store)
    if refusal is not None:
        return refusal
    try:
        plan = plan_deletion(viewer.catalog.base, store, viewer.secret)
        if not hmac.compare_digest(plan.token.encode(), token.encode("utf-8", "surrogatepass")):
            return failure(409, Reason("stale_token", run=run), "GET /api/runs/deletion gives a new one")
        deleted = delete_files(viewer.catalog.base, store)
    except OSError as error:
        return _failed(run, error)
    finally:
        _publish_changes(viewer)
    forget_run(annotations_of(viewer), run)
    return deleted


def _refusal(viewer: Viewer, store: RunStore) -> JSONResponse | None:
    if not viewer.settings.allow_delete:
        remedy = "start the viewer with --allow-delete, or delete the directory yourself"
        return failure(403, Reason("deleting_not_allowed"), remedy)
    if store.may_be_written(viewer.now()):
        return failure(409, Reason("run_is_live", run=store.id), "end its training first")
    return None


def _publish_changes(viewer: Viewer) -> None:
    """Refresh the catalog and inform the pages, even if the viewer does not watch its logs."""
    changed = viewer.catalog.refresh()
    if changed:
        viewer.shared(EventStream).publish(viewer.catalog.version, changed, run_list_changed=True)


def _failed(run: str, error: OSError) -> JSONResponse:
    file = str(error.filename or "its directory")
    if error.errno is None:  # ``_regular`` refuses a link
        return failure(500, Reason("link_not_deleted", run=run, file=file), "delete it yourself")
    why = Reason("not_deleted", run=run, file=file, **os_reason(error))
    return failure(500, why, "check the permissions of the directory")
