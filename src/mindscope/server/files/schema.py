# SPDX-License-Identifier: Apache-2.0
"""Messages about the files of a run."""

from __future__ import annotations

from typing import Literal

from mindscope.server.http.schema import Answer

FileKind = Literal["command", "git_diff", "untracked", "packages", "code", "config", "checkpoint", "file"]
LeftOut = Literal["too_large", "too_many", "binary", "secrets", "changed", "unreadable", "disk_full", "missing"]


class RunFile(Answer):
    """A file of a run; ``path`` names it in requests.

    ``step`` is None for a file of the whole run, ``wall_time`` in seconds since 1970. ``masked`` counts secrets that
    the recorder masked, ``is_cut`` says that it kept the beginning only, ``left_out`` why there is no file.
    """

    name: str
    path: str
    kind: FileKind
    step: int | None
    size_bytes: int
    sha256: str
    wall_time: float
    masked: int
    is_cut: bool
    left_out: LeftOut | None


class FilesAnswer(Answer):
    """The files of a run, then those of its steps, the newest step first.

    At most 2,000 of ``total`` are listed; ``size_bytes`` is that of all.
    """

    files: list[RunFile]
    total: int
    size_bytes: int


class FileTextAnswer(Answer):
    """The beginning of a file as text; None if it is no text. ``size_bytes`` is that of the whole file now."""

    text: str | None
    size_bytes: int
    is_cut: bool
