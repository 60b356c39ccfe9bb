# SPDX-License-Identifier: Apache-2.0
"""Paths below a base directory that can't be read: path, reason, and remedy."""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass
from enum import Enum

from mindscope.ingest.file_names import readable
from mindscope.reasons import Reason, os_reason
from mindscope.storage.mirrors import mirror_problems

CODES = {
    errno.EACCES: "permission_denied",
    errno.EPERM: "permission_denied",
    errno.ELOOP: "symlink_loop",
    errno.ENAMETOOLONG: "place_too_deep",
    errno.ENOENT: "place_missing",
}


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

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"


def unreadable_directory(path: str, error: OSError) -> UnreadablePath:
    """Return a directory that the system can't list."""
    return UnreadablePath(readable(path), PathKind.DIRECTORY, _reason(error))


def unreadable_entry(entry: os.DirEntry[str]) -> UnreadablePath | None:
    """Return the reason why an entry with the name of an event file is not one; None if it is.

    Other entries are not affected.
    """
    kind = PathKind.LINK if entry.is_symlink() else PathKind.FILE
    try:
        if entry.is_file():
            return None
    except OSError as error:  # a symlink loop, or a link through a directory without permission
        return UnreadablePath(readable(entry.path), kind, _reason(error))
    reason = Reason("place_no_file" if os.path.exists(entry.path) else "dangling_symlink")  # noqa: PTH110
    return UnreadablePath(readable(entry.path), kind, reason)


def link_outside(path: str, target: str, base: str) -> UnreadablePath:
    """Return a link that the finder does not follow."""
    return UnreadablePath(readable(path), PathKind.LINK, Reason("link_outside", target=target, base=base))


def not_copied(directory: str) -> list[UnreadablePath]:
    """Return the objects of a remote store that the directory that mirrors it does not have."""
    return [UnreadablePath(readable(path), PathKind.FILE, reason) for path, reason in mirror_problems(directory)]


def _reason(error: OSError) -> Reason:
    return Reason(CODES.get(error.errno or 0, "place_failing"), **os_reason(error))
