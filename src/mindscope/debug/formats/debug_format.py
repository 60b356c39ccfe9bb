# SPDX-License-Identifier: Apache-2.0
"""Describes a format of debugging data: how to recognize it, and how to read it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from mindscope.debug.formats.recorded_steps import RecordedSteps


@dataclass(frozen=True, slots=True)
class DebugFormat:
    """One way in which a tool writes tensors or their statistics."""

    name: str
    """Stable: ``mindspore_dump``"""
    title: str
    """Name that users call the format by."""
    recognizes: Callable[[Path], bool]
    """Whether a directory or file holds debugging data of this format. Reads names and beginnings of files only; may
    raise OSError."""
    read: Callable[[Path], RecordedSteps]
    """Raises FormatError for content that is not of this format, OSError."""
