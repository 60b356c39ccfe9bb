# SPDX-License-Identifier: Apache-2.0
"""Annotations follow runs that get another name: notes, mutes, saved views and reports."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote_plus, unquote_plus

from mindscope.annotations import AnnotationChange, Annotations, Contents, Record
from mindscope.errors import AnnotationError, StaleRecordError
from mindscope.server.annotations.query import MUTE, REPORT, RUN, VIEW
from mindscope.server.annotations.schema import LONGEST_ADDRESS

Names = Mapping[str, str | None]
"""New names of runs by their old ones; None for a deleted run."""

ATTEMPTS = 5
"""Other clients may change the same records at the same time."""

RUN_PARAMETERS = frozenset(
    (
        *("run", "without", "pair", "baseline", "focus", "details", "dashboard", "graph_run", "other_run", "log"),
        *("side_run", "swipe_run", "blink_run", "difference_run"),
    )
)
"""Parameters of an address that hold the name of a run."""
KEY_PARAMETERS = frozenset(("profile", "baseline_profile", "debug", "debug_other", "landscape", "landscape_full"))
"""Parameters that hold a JSON list whose first item is the name of a run."""
OFFSET = "offset"
"""A number, a comma, and the name of a run."""


def rename_runs(annotations: Annotations, names: Names, alerts: Mapping[str, str] | None = None) -> int | None:
    """Give annotations of runs to their new names. Notes of a deleted run go, because another run may get its name.

    ``alerts`` has new ids of alerts, whose mutes follow them. Returns the new revision; None if nothing changed, or if
    the file can't be written.
    """
    deleted: dict[tuple[str, str], int] = {}  # versions of records that were deleted before
    for _ in range(ATTEMPTS):
        contents = annotations.read()
        changes = [*_notes(contents, names, deleted), *_others(contents, names, alerts or {})]
        if not changes:
            return None
        try:
            return annotations.write(changes).revision
        except AnnotationError:
            return None
        except StaleRecordError as error:
            deleted |= {(each.kind, each.key): each.version for each in error.args if each.fields is None}
    return None


def _notes(contents: Contents, names: Names, deleted: Mapping[tuple[str, str], int]) -> Iterator[AnnotationChange]:
    records = contents.of(RUN)
    for old, new in names.items():
        record = records.get(old)
        if record is None or record.fields is None:
            continue
        yield AnnotationChange(RUN, old, record.version, None)
        if new is not None:
            there = records.get(new)
            version = there.version if there else deleted.get((RUN, new), 0)
            yield AnnotationChange(RUN, new, version, dict(record.fields))


def _others(contents: Contents, names: Names, alerts: Mapping[str, str]) -> Iterator[AnnotationChange]:
    kept = {old: new for old, new in names.items() if new is not None}
    for record in contents.records:
        renamed = _renamed(record, kept, alerts)
        if renamed is not None and renamed != record.fields:
            yield AnnotationChange(record.kind, record.key, record.version, renamed)


def _renamed(record: Record, names: Mapping[str, str], alerts: Mapping[str, str]) -> dict[str, Any] | None:
    """Return the fields of a mute, view or report with new names; None for other kinds."""
    fields = record.fields
    if fields is None:
        return None
    if record.kind == MUTE:
        run, alert = fields.get("run"), fields.get("alert")
        return {**fields, "run": names.get(str(run), run), "alert": alerts.get(str(alert), alert)}
    if record.kind == VIEW:
        return _with_addresses(fields, ("address",), names)
    if record.kind == REPORT:
        blocks: list[Any] = fields.get("blocks") or []
        return {**fields, "blocks": [_renamed_block(each, names) for each in blocks]}
    return None


def _renamed_block(block: dict[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    renamed = _with_addresses(block, ("address", "pinned"), names)
    card = block.get("card")
    if card:
        renamed["card"] = {**card, "run": names.get(str(card.get("run")), card.get("run"))}
    return renamed


def _with_addresses(fields: Mapping[str, Any], keys: tuple[str, ...], names: Mapping[str, str]) -> dict[str, Any]:
    new = {key: renamed_address(address, names) for key in keys if (address := fields.get(key))}
    return {**fields, **new}


def renamed_address(address: str, names: Mapping[str, str]) -> str:
    """Return the address of a page with new names of runs. One that would get too long stays as it is."""
    path, mark, query = address.partition("?")
    renamed = path + mark + "&".join(_renamed_parameter(each, names) for each in query.split("&"))
    return renamed if len(renamed) <= LONGEST_ADDRESS else address


def _renamed_parameter(parameter: str, names: Mapping[str, str]) -> str:
    name, _, value = parameter.partition("=")
    text = unquote_plus(value)
    renamed = _renamed_value(name, text, names)
    return parameter if renamed == text else f"{name}={quote_plus(renamed)}"


def _renamed_value(name: str, text: str, names: Mapping[str, str]) -> str:
    if name in RUN_PARAMETERS:
        return names.get(text, text)
    if name in KEY_PARAMETERS:
        return _renamed_key(text, names)
    if name == OFFSET:
        number, comma, run = text.partition(",")
        return number + comma + names.get(run, run)
    return text


def _renamed_key(text: str, names: Mapping[str, str]) -> str:
    try:
        key: Any = json.loads(text)
    except ValueError:
        return text
    if not isinstance(key, list) or not key or key[0] not in names:  # pyright: ignore[reportUnknownMemberType]
        return text
    renamed: list[Any] = [names[key[0]], *key[1:]]  # pyright: ignore[reportUnknownArgumentType]
    return json.dumps(renamed, ensure_ascii=False, separators=(",", ":"))
