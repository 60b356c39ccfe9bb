# SPDX-License-Identifier: Apache-2.0
"""Reads the artifacts of a run of MLflow that pages show: images by step, pictures, texts, tables and HTML."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from typing import Any, NamedTuple, cast

from mindscope.errors import FormatError
from mindscope.lru import LRU
from mindscope.reasons import Reason
from mindscope.trackers import values
from mindscope.trackers.database_runs import digest
from mindscope.trackers.rows import RowCollector
from mindscope.types import Kind

_IMAGES = "images"
_STEPPED = re.compile(
    r"(.+)([+%])step\2(-?\d{1,18})\2timestamp\2(\d{1,16})\2[0-9a-fA-F-]+(\2compressed)?\.(?:png|jpe?g|webp|gif)",
    re.ASCII,
)
_KINDS = {
    ".png": Kind.IMAGE, ".jpg": Kind.IMAGE, ".jpeg": Kind.IMAGE, ".webp": Kind.IMAGE, ".gif": Kind.VIDEO,
    ".txt": Kind.TEXT, ".md": Kind.TEXT, ".json": Kind.TEXT, ".html": Kind.HTML,
}  # fmt: skip
_MOST_TEXT_BYTES = 1 << 20
_MOST_ENTRIES = 20_000
_PATHS: LRU[str, dict[int, str]] = LRU(64)


class _Artifact(NamedTuple):
    """A file that is shown: its path below the directory, and what changes with it."""

    path: str
    kind: Kind
    tag: str
    step: int
    wall_time: float
    size: int

    @property
    def id(self) -> int:
        return digest(self.path)


def state_of_artifacts(directory: str | None) -> tuple[int, int]:
    """Return times that differ after a file was added."""
    return (0, 0) if directory is None else (_time_of(directory), _time_of(f"{directory}{os.sep}{_IMAGES}"))


def refer_to_artifacts(rows: RowCollector, state: dict[str, Any], directory: str | None, ended: float | None) -> None:
    """Add the artifacts that ``state`` has not yet, and count those that no page shows there.

    ``ended`` is the end of the run in seconds since 1970: a copy of a file has a later time.
    """
    now = list(state_of_artifacts(directory))
    if directory is None or not now[0]:
        return
    left_out: dict[str, int] = {}
    versions = cast("dict[str, int]", state.setdefault("artifacts", {}))
    artifacts = list(_files(directory, left_out))
    if state.get("images") != now[1]:
        artifacts += _stepped_images(directory)
        state["images"] = now[1]
    for artifact in artifacts:
        id, version = f"{artifact.id:x}", digest(artifact.size, artifact.wall_time)
        if versions.get(id) != version:
            versions[id] = version
            length = max(artifact.size, 1)
            time = artifact.wall_time if ended is None else min(artifact.wall_time, ended)
            rows.add_reference(artifact.kind, artifact.tag, artifact.step, time, artifact.id, length)
    state["left_out"] = left_out


def artifact_value(directory: str | None, kind: Kind, tag: str, id: int) -> bytes:
    """Return an artifact as Summary.Value. Raises FormatError, OSError."""
    path = None if directory is None else _path_of(directory, id)
    if directory is None or path is None:
        raise FormatError(Reason("tracker_file_missing", file=tag))
    content = values.media_file(directory, path)
    if kind in (Kind.IMAGE, Kind.VIDEO):
        size = values.size_of(content)
        return values.video(tag, content, *size) if kind is Kind.VIDEO else values.images(tag, [content], *size)
    text = str(content, "utf-8", "replace")
    if kind is Kind.TABLE:
        return _table(tag, text)
    return values.html(tag, text) if kind is Kind.HTML else values.text(tag, _shown_text(path, text))


def _shown_text(path: str, text: str) -> str:
    return f"```json\n{text}\n```" if path.endswith(".json") else text


def _table(tag: str, text: str) -> bytes:
    try:
        table = json.loads(text)
        return values.table(tag, [str(name) for name in table["columns"]], [list(row) for row in table["data"]])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise FormatError(Reason("value_malformed", kind="table", why="its file holds no table")) from error


def _path_of(directory: str, id: int) -> str | None:
    paths = _PATHS.get(directory)
    if paths is None or id not in paths:
        readable = (*_files(directory, {}), *_stepped_images(directory))
        paths = _PATHS.add(directory, {artifact.id: artifact.path for artifact in readable})
    return paths.get(id)


def _files(directory: str, left_out: dict[str, int]) -> Iterator[_Artifact]:
    """Yield the files that are shown at step 0, and count the others. Images by step are not among them."""
    entries = 0
    for above, directories, names in os.walk(directory):
        directories.sort()
        below = os.path.relpath(above, directory)
        if below == ".":
            below = ""
        if "MLmodel" in names:
            _count(left_out, "models")
            directories.clear()
            continue
        for name in sorted(names):
            entries += 1
            path = f"{below}/{name}" if below else name
            if below == _IMAGES and _STEPPED.fullmatch(name):
                continue
            artifact = _artifact(directory, path) if entries <= _MOST_ENTRIES else None
            if artifact is None:
                _count(left_out, "artifacts")
            else:
                yield artifact


def _artifact(directory: str, path: str) -> _Artifact | None:
    kind = _KINDS.get(os.path.splitext(path)[1].lower())  # noqa: PTH122
    try:
        stat = os.stat(f"{directory}{os.sep}{path}")  # noqa: PTH116
    except OSError:
        return None
    is_media = kind in (Kind.IMAGE, Kind.VIDEO)
    if kind is None or stat.st_size > (values.MOST_MEDIA_BYTES if is_media else _MOST_TEXT_BYTES):
        return None
    if path.endswith(".json") and _is_table(f"{directory}{os.sep}{path}"):
        kind = Kind.TABLE
    return _Artifact(path, kind, path, 0, stat.st_mtime, stat.st_size)


def _is_table(path: str) -> bool:
    """Return whether a file begins as ``log_table`` writes it."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            return re.match(rb'\s*\{\s*"columns"\s*:\s*\[', file.read(64)) is not None
    except OSError:
        return False


def _stepped_images(directory: str) -> list[_Artifact]:
    """Return the images that have a step, in the order in which they were recorded."""
    images = list[_Artifact]()
    try:
        with os.scandir(f"{directory}{os.sep}{_IMAGES}") as entries:
            for entry in entries:
                named = _STEPPED.fullmatch(entry.name)
                if named and not named[5]:
                    tag = named[1].replace("~", "/").replace("#", "/")
                    size = entry.stat().st_size
                    path = f"{_IMAGES}/{entry.name}"
                    images.append(_Artifact(path, Kind.IMAGE, tag, int(named[3]), int(named[4]) / 1000, size))
    except OSError:
        return []
    return sorted(images, key=lambda image: (image.wall_time, image.step, image.path))


def _count(left_out: dict[str, int], what: str) -> None:
    left_out[what] = left_out.get(what, 0) + 1


def _time_of(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns  # noqa: PTH116
    except OSError:
        return 0
