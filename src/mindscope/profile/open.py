# SPDX-License-Identifier: Apache-2.0
"""Opens profiles of any format."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from mindscope.errors import FormatError
from mindscope.profile.formats import FORMATS
from mindscope.profile.formats.profile_format import ProfileFormat, Progress, no_progress
from mindscope.profile.profile import Profile

_DEPTH = 4
"""Directories below the one that is searched, as of ``plugins/profile/TIME/``."""


class FoundProfile(NamedTuple):
    """A file or directory, and the format that recognized it."""

    path: Path
    format: ProfileFormat


def read_profile(path: str | Path, on_progress: Progress = no_progress) -> Profile:
    """The profile in a file or directory; its format is recognized.

    Args:
        path: of the profile itself, or of a directory that holds one profile.
        on_progress: called with the bytes of the file that are read.

    Raises:
        FormatError: no format recognizes it, the directory holds several profiles, or the content is damaged
            beyond reading.
        OSError: it can't be read.
    """
    found = list(find_profiles(path))
    if not found:
        titles = ", ".join(each.title for each in FORMATS)
        raise FormatError(f"{path} is no profile: want one of {titles}")
    if len(found) > 1:
        names = ", ".join(str(each.path.relative_to(path)) for each in found[:8])
        more = ", ..." if len(found) > 8 else ""
        raise FormatError(f"{path} holds {len(found)} profiles, choose one: {names}{more}")
    return found[0].format.read(found[0].path, on_progress)


def find_profiles(path: str | Path) -> Iterator[FoundProfile]:
    """The profile that a path is, or all that a directory holds, in the order of their names.

    Directories within profiles are not searched, and no links that lead out of the directory or to directories.

    Raises:
        OSError: the path can't be read. Unreadable entries of a directory are left out.
    """
    root = Path(path)
    yield from _find(root, root.resolve(), _DEPTH)


def _find(path: Path, root: Path, depth: int) -> Iterator[FoundProfile]:
    path.stat()  # raises for a path that is not there
    for each in FORMATS:
        if each.recognizes(path):
            yield FoundProfile(path, each)
            return
    if depth and path.is_dir():
        for entry in sorted(path.iterdir()):
            yield from _readable(entry, root, depth - 1)


def _readable(path: Path, root: Path, depth: int) -> Iterator[FoundProfile]:
    try:
        if not path.is_symlink() or (path.is_file() and path.resolve().is_relative_to(root)):
            yield from _find(path, root, depth)
    except OSError:
        return
