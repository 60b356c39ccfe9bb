# SPDX-License-Identifier: Apache-2.0
"""Deletes and moves runs, if the viewer was started with --allow-delete."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from fastapi import APIRouter
from fastapi.responses import JSONResponse

from mindscope.alerts.alert import alert_id
from mindscope.named_bases import roots_of
from mindscope.reasons import Reason, os_reason
from mindscope.server.alerts.worker import alerts_of
from mindscope.server.annotations.renames import rename_runs
from mindscope.server.annotations.schema import LiveAnnotations
from mindscope.server.annotations.store import annotations_of
from mindscope.server.http.access import READS
from mindscope.server.http.context import CurrentViewer, Viewer
from mindscope.server.http.errors import NOT_FOUND, failure
from mindscope.server.http.schema import FailureAnswer, ReasonEntry
from mindscope.server.live.event_stream import LiveEvents
from mindscope.server.run_files.deletion import DeletionPlan, delete_files, plan_deletion, token_of
from mindscope.server.run_files.move import DirectoryMove, move_directories, names_of
from mindscope.server.run_files.schema import (
    DeletedAnswer,
    DeleteQuery,
    DeletionAnswer,
    DeletionQuery,
    MovedAnswer,
    MoveQuery,
    RefusedRun,
)
from mindscope.store import RunStore
from mindscope.trackers.trackers import shared_file

T = TypeVar("T")

REFUSALS: dict[int | str, dict[str, Any]] = {
    **NOT_FOUND,
    403: {"model": FailureAnswer, "description": "This is not allowed, or the request comes from another site."},
    409: {"model": FailureAnswer, "description": "A run is being written, or the files are not as expected."},
    500: {"model": FailureAnswer, "description": "A file can't be changed."},
}

router = APIRouter()


@router.post("/runs/deletion", openapi_extra=READS, response_model=DeletionAnswer, responses=REFUSALS)
def plan_deletions(query: DeletionQuery, viewer: CurrentViewer) -> DeletionAnswer | JSONResponse:
    """The files that a deletion of the runs deletes, with the token that confirms it."""
    if not viewer.settings.allow_delete:
        return _forbidden()
    plans: list[DeletionPlan] = []
    refused: list[RefusedRun] = []
    for store in _stores(viewer, query.runs):
        plan = _plan(viewer, store)
        if isinstance(plan, Reason):
            refused.append(RefusedRun(run=store.id, error=ReasonEntry.of(plan)))
        else:
            plans.append(plan)
    runs = [plan.deletion for plan in plans]
    return DeletionAnswer(token=token_of(plans, viewer.secret), runs=runs, refused=refused)


@router.post("/runs/delete", response_model=DeletedAnswer, responses=REFUSALS)
def delete_runs(query: DeleteQuery, viewer: CurrentViewer) -> DeletedAnswer | JSONResponse:
    """Delete the event files of runs, the files they kept, and directories that are empty then, for ever."""
    if not viewer.settings.allow_delete:
        return _forbidden()
    stores = _stores(viewer, query.runs)
    plans: list[DeletionPlan] = []
    for store in stores:
        plan = _plan(viewer, store)
        if isinstance(plan, Reason):
            return failure(409 if plan.code in REFUSED else 500, plan, plan.remedy)
        plans.append(plan)
    if not hmac.compare_digest(token_of(plans, viewer.secret).encode(), query.token.encode("utf-8", "surrogatepass")):
        return failure(409, Reason("stale_token"), "POST /api/runs/deletion gives a new one")
    deleted: list[str] = []
    try:
        for store in stores:
            problem = _problem(lambda run=store: delete_files(viewer.catalog.base, run), store.id)
            if isinstance(problem, Reason):
                return failure(500, problem, problem.remedy)
            deleted.append(store.id)
    finally:
        _publish_changes(viewer)
        _rename_notes(viewer, dict.fromkeys(deleted))
    return DeletedAnswer(runs=[plan.deletion for plan in plans])


@router.post("/runs/move", response_model=MovedAnswer, responses=REFUSALS)
def move_runs(query: MoveQuery, viewer: CurrentViewer) -> MovedAnswer | JSONResponse:
    """Move the directories of runs with all that is in them, further runs too; annotations follow them."""
    if not viewer.settings.allow_delete:
        return _forbidden()
    base = viewer.catalog.base
    targets = {move.run: move.to for move in query.moves}
    moves: list[DirectoryMove] = []
    for store in _stores(viewer, targets):
        if reason := _shared(store):
            return failure(409, reason, reason.remedy)
        names = names_of(targets[store.id])
        if names is None or store.path == base or store.path.resolve() in roots_of(base):
            name = targets[store.id]
            reason = Reason("not_a_run_name", name=name) if names is None else Reason("base_not_moved", run=store.id)
            return failure(409, reason, reason.remedy)
        moves.append(DirectoryMove(store.id, store.path.relative_to(base).parts, names))
    runs = {id: new for id in viewer.catalog.runs if (new := _moved_id(id, targets)) is not None}
    for store in _stores(viewer, runs):
        if store.may_be_written(viewer.now()):
            return failure(409, Reason("run_is_live", run=store.id), "end its training first")
    alerts = _alert_ids(viewer, runs)
    try:
        move_directories(base, moves)
    except FileExistsError as error:
        reason = Reason("run_exists", name=targets[str(error.filename)])
        return failure(409, reason, reason.remedy)
    except OSError as error:
        reason = Reason("not_moved", run=str(error.filename), **os_reason(error))
        return failure(500, reason, reason.remedy)
    _rename_notes(viewer, runs, alerts)
    _publish_changes(viewer)
    return MovedAnswer(directories=len(moves), runs=runs)


REFUSED = frozenset({"run_is_live", "nothing_to_delete", "run_in_shared_file"})
"""Codes of runs that can't be deleted as they are."""


def _stores(viewer: Viewer, runs: Iterable[str]) -> list[RunStore]:
    """Return the runs, each once. Raises RunNotFoundError."""
    return [viewer.catalog.run(run) for run in dict.fromkeys(runs)]


def _plan(viewer: Viewer, store: RunStore) -> DeletionPlan | Reason:
    if shared := _shared(store):
        return shared
    if store.may_be_written(viewer.now()):
        return Reason("run_is_live", run=store.id)
    if not store.files:
        return Reason("nothing_to_delete", run=store.id)
    return _problem(lambda: plan_deletion(viewer.catalog.base, store), store.id)


def _shared(store: RunStore) -> Reason | None:
    """Return why a run can't be deleted or moved by its files: they belong to other runs too."""
    shared = next((file for facts in store.files if (file := shared_file(facts.path))), None)
    return None if shared is None else Reason("run_in_shared_file", run=store.id, file=Path(shared).name)


def _moved_id(id: str, targets: Mapping[str, str]) -> str | None:
    """Return the new id of a run that is moved, or is below one; None for the others."""
    ends = [len(id), *(at for at, letter in enumerate(id) if letter == "/")]
    old = next((id[:end] for end in ends if id[:end] in targets), None)
    return None if old is None else targets[old] + id[len(old) :]


def _problem(act: Callable[[], T], run: str) -> T | Reason:
    try:
        return act()
    except OSError as error:
        file = str(error.filename or "its directory")
        if error.errno is None:  # a link
            return Reason("link_not_deleted", run=run, file=file)
        return Reason("not_deleted", run=run, file=file, **os_reason(error))


def _publish_changes(viewer: Viewer) -> None:
    """Refresh the catalog and inform the pages, even if the viewer does not watch its logs."""
    changed = viewer.catalog.refresh()
    if changed:
        viewer.shared(LiveEvents).publish(viewer.catalog.version, changed, run_list_changed=True)


def _alert_ids(viewer: Viewer, runs: Mapping[str, str]) -> dict[str, str]:
    """Return the ids that alerts of moved runs get."""
    alerts = [alert for alert in alerts_of(viewer).alerts(viewer.now()) if alert.run in runs]
    return {each.id: alert_id(each.rule, runs[each.run], each.tag, each.finding.step) for each in alerts}


def _rename_notes(viewer: Viewer, runs: Mapping[str, str | None], alerts: Mapping[str, str] | None = None) -> None:
    revision = rename_runs(annotations_of(viewer), runs, alerts)
    if revision is not None:
        viewer.shared(LiveEvents).announce("annotations", LiveAnnotations(revision=revision))


def _forbidden() -> JSONResponse:
    reason = Reason("deleting_not_allowed")
    return failure(403, reason, reason.remedy)
