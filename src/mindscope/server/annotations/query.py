# SPDX-License-Identifier: Apache-2.0
"""Converts records of the annotations to messages, and changes to records."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterable
from typing import Any, TypeVar

from pydantic import ValidationError

from mindscope.annotations import AnnotationChange, Annotations, Contents, Record
from mindscope.errors import ExpressionError
from mindscope.reasons import Reason
from mindscope.server.annotations.schema import (
    AnnotationRecords,
    AnnotationsAnswer,
    Bound,
    GroupChange,
    GroupNotesRecord,
    MuteRecord,
    PinRecord,
    ReportRecord,
    RunChange,
    RunNotesRecord,
    Stored,
    TargetRecord,
    ThresholdRecord,
    ViewRecord,
)
from mindscope.server.http.schema import ReasonEntry
from mindscope.stats.expression import parse

log = logging.getLogger(__name__)

S = TypeVar("S", bound=Stored)

VALUE = "value"
"""The name of the tag in the rule of a threshold."""
RUN, GROUP, THRESHOLD, PIN, VIEW, MUTE = "run", "group", "threshold", "pin", "view", "mute"
TARGET, REPORT = "target", "report"
"""The kinds of records in the file."""


def answer_annotations(annotations: Annotations, refusal: Reason | None = None) -> AnnotationsAnswer:
    """Return all readable records; ``refusal`` says why the user of the request may not change them."""
    records = answer_records(annotations.read())
    return AnnotationsAnswer(
        **dict(records),
        problem=ReasonEntry.of_text(refusal or annotations.problem),
        is_writable=annotations.is_writable and refusal is None,
    )


def answer_records(contents: Contents) -> AnnotationRecords:
    """Return some records by kind and key."""
    return AnnotationRecords(
        revision=contents.revision,
        runs=_of(contents, RUN, RunNotesRecord),
        groups=_of(contents, GROUP, GroupNotesRecord),
        thresholds={key: with_bounds(value) for key, value in _of(contents, THRESHOLD, ThresholdRecord).items()},
        pins=_of(contents, PIN, PinRecord),
        views=_of(contents, VIEW, ViewRecord),
        mutes=_of(contents, MUTE, MuteRecord),
        targets=_of(contents, TARGET, TargetRecord),
        reports=_of(contents, REPORT, ReportRecord),
    )


def answer_newer(records: Iterable[Record]) -> AnnotationRecords:
    """Return the current records, for a client with older ones."""
    known = tuple(records)
    return answer_records(Contents(max((record.version for record in known), default=0), known))


def run_change(change: RunChange, author: str) -> AnnotationChange:
    """Return a change of the given fields only, and of the author of a note."""
    fields = change.model_dump(mode="json", exclude={"run", "version"}, exclude_unset=True)
    if "note" in fields:
        fields["note_author"] = author if fields["note"] else ""
    return AnnotationChange(RUN, change.run, change.version, fields, is_partial=True)


def group_change(change: GroupChange) -> AnnotationChange:
    """Return a change of the given fields only."""
    fields = change.model_dump(mode="json", exclude={"group", "version"}, exclude_unset=True)
    return AnnotationChange(GROUP, change.group, change.version, fields, is_partial=True)


def whole_change(kind: str, key: str, version: int, stored: Stored | None, **further: str) -> AnnotationChange:
    """Return a change of a whole record, without computed fields; ``further`` fields come from the request."""
    return AnnotationChange(kind, key, version, None if stored is None else stored.model_dump(mode="json") | further)


def with_bounds(threshold: ThresholdRecord | None) -> ThresholdRecord | None:
    """Return the threshold with the lines to draw for it, or with the problem of its rule."""
    if threshold is None:
        return None
    try:
        rule = parse(threshold.rule, wants_condition=True)
    except ExpressionError as error:
        return threshold.model_copy(update={"problem": ReasonEntry.of(error)})
    guides = [bound for bound in rule.bounds if bound.column in (VALUE, threshold.tag) and math.isfinite(bound.limit)]
    bounds = [Bound(operator=each.operator, limit=each.limit) for each in guides]
    return threshold.model_copy(update={"bounds": bounds})


def _of(contents: Contents, kind: str, model: type[S]) -> dict[str, S | None]:
    read = {key: _read(record, model) for key, record in contents.of(kind).items()}
    return {key: value for key, value in read.items() if value is None or isinstance(value, model)}


def _read(record: Record, model: type[S]) -> S | bool | None:
    """Return the message of a record; None for a deleted one, False for one that this version can't read."""
    if record.fields is None:
        return None
    fields: dict[str, Any] = {**record.fields, "version": record.version}
    try:
        return model.model_validate(fields)
    except ValidationError as error:
        log.warning("annotations: %s %r is left out: %s", record.kind, record.key, error.errors()[0]["msg"])
        return False
