# SPDX-License-Identifier: Apache-2.0
"""Names and order of tracks, from the metadata events of a trace."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, cast

from mindscope.formats.json_text import as_unicode
from mindscope.profile.trace.trace import Track

_FIELDS = {
    b"process_name": ("process", "name", "process_name"),
    b"process_sort_index": ("process", "sort_index", "process_order"),
    b"thread_name": ("thread", "name", "thread_name"),
    b"thread_sort_index": ("thread", "sort_index", "thread_order"),
}
"""Name of the event -> what it describes, its argument, the field of a track."""

Metadata = tuple[bytes, bytes, bytes, bytes]
"""Name, process, thread and arguments of a metadata event."""


def named_tracks(keys: Sequence[tuple[bytes, bytes]], metadata: Iterable[Metadata]) -> list[Track]:
    """Return a track for each (process, thread); the last metadata event of a kind counts."""
    processes: dict[bytes, dict[str, Any]] = {}
    threads: dict[tuple[bytes, bytes], dict[str, Any]] = {}
    for name, process, thread, args in metadata:
        if name not in _FIELDS:
            continue
        what, argument, field = _FIELDS[name]
        value = _argument(args, argument)
        of_number = field.endswith("order")
        if isinstance(value, int if of_number else str):
            found = (
                processes.setdefault(process, {}) if what == "process" else threads.setdefault((process, thread), {})
            )
            found[field] = value
    return [
        Track(text_of(process), text_of(thread), **processes.get(process, {}), **threads.get((process, thread), {}))
        for process, thread in keys
    ]


def _argument(args: bytes, name: str) -> Any:
    try:
        found: Any = json.loads(args.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, Any]", found).get(name) if isinstance(found, dict) else None


def text_of(raw: bytes) -> str:
    """Return the text of what stands between the quotes of a JSON string; unpaired surrogates are escaped."""
    text = raw.decode("utf-8", "replace")
    if "\\" not in text:
        return text
    try:
        return as_unicode(str(json.loads(f'"{text}"', strict=False)))
    except ValueError:
        return text
