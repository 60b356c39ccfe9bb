# SPDX-License-Identifier: Apache-2.0
"""Opens profiles of any format."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from mindscope.artifacts.rank_path import with_rank, without_rank
from mindscope.errors import FormatError
from mindscope.profile.formats import FORMATS
from mindscope.profile.formats.other_content import other_content
from mindscope.profile.formats.profile_format import ProfileFormat, Progress, no_progress
from mindscope.profile.model.damage import readable
from mindscope.profile.profile import Profile

_MOST_NAMED = 8
_DEPTH = 4
"""Directories below the one that is searched, as of ``plugins/profile/TIME/``."""


class FoundProfile(NamedTuple):
    """A file or directory, and the format that recognized it."""

    path: Path
    format: ProfileFormat
    rank: int | None = None
    """Rank of a directory that holds files of several ranks, each of which is a profile; else None."""

    @property
    def key(self) -> Path:
        """The path, with the rank if it holds several: ``runs/profiler#rank1``."""
        return with_rank(self.path, self.rank)

    def read(self, on_progress: Progress = no_progress) -> Profile:
        """Return the profile. Raises FormatError if it is damaged beyond reading, OSError."""
        with readable(self.key):
            if self.rank is None or self.format.read_rank is None:
                return self.format.read(self.path, on_progress)
            return self.format.read_rank(self.path, self.rank, on_progress)


def read_profile(path: str | Path, on_progress: Progress = no_progress, rank: int | None = None) -> Profile:
    """Return the profile in a file or directory; its format is recognized.

    Args:
        path: of the profile itself, or of a directory that holds one profile. ``profiler#rank1`` is that of one rank in
            a directory that holds files of several.
        on_progress: called with the bytes of the file that are read.
        rank: of several ranks, the one to read.

    Raises:
        FormatError: no format recognizes it, the directory holds several profiles, or the content is damaged
            beyond reading.
        OSError: it can't be read.
    """
    directory, named = without_rank(Path(path))
    rank = named if rank is None else rank
    found = list(find_profiles(directory))
    if not found:
        titles = ", ".join(each.title for each in FORMATS)
        raise FormatError(other_content(directory) or f"{path} is no profile: want one of {titles}")
    chosen = found if rank is None else [each for each in found if _is_of(each, rank, is_alone=len(found) == 1)]
    if len(chosen) == 1:
        return chosen[0].read(on_progress)
    if not chosen:
        raise FormatError(f"{path} holds no profile of rank {rank}, it holds {_names(found, directory)}")
    raise FormatError(f"{path} holds {len(chosen)} profiles, choose one: {_names(chosen, directory)}")


def find_profiles(path: str | Path) -> Iterator[FoundProfile]:
    """Yield the profile that a path is, or all that a directory holds, in the order of their names.

    Directories within profiles are not searched, and no links that lead out of the directory or to directories.

    Raises:
        OSError: the path can't be read. Unreadable entries of a directory are left out.
    """
    root = Path(path)
    root.stat()  # raises for a loop of links, too
    yield from _find(root, root.resolve(), _DEPTH)


def _find(path: Path, root: Path, depth: int) -> Iterator[FoundProfile]:
    for each in FORMATS:
        if each.recognizes(path):
            ranks = each.ranks(path)
            for rank in ranks if len(ranks) > 1 else (None,):
                yield FoundProfile(path, each, rank)
            for entry in sorted(path.iterdir()) if path.is_dir() else ():
                if each.holds(entry):
                    yield from _readable(entry, root, depth - 1)
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


def _names(profiles: Sequence[FoundProfile], directory: Path) -> str:
    above = [directory.parent if each.path == directory else directory for each in profiles[:_MOST_NAMED]]
    names = ", ".join(str(each.key.relative_to(root)) for each, root in zip(profiles, above, strict=False))
    return f"{names}, ..." if len(profiles) > _MOST_NAMED else names


def _is_of(found: FoundProfile, rank: int, is_alone: bool) -> bool:
    """Whether a profile is that of a rank, as its files are named."""
    if found.rank is not None:
        return found.rank == rank
    ranks = found.format.ranks(found.path)
    return rank in ranks or (is_alone and not ranks)
