# SPDX-License-Identifier: Apache-2.0
"""What a format of profiles consists of: how to recognize it, and how to read it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from mindscope.profile.profile import Profile

Progress = Callable[[int], None]
"""Called with the bytes of a file that are read."""


def no_progress(read: int) -> None:
    """Ignores progress."""


@dataclass(frozen=True, slots=True)
class ProfileFormat:
    """One way in which a profiler writes."""

    name: str
    """Stable: ``torch_trace``"""
    title: str
    """What users call it."""
    recognizes: Callable[[Path], bool]
    """Whether a file or directory is a profile of this format. Reads at most the beginning of files; may raise
    OSError."""
    read: Callable[[Path, Progress], Profile]
    """Raises FormatError for content that is not of this format, OSError."""
