# SPDX-License-Identifier: Apache-2.0
"""Operators of two trainings that a user paired by hand, for their next comparison."""

from __future__ import annotations

import json
import posixpath
from typing import Any, cast

from mindscope.annotations.annotations import Annotations
from mindscope.annotations.records import AnnotationChange, Contents
from mindscope.errors import StaleRecordError

KIND = "operator_pairs"
_TRIES = 10
"""Writes of a record that other processes change at the same time."""


def debug_data_path(run: str, source: str) -> str:
    """Return the key of debugging data in pairs: their path below the base directory.

    Args:
        run: id of the run.
        source: path below its directory, or ".".
    """
    return posixpath.normpath(posixpath.join(run, source))


def operator_pairs(contents: Contents, left: str, right: str) -> dict[str, str]:
    """Return the operators of the left training with those of the right one.

    Args:
        contents: of the annotations.
        left: path of its debugging data, see ``debug_data_path``.
        right: as ``left``.
    """
    record = contents.of(KIND).get(_key(left, right))
    pairs = _pairs_of(None if record is None else record.fields)
    return pairs if left <= right else {other: one for one, other in pairs.items()}


def change_operator_pair(
    annotations: Annotations, left: str, right: str, operators: tuple[str, str], *, is_paired: bool
) -> Contents:
    """Pair two operators, each of which leaves its other pairs, or undo a pair. Returns the written record.

    Raises AnnotationError if the file can't be written, StaleRecordError if other processes keep changing the record.
    """
    one, other = operators if left <= right else operators[::-1]
    key = _key(left, right)
    for left_tries in reversed(range(_TRIES)):
        record = annotations.read().of(KIND).get(key)
        pairs = _pairs_of(None if record is None else record.fields)
        kept = {a: b for a, b in pairs.items() if ((a != one and b != other) if is_paired else (a, b) != (one, other))}
        fields = {"pairs": [[a, b] for a, b in {**kept, **({one: other} if is_paired else {})}.items()]}
        try:
            return annotations.write([AnnotationChange(KIND, key, 0 if record is None else record.version, fields)])
        except StaleRecordError:
            if not left_tries:
                raise
    raise AssertionError("the last try returns or raises")


def _key(left: str, right: str) -> str:
    return json.dumps(sorted((left, right)))


def _pairs_of(fields: Any) -> dict[str, str]:
    """Return the pairs of a record, without those that this version can't read."""
    listed = fields.get("pairs") if fields else None
    found: dict[str, str] = {}
    for each in cast("list[Any]", listed) if isinstance(listed, list) else []:
        match each:
            case [str(one), str(other)]:
                found[one] = other
            case _:
                continue
    return found
