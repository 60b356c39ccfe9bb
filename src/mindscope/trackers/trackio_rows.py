# SPDX-License-Identifier: Apache-2.0
"""Reads the rows of Trackio: the values of a step, and of the machine at a time, as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from itertools import chain, groupby
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from mindscope.errors import FormatError
from mindscope.reasons import Reason
from mindscope.trackers import values
from mindscope.trackers.rows import RowCollector
from mindscope.types import Kind

METRICS, ALERTS, CONFIGS = "metrics", "alerts", "configs"
_NUMBERS = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}
_KINDS = {
    "trackio.image": Kind.IMAGE,
    "trackio.audio": Kind.AUDIO,
    "trackio.table": Kind.TABLE,
    "trackio.histogram": Kind.HISTOGRAM,
    "trackio.markdown": Kind.TEXT,
    "trackio.html": Kind.HTML,
}
_LEVELS = 16
_NUMBER_TYPES = {float, int, bool}


def parsed(encoded: object) -> dict[str, Any]:
    """Return the object in JSON; an empty one of anything else."""
    try:
        row = json.loads(cast("str | bytes", encoded))
    except (ValueError, TypeError, RecursionError):
        return {}
    return cast("dict[str, Any]", row) if isinstance(row, dict) else {}


def seconds(text: object, state: dict[str, Any]) -> float:
    """Return a time in seconds since 1970; the one of the row before for a text without a time."""
    if state.get("time_text") == text:
        return float(state["time"])
    try:
        time = datetime.fromisoformat(str(text).replace("Z", "+00:00")).timestamp()
    except (ValueError, OverflowError, OSError):
        return float(state.get("time") or 0.0)
    state["time_text"], state["time"] = text, time
    state.setdefault("first_time", time)
    return time


def add_rows(rows: RowCollector, state: dict[str, Any], new: Sequence[tuple[Any, ...]]) -> int:
    """Add rows with id, time, step and JSON; returns the number of bytes. Those of equal numbers are added at once."""
    total = sum(len(row[3]) for row in new if isinstance(row[3], (str, bytes)))
    state["bytes"] = state.get("bytes", 0) + total
    whole = ((row, parsed(row[3])) for row in new)
    for (names, is_step), pairs in groupby(whole, lambda pair: (tuple(pair[1]), type(pair[0][2]) is int)):
        listed = list(pairs)
        if not (names and is_step and _add_numbers(rows, state, listed)):
            for row, content in listed:
                add_row(rows, state, row, content)
    return total


def _add_numbers(
    rows: RowCollector, state: dict[str, Any], pairs: list[tuple[tuple[Any, ...], dict[str, Any]]]
) -> bool:
    """Add rows with the same names, if all their values are numbers; returns whether they are."""
    cells = [tuple(content.values()) for _, content in pairs]
    if not set(map(type, chain.from_iterable(cells))) <= _NUMBER_TYPES:
        return False
    try:
        table: NDArray[np.float64] = np.array(cells, np.float64)
        steps = np.array([row[2] for row, _ in pairs], np.int64)
    except OverflowError:
        return False
    times = np.array([seconds(row[1], state) for row, _ in pairs], np.float64)
    rows.records += len(pairs)
    for number, name in enumerate(pairs[0][1]):
        rows.add_scalars(name, steps, times, table[:, number])
    return True


def add_row(rows: RowCollector, state: dict[str, Any], written: tuple[Any, ...], row: dict[str, Any]) -> None:
    """Add the values of a step."""
    id, time, step, encoded = written
    rows.records += 1
    if not row or type(step) is not int:
        if encoded not in ("{}", b"{}"):
            state["damaged"] = state.get("damaged", 0) + 1
        return
    wall_time = seconds(time, state)
    for name, value in row.items():
        _add(rows, state, id, wall_time, step, name, value)


def _add(
    rows: RowCollector,
    state: dict[str, Any],
    id: int,
    time: float,
    step: int,
    name: str,
    value: Any,
    levels: int = _LEVELS,
) -> None:
    if isinstance(value, (int, float)):
        rows.add_scalar(name, step, time, float(value))
    elif isinstance(value, str):
        if value in _NUMBERS:
            rows.add_scalar(name, step, time, _NUMBERS[value])
        else:
            rows.add_reference(Kind.TEXT, name, step, time, id, 1)
    elif isinstance(value, (dict, list)):
        kind, what = _kind_of(value)
        if kind is not None:
            rows.add_reference(kind, name, step, time, id, 1)
        elif what or isinstance(value, list) or levels == 0:
            counts = state.setdefault("left_out", {})
            what = what or "lists"
            if what in counts or len(counts) < 100:
                counts[what] = counts.get(what, 0) + 1
        else:
            for inner, leaf in cast("dict[str, Any]", value).items():
                _add(rows, state, id, time, step, f"{name}/{inner}", leaf, levels - 1)


def add_system_row(rows: RowCollector, state: dict[str, Any], id: int, time: object, encoded: object) -> None:
    """Add the metrics of the machine, which have no steps: they are numbered."""
    rows.records += 1
    number = state["system_rows"] = state.get("system_rows", -1) + 1
    wall_time = seconds(time, state)
    for name, value in values.flat(parsed(encoded), "/"):
        metric = _NUMBERS.get(value, value) if isinstance(value, str) else value
        if isinstance(metric, (int, float)):
            rows.add_scalar(f"system/{name}", number, wall_time, float(metric))


def _kind_of(value: Any) -> tuple[Kind | None, str]:
    """Return the kind of media, and its type in Trackio; a list of pictures is one image of several."""
    if isinstance(value, list):
        types = {_type_of(media) for media in cast("list[Any]", value)}
        return (Kind.IMAGE, "") if types == {"trackio.image"} else (None, "")
    type_name = _type_of(value)
    if type_name == "trackio.video" and str(value.get("file_path", "")).lower().endswith(".gif"):
        return Kind.VIDEO, type_name
    return _KINDS.get(type_name), type_name


def _type_of(value: Any) -> str:
    return str(cast("dict[str, Any]", value).get("_type", "")) if isinstance(value, dict) else ""


def shown_value(directory: str, kind: Kind, tag: str, row: dict[str, Any]) -> bytes:
    """Return the value of a tag in a row as Summary.Value; ``directory`` has the media.

    Raises FormatError, OSError.
    """
    value = _value_of(row, tag)
    if kind is Kind.TEXT and isinstance(value, str):
        return values.text(tag, value)
    media = [_as_object(item) for item in cast("list[Any]", value if isinstance(value, list) else [value])]
    first = media[0] if media else _as_object(None)
    if kind is Kind.TEXT:
        return values.text(tag, str(first.get("_value", "")))
    if kind is Kind.HISTOGRAM:
        return values.histogram(tag, first.get("bins", []), first.get("values", []))
    if kind is Kind.TABLE:
        return _table(tag, first.get("_value") or [])
    contents = [values.media_file(directory, str(item.get("file_path", ""))) for item in media]
    if kind is Kind.AUDIO:
        return values.audio(tag, contents[0])
    if kind is Kind.HTML:
        return values.html(tag, str(contents[0], "utf-8", "replace"))
    size = values.size_of(contents[0])
    return values.video(tag, contents[0], *size) if kind is Kind.VIDEO else values.images(tag, contents, *size)


def _table(tag: str, cells: list[Any]) -> bytes:
    rows = [_as_object(row) for row in cells]
    names = list(dict.fromkeys(name for row in rows for name in row))
    return values.table(tag, names, [[row.get(name) for name in names] for row in rows])


def _as_object(value: Any) -> dict[str, Any]:
    """Return an object of JSON. Raises FormatError for another value."""
    if not isinstance(value, dict):
        raise FormatError(Reason("value_malformed", kind="record", why="its row holds another value"))
    return cast("dict[str, Any]", value)


def _value_of(row: dict[str, Any], tag: str) -> Any:
    """Return the value of a tag, whose name may be several nested ones."""
    value: Any = row
    rest = tag
    while isinstance(value, dict) and rest:
        inner = cast("dict[str, Any]", value)
        name = next((name for name in inner if rest == name or rest.startswith(f"{name}/")), None)
        if name is None:
            return None
        value, rest = inner[name], rest[len(name) + 1 :]
    return cast(Any, value)
