# SPDX-License-Identifier: Apache-2.0
"""Whether other machines may have the same file open: SQLite's write-ahead log needs memory that all writers share."""

from __future__ import annotations

import re
from pathlib import Path

SHARED = re.compile(
    r"nfs.*|cifs|smb.*|lustre|gpfs|beegfs|ceph|afs|9p|virtiofs|ocfs2|gfs2|glusterfs|panfs|fuse\.(?!fuseblk).*", re.ASCII
)
"""Types of file systems that several machines mount, or of which nobody knows."""
MOUNTS = Path("/proc/self/mounts")


def is_shared(path: Path, mounts: Path = MOUNTS) -> bool:
    """Whether ``path`` is on a file system of a kind that machines share; False where the system doesn't tell."""
    try:
        table = [line.split(" ") for line in mounts.read_text("utf-8", "surrogateescape").splitlines()]
    except OSError:
        return False
    resolved = path.resolve()
    known = [(Path(_unescaped(entry[1])), entry[2]) for entry in table if len(entry) > 2]
    around = [(len(point.parts), kind) for point, kind in known if resolved.is_relative_to(point)]
    return bool(around) and SHARED.fullmatch(max(around, key=lambda mount: mount[0])[1]) is not None


def _unescaped(point: str) -> str:
    """Spaces and the like stand in a mount table as octal numbers."""
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), point)
