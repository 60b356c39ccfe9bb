# SPDX-License-Identifier: Apache-2.0
"""Describes a format of files: how to recognize it, and how to read it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from mindscope.artifacts.problems import readable
from mindscope.artifacts.rank_path import with_rank

T = TypeVar("T")
Progress = Callable[[int], None]
"""Called with the bytes of a file that are read."""


def no_progress(read: int) -> None:
    """Ignores progress."""


def _no_ranks(path: Path) -> Sequence[int]:
    return ()


def _no_steps(path: Path) -> tuple[int, int] | None:
    return None


@dataclass(frozen=True)
class Format(Generic[T]):
    """One way in which a program writes files: a row of ``Formats``."""

    name: str
    """Stable: ``torch_trace``"""
    title: str
    """Name that users call the format by."""
    recognizes: Callable[[Path], bool]
    """Whether a file or directory has this format. Reads names and beginnings of files only; may raise OSError."""
    read: Callable[[Path, Progress], T]
    """Raises FormatError for content that is not of this format, OSError."""
    ranks: Callable[[Path], Sequence[int]] = _no_ranks
    """Ranks of which one directory holds files; empty where a path is one artifact. Raises OSError."""
    steps: Callable[[Path], tuple[int, int] | None] = _no_steps
    """The first and last step of the training that the beginning of a file names. Raises OSError."""
    read_rank: Callable[[Path, int, Progress], T] | None = None
    """Reads one of ``ranks``, as ``read``."""
    holds: Callable[[Path], bool] | None = None
    """Whether an entry of a directory of this format may be, or hold, another artifact; None for no entry."""


@dataclass(frozen=True)
class Artifact(Generic[T]):
    """A file or directory, and the format that recognized it."""

    path: Path
    format: Format[T]
    rank: int | None = None
    """Rank of a directory that holds files of several ranks, each of which is an artifact; else None."""

    @property
    def key(self) -> Path:
        """The path, with the rank if it holds several: ``runs/profiler#rank1``."""
        return with_rank(self.path, self.rank)

    def read(self, on_progress: Progress = no_progress) -> T:
        """Return the content. Raises FormatError if it is damaged beyond reading, OSError."""
        with readable(self.key):
            if self.rank is None or self.format.read_rank is None:
                return self.format.read(self.path, on_progress)
            return self.format.read_rank(self.path, self.rank, on_progress)
