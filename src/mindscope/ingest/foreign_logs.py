# SPDX-License-Identifier: Apache-2.0
"""Recognizes logs of other tools by their names, so that the page can explain why they are not in the list of runs."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

from mindscope.ingest.file_names import is_event_name, readable
from mindscope.ingest.unreadable_paths import PathKind, UnreadablePath
from mindscope.reasons import Reason
from mindscope.trackers.log import LogProblem

_COMPRESSED = re.compile(r"\.(gz|bz2|xz|zst|lz4|zip)$", re.IGNORECASE | re.ASCII)
_VISUALDL = re.compile(r"vdlrecords\.\d+.*\.log", re.ASCII)


def is_compressed(name: str) -> bool:
    """Return whether this is the name of a compressed event file."""
    return is_event_name(name) and _COMPRESSED.search(name) is not None


def compressed_file(path: str) -> UnreadablePath:
    """Return an event file that users must decompress first."""
    return UnreadablePath(readable(path), PathKind.FILE, Reason("event_file_compressed"))


def unread_log(problem: LogProblem) -> UnreadablePath:
    """Return a file with runs of another tool that can't be read."""
    return UnreadablePath(readable(problem.path), PathKind.FILE, problem.reason)


def foreign_logs(directory: str, names: Iterable[str]) -> UnreadablePath | None:
    """Return the logs of another tool in ``directory``, which contains ``names``; None if there are none.

    Call it for a directory without logs that are read. A store with many runs gives one entry: its runs are not listed
    separately.
    """
    own = os.path.basename(directory)  # noqa: PTH119 (ten thousand times)
    code = next((code for name in names if (code := _code_of(name, own))), None)
    return None if code is None else UnreadablePath(readable(directory), PathKind.DIRECTORY, Reason(code))


def _code_of(name: str, directory: str) -> str | None:
    if name.endswith(".wandb"):
        return "logs_of_wandb"
    if name.endswith(".swanlab"):
        return "logs_of_swanlab"
    if directory == ".aim" and name in ("meta", "seqs", "run_metadata.sqlite"):
        return "logs_of_aim"
    if name == "mlflow.db":
        return "logs_of_mlflow"
    return "logs_of_visualdl" if _VISUALDL.fullmatch(name) else None
