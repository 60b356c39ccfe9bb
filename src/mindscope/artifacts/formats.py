# SPDX-License-Identifier: Apache-2.0
"""Finds and reads files of several formats: a format is a row."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from mindscope.artifacts.format import Artifact, Format, Progress, no_progress
from mindscope.artifacts.rank_path import without_rank
from mindscope.errors import FormatError

T = TypeVar("T")
_MOST_NAMED = 8


def _nothing_else(path: Path) -> str:
    return ""


@dataclass(frozen=True)
class Formats(Generic[T]):
    """The formats of one kind of artifact, and how a directory is searched for them."""

    rows: tuple[Format[T], ...]
    """The first one that recognizes a path reads it."""
    depth: int
    """Directories below the one that is searched."""
    nothing: str = ""
    """Text for a path without artifacts, of which it takes ``path`` and ``titles``."""
    several: str = ""
    """Text for a path with several, of which it takes ``path``, ``count``, ``names`` and ``paths``."""
    of_rank: str = ""
    """Text for a path without artifacts of a rank, of which it takes ``path``, ``rank`` and ``names``."""
    other_content: Callable[[Path], str] = _nothing_else
    """Says what a file is that no row recognizes, and the remedy; empty if that is unknown. Raises OSError."""
    follows_links: bool = False
    """Whether links to files within the directory that is searched count; links to directories never do."""

    def recognize(self, path: Path, rank: int | None = None) -> Artifact[T] | None:
        """Return the artifact that a path is, or that of one of its ranks; None if it is none. Raises OSError."""
        return next((each for each in self._recognized(path) if each.rank == rank), None)

    def find(self, path: str | Path, others: Collection[str] = ()) -> Iterator[Artifact[T]]:
        """Yield the artifact that a path is, or all that a directory holds, in the order of their names.

        Directories within artifacts are searched only if their format ``holds`` them, and none of ``others``, such as
        the directories of other runs.

        Raises:
            OSError: the path can't be read. Unreadable entries of a directory are left out.
        """
        root = Path(path)
        root.stat()  # raises for a loop of links, too
        yield from self._find(root, _Search(root, root.resolve(), others), self.depth)

    def choose(self, path: str | Path, rank: int | None = None) -> Artifact[T]:
        """Return the only artifact of a path, which may end in a rank: ``runs/profiler#rank1``.

        Raises:
            FormatError: no format recognizes it, or it holds several artifacts, or none of the rank.
            OSError: it can't be read.
        """
        directory, named = without_rank(Path(path)) if self.of_rank else (Path(path), None)
        rank = named if rank is None else rank
        artifacts = list(self.find(directory))
        if not artifacts:
            titles = ", ".join(row.title for row in self.rows)
            raise FormatError(self.other_content(directory) or self.nothing.format(path=path, titles=titles))
        chosen = [
            artifact for artifact in artifacts if rank is None or _is_of(artifact, rank, is_alone=len(artifacts) == 1)
        ]
        if len(chosen) == 1:
            return chosen[0]
        if not chosen:
            raise FormatError(self.of_rank.format(path=path, rank=rank, names=_names(artifacts, directory)))
        names, paths = _names(chosen, directory), ", ".join(str(each.path) for each in chosen[:_MOST_NAMED])
        raise FormatError(self.several.format(path=path, count=len(chosen), names=names, paths=paths))

    def read(self, path: str | Path, on_progress: Progress = no_progress, rank: int | None = None) -> T:
        """Return the content of the only artifact of a path. Raises as ``choose``; FormatError for damage too."""
        return self.choose(path, rank).read(on_progress)

    def _recognized(self, path: Path) -> Sequence[Artifact[T]]:
        row = next((row for row in self.rows if row.recognizes(path)), None)
        if row is None:
            return ()
        ranks = row.ranks(path)
        return [Artifact(path, row, rank) for rank in (ranks if len(ranks) > 1 else (None,))]

    def _find(self, path: Path, search: _Search, depth: int) -> Iterator[Artifact[T]]:
        artifacts = self._recognized(path)
        yield from artifacts
        holds = artifacts[0].format.holds if artifacts else _anything if depth > 0 else None
        if holds is None or not path.is_dir() or search.is_other(path):
            return
        for entry in sorted(path.iterdir()):
            if holds(entry):
                yield from self._find_entry(entry, search, depth - 1)

    def _find_entry(self, path: Path, search: _Search, depth: int) -> Iterator[Artifact[T]]:
        try:
            if not path.is_symlink() or (self.follows_links and search.has_target(path)):
                yield from self._find(path, search, depth)
        except OSError:
            return


class _Search(NamedTuple):
    """The directory that is searched, where it really is, and the directories that are not."""

    root: Path
    resolved: Path
    others: Collection[str]

    def is_other(self, path: Path) -> bool:
        return bool(self.others) and path != self.root and str(path) in self.others

    def has_target(self, link: Path) -> bool:
        return link.is_file() and link.resolve().is_relative_to(self.resolved)


def _anything(path: Path) -> bool:
    return True


def _names(artifacts: Sequence[Artifact[T]], directory: Path) -> str:
    above = [directory.parent if artifact.path == directory else directory for artifact in artifacts[:_MOST_NAMED]]
    names = ", ".join(str(each.key.relative_to(root)) for each, root in zip(artifacts, above, strict=False))
    return f"{names}, ..." if len(artifacts) > _MOST_NAMED else names


def _is_of(artifact: Artifact[T], rank: int, *, is_alone: bool) -> bool:
    """Whether an artifact is that of a rank, as its files are named."""
    if artifact.rank is not None:
        return artifact.rank == rank
    ranks = artifact.format.ranks(artifact.path)
    return rank in ranks or (is_alone and not ranks)
