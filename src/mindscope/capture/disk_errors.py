# SPDX-License-Identifier: Apache-2.0
"""Adds path and remedy to file system errors."""

from __future__ import annotations

import errno
from pathlib import Path

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_DENIED = (errno.EACCES, errno.EPERM, errno.EROFS)


def disk_error(error: OSError, path: Path) -> OSError:
    """Return ``error`` with the path that could not be written and the remedy, of the same class."""
    return type(error)(error.errno, f"{_reason(error)}: events can't be written to {path}; {_remedy(error)}")


def directory_error(error: OSError, path: Path) -> OSError:
    """Return ``error`` with the directory that could not be created and the remedy, of the same class."""
    return type(error)(error.errno, f"{_reason(error)}: directory {path} can't be made; {_remedy(error)}")


def _reason(error: OSError) -> str:
    return error.strerror or str(error)


def _remedy(error: OSError) -> str:
    if error.errno in _FULL:
        return "free space or raise the quota there; recording resumes automatically"
    if error.errno in _DENIED:
        return "check its permissions, or choose a directory that this user can write to"
    if error.errno in (errno.ENOTDIR, errno.EEXIST):
        return "a file has the name of one of its directories; choose another path"
    if error.errno in (errno.EMFILE, errno.ENFILE):
        return "close files, or raise the limit, such as with 'ulimit -n'; recording resumes automatically"
    if error.errno == errno.ENAMETOOLONG:
        return "choose a shorter path"
    return "check that its disk is there and writable, or choose another directory"
