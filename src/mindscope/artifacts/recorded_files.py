# SPDX-License-Identifier: Apache-2.0
"""Files that a recorder keeps in ``files`` of a run, and the list of them: a line of JSON for each.

The newest line of a path counts. A line is appended once its file is whole, so a killed recorder lists no half file.
"""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, cast

from mindscope.artifacts.open_below import open_below

DIRECTORY = "files"
"""Name of the directory in that of a run."""
LIST_NAME = "mindscope_files.jsonl"
"""Name of the list in the directory. A directory with it is no run, whatever its files are."""
UNFINISHED = ".part"
"""Name of the directory with files that are being copied."""
_MOST_LIST_BYTES = 32 << 20
_MOST_NAME = 1000
_MOST_PART = 240
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_KINDS: Mapping[str, frozenset[str]] = {
    "checkpoint": frozenset(
        ".pt .pth .ckpt .safetensors .bin .h5 .keras .msgpack .npz .onnx .mindir .pkl .pickle .distcp .gguf".split()
    ),
    "config": frozenset(".yaml .yml .json .toml .ini .cfg .conf .gin".split()),
    "code": frozenset(".py .ipynb .sh .cu .cpp .c .h".split()),
}
"""Suffixes by the kind that a file of them has."""
REASONS = "too_large too_many binary secrets changed unreadable disk_full missing".split()
"""Why a file is not there. ``secrets``: its name is that of a file of secrets; ``missing``: it was deleted later."""
_ORDER = ("command", "git_diff", "untracked", "packages", "code", "config", "checkpoint", "file")


@dataclass(frozen=True, slots=True)
class RecordedFile:
    """A file of a run, or one that was left out.

    ``name`` is that under which it was logged, ``path`` its own in the run's directory, ``step`` None for a file of the
    whole run. ``size`` counts bytes, ``sha256`` is the hash of the bytes as hexadecimal digits; 0 and "" for a file
    that was left out. ``wall_time``: seconds since 1970. ``kind``: command, git_diff, untracked, packages, code,
    config, checkpoint or file.
    """

    name: str
    path: str
    kind: str
    size: int
    sha256: str
    wall_time: float
    step: int | None = None
    is_link: bool = False
    """Whether it is a hard link to the file that was logged, which changes with it."""
    is_cut: bool = False
    """Whether only the beginning of a text was recorded."""
    masked: int = 0
    """Number of secrets that were masked in a text."""
    left_out: str = ""
    """Why there is no file: one of ``REASONS``; empty if there is."""


def kind_of(name: str) -> str:
    """Return the kind of a file that a user logs, by the end of its name."""
    suffix = os.path.splitext(name)[1].lower()  # noqa: PTH122 (a name, no path of this machine)
    return next((kind for kind, suffixes in _KINDS.items() if suffix in suffixes), "file")


def checked_name(name: str) -> str:
    """Return a name in a form that any system shows: parts with ``/`` between them.

    Raises ValueError for an empty or absolute name, one that leaves the directory, one of the list, or a long one.
    """
    text = _CONTROL.sub("_", os.fsencode(name).decode("utf-8", "replace"))
    parts = text.split("/")
    is_short = len(text) <= _MOST_NAME and all(len(part.encode()) <= _MOST_PART for part in parts)
    if not is_short or any(part in ("", ".", "..") for part in parts) or parts[0] in (LIST_NAME, UNFINISHED):
        raise ValueError(
            f"name is {name[:200]!r}, want a path such as 'model.pt' below the run, of at most {_MOST_NAME} letters "
            f"and {_MOST_PART} bytes between slashes"
        )
    return text


def path_of(name: str, step: int | None) -> str:
    """Return the path of a file below the directory of the run."""
    return f"{DIRECTORY}/{name}" if step is None else f"{DIRECTORY}/step_{step}/{name}"


def line_of(file: RecordedFile) -> bytes:
    """Return the line of a file in the list."""
    facts = {name: value for name, value in asdict(file).items() if value is not None and value is not False}
    return json.dumps({name: value for name, value in facts.items() if value != ""}).encode() + b"\n"


def recorded_files(run: Path) -> list[RecordedFile]:
    """Return the files of a run, then those of its steps, the newest first.

    What was deleted is left out as ``missing``. Lines that can't be read are skipped. Raises nothing.
    """
    newest: dict[str, RecordedFile] = {}
    for line in _lines(run):
        file = _parsed(line)
        if file is not None:
            newest[file.path] = file
    return sorted((_as_found(run, file) for file in newest.values()), key=_order)


def open_recorded(run: Path, file: RecordedFile) -> int:
    """Return a descriptor of a file that a run lists, to read from.

    No part of its path below the run may be a link, and it has to be a regular file. Raises OSError.
    """
    if file.left_out:
        raise FileNotFoundError(f"{file.path} was not recorded: {file.left_out}")
    return open_below(run, file.path)


def _lines(run: Path) -> Iterator[bytes]:
    with suppress(OSError):
        descriptor = os.open(run / DIRECTORY / LIST_NAME, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as file:
            size = os.fstat(descriptor).st_size if stat.S_ISREG(os.fstat(descriptor).st_mode) else 0
            file.seek(max(0, size - _MOST_LIST_BYTES))
            yield from file.read(min(size, _MOST_LIST_BYTES)).split(b"\n")


def _parsed(line: bytes) -> RecordedFile | None:
    """Return the file of a line; None for a line that no recorder writes."""
    try:
        entry: Any = json.loads(line)
        if not isinstance(entry, dict):
            return None
        names = {field.name for field in fields(RecordedFile)}
        facts: dict[str, Any] = {"size": 0, "sha256": "", "wall_time": 0.0}
        facts |= {name: value for name, value in cast("dict[str, Any]", entry).items() if name in names}
        file = RecordedFile(**facts)
        texts = (file.name, file.path, file.kind, file.sha256, file.left_out)
        numbers = (file.size, file.masked, 0 if file.step is None else file.step)
        is_typed = all(type(text) is str for text in texts) and all(type(number) is int for number in numbers)
        is_true = type(file.is_cut) is type(file.is_link) is bool and isinstance(
            cast(Any, file.wall_time), (int, float)
        )
        if is_typed and is_true and file.path == path_of(checked_name(file.name), file.step):
            return file
    except (ValueError, TypeError, RecursionError):
        pass
    return None


def _as_found(run: Path, file: RecordedFile) -> RecordedFile:
    if file.left_out:
        return file
    with suppress(OSError):
        if stat.S_ISREG(os.lstat(run / file.path).st_mode):
            return file
    return RecordedFile(file.name, file.path, file.kind, 0, "", file.wall_time, file.step, left_out="missing")


def _order(file: RecordedFile) -> tuple[bool, int, int, str]:
    """Files of the whole run by kind come first, then those of steps, the newest step first."""
    rank = _ORDER.index(file.kind) if file.kind in _ORDER else len(_ORDER)
    return file.step is not None, -(file.step or 0), rank, file.name
