# SPDX-License-Identifier: Apache-2.0
"""The files of a run: a list, the text of one, the bytes of one. Nothing outside of the run is read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import cast, get_args

from mindscope.artifacts.recorded_files import RecordedFile, open_recorded, recorded_files
from mindscope.server.files.schema import FileKind, FilesAnswer, FileTextAnswer, LeftOut, RunFile

MOST_FILES = 2000
MOST_TEXT_BYTES = 1 << 20
_CHUNK = 1 << 20


def list_files(run: Path) -> FilesAnswer:
    """Return the files that a run lists."""
    files = recorded_files(run)
    size = sum(file.size for file in files)
    return FilesAnswer(files=[_entry(file) for file in files[:MOST_FILES]], total=len(files), size_bytes=size)


def find_file(run: Path, path: str) -> RecordedFile:
    """Return a file that a run lists. Raises FileNotFoundError."""
    for file in recorded_files(run):
        if file.path == path:
            return file
    raise FileNotFoundError("it is not in the list of the run's files")


def text_answer(run: Path, path: str) -> FileTextAnswer:
    """Return the beginning of a file, if it is text. Raises OSError."""
    descriptor = open_recorded(run, find_file(run, path))
    try:
        size = os.fstat(descriptor).st_size
        data = b"".join(_chunks(descriptor, min(size, MOST_TEXT_BYTES)))
    finally:
        os.close(descriptor)
    is_text = b"\0" not in data
    return FileTextAnswer(
        text=data.decode("utf-8", "replace") if is_text else None, size_bytes=size, is_cut=size > len(data)
    )


def content_of(run: Path, path: str) -> tuple[str, int, Iterator[bytes]]:
    """Return the name, the size and the bytes of a file as it is now. Raises OSError, also while it is read."""
    file = find_file(run, path)
    descriptor = open_recorded(run, file)
    return file.name, os.fstat(descriptor).st_size, _content(descriptor, os.fstat(descriptor).st_size)


def _content(descriptor: int, size: int) -> Iterator[bytes]:
    try:
        left = size
        for chunk in _chunks(descriptor, size):
            left -= len(chunk)
            yield chunk
        if left:
            raise OSError(f"the file lost its last {left} bytes while it was sent")
    finally:
        os.close(descriptor)


def _chunks(descriptor: int, size: int) -> Iterator[bytes]:
    position = 0
    while position < size and (chunk := os.pread(descriptor, min(_CHUNK, size - position), position)):
        position += len(chunk)
        yield chunk


def _entry(file: RecordedFile) -> RunFile:
    is_known = file.kind in get_args(FileKind)
    left_out = file.left_out if file.left_out in get_args(LeftOut) else "unreadable" if file.left_out else None
    return RunFile(
        name=file.name, path=file.path, kind=cast("FileKind", file.kind if is_known else "file"), step=file.step,
        size_bytes=file.size, sha256=file.sha256, wall_time=file.wall_time, masked=file.masked, is_cut=file.is_cut,
        left_out=cast("LeftOut | None", left_out),
    )  # fmt: skip
