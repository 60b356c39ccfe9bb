# SPDX-License-Identifier: Apache-2.0
"""Describes a format of profiles: how to recognize it, and how to read it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from mindscope.profile.profile import Profile

Progress = Callable[[int], None]
"""Called with the bytes of a file that are read."""


def no_progress(read: int) -> None:
    """Ignores progress."""


def _no_ranks(path: Path) -> Sequence[int]:
    return ()


def _no_steps(path: Path) -> tuple[int, int] | None:
    return None


def _holds_none(path: Path) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class ProfileFormat:
    """One way in which a profiler writes."""

    name: str
    """Stable: ``torch_trace``"""
    title: str
    """Name that users call the format by."""
    recognizes: Callable[[Path], bool]
    """Whether a file or directory is a profile of this format. Reads at most the beginning of files; may raise
    OSError."""
    read: Callable[[Path, Progress], Profile]
    """Raises FormatError for content that is not of this format, OSError."""
    ranks: Callable[[Path], Sequence[int]] = _no_ranks
    """Ranks of which one directory holds files; empty where a path is one profile. Raises OSError."""
    steps: Callable[[Path], tuple[int, int] | None] = _no_steps
    """The first and last step of the training that the beginning of a file names. Raises OSError."""
    read_rank: Callable[[Path, int, Progress], Profile] | None = None
    """Reads one of ``ranks``, as ``read``."""
    holds: Callable[[Path], bool] = _holds_none
    """Whether a directory within a profile of this format may be another profile."""
