# SPDX-License-Identifier: Apache-2.0
"""Detects network file systems: SQLite's write-ahead log needs shared memory, so all writers must be on one machine."""

from __future__ import annotations

import re
from pathlib import Path

SHARED = re.compile(
    r"nfs.*|cifs|smb.*|lustre|gpfs|beegfs|ceph|afs|9p|virtiofs|ocfs2|gfs2|glusterfs|panfs|fuse\.(?!fuseblk).*", re.ASCII
)
"""Types of file systems that several machines may mount, and unknown FUSE types."""
MOUNTS = Path("/proc/self/mounts")


def shared_type(path: Path, mounts: Path = MOUNTS) -> str | None:
    """Return the type of the file system of ``path`` if it is a shared one; None if the system does not list its
    mounts.
    """
    try:
        table = [line.split(" ") for line in mounts.read_text("utf-8", "surrogateescape").splitlines()]
    except OSError:
        return None
    resolved = path.resolve()
    known = [(Path(_unescaped(entry[1])), entry[2]) for entry in table if len(entry) > 2]
    around = [(len(point.parts), kind) for point, kind in known if resolved.is_relative_to(point)]
    kind = max(around, key=lambda mount: mount[0])[1] if around else ""
    return kind if SHARED.fullmatch(kind) else None


def _unescaped(point: str) -> str:
    """Decode octal escapes, which a mount table uses for spaces and similar characters."""
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), point)
