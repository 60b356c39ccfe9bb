# SPDX-License-Identifier: Apache-2.0
"""Paths below a base directory that can't be read: path, reason, and remedy."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from mindscope.ingest.file_names import readable
from mindscope.reasons import Reason, os_reason

CODES = {
    errno.EACCES: "permission_denied",
    errno.EPERM: "permission_denied",
    errno.ELOOP: "symlink_loop",
    errno.ENAMETOOLONG: "place_too_deep",
    errno.ENOENT: "place_missing",
}
REMEDIES: Mapping[str, str] = {
    "permission_denied": "give the user who runs mindscope the right to read it",
    "symlink_loop": "delete the link, or let it lead to a file",
    "place_too_deep": "shorten the names above it, or move it up",
    "place_missing": "make the directory, or give another one",
    "place_failing": "check its disk or its network; mindscope retries automatically",
    "place_no_file": "give it another name, or move it away",
    "dangling_symlink": "delete the link, or make what it leads to",
    "link_outside": "use --follow-links, move what it leads to below that directory, or give one that holds both",
    "event_file_compressed": "unpack it, as with gunzip -k",
    "logs_of_wandb": (
        "let the training write event files too, with mindscope.SummaryRecord or with TensorBoard's writer; "
        "past runs are exported by W&B's own API"
    ),
    "logs_of_aim": (
        "let the training write event files too, with mindscope.SummaryRecord or with TensorBoard's writer; "
        "past runs are exported by Aim's own API"
    ),
    "logs_of_mlflow": (
        "let the training write event files too, with mindscope.SummaryRecord or with TensorBoard's writer; "
        "past runs are exported by MLflow's own API"
    ),
    "logs_of_visualdl": (
        "let the training write event files too, with mindscope.SummaryRecord or with TensorBoard's writer"
    ),
}
"""The remedy for each reason code."""


class PathKind(str, Enum):
    """Type of the path. A ``directory`` that can't be listed hides everything below it."""

    DIRECTORY = "directory"
    FILE = "file"
    LINK = "link"


@dataclass(frozen=True, slots=True)
class UnreadablePath:
    """A skipped directory, file or link; files and links have the name of an event file."""

    path: str
    kind: PathKind
    reason: Reason

    @property
    def remedy(self) -> str:
        """How to make it readable."""
        return REMEDIES[self.reason.code]

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}; {self.remedy}"


def unreadable_directory(path: str, error: OSError) -> UnreadablePath:
    """A directory that the system can't list."""
    return UnreadablePath(readable(path), PathKind.DIRECTORY, _reason(error))


def unreadable_entry(entry: os.DirEntry[str]) -> UnreadablePath | None:
    """Why an entry with the name of an event file is not one; None if it is. Other entries are not affected."""
    kind = PathKind.LINK if entry.is_symlink() else PathKind.FILE
    try:
        if entry.is_file():
            return None
    except OSError as error:  # a symlink loop, or a link through a directory without permission
        return UnreadablePath(readable(entry.path), kind, _reason(error))
    reason = Reason("place_no_file" if os.path.exists(entry.path) else "dangling_symlink")  # noqa: PTH110
    return UnreadablePath(readable(entry.path), kind, reason)


def link_outside(path: str, target: str, base: str) -> UnreadablePath:
    """A link that the finder does not follow."""
    return UnreadablePath(readable(path), PathKind.LINK, Reason("link_outside", target=target, base=base))


def _reason(error: OSError) -> Reason:
    return Reason(CODES.get(error.errno or 0, "place_failing"), **os_reason(error))
