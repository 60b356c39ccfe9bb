# SPDX-License-Identifier: Apache-2.0
"""Words what could not be read of debugging data: everything else is read."""

from __future__ import annotations

from pathlib import Path

from mindscope.artifacts.problems import Problems, text_of_damage
from mindscope.errors import FormatError
from mindscope.reasons import Reason, os_reason, reason_of


def debug_problems() -> Problems:
    """Return an empty collection: path -> what is wrong with a file."""
    return Problems(_word, str)


def _word(path: Path, error: Exception) -> Reason:
    if isinstance(error, OSError):
        return Reason("debug_file_unreadable", file=path.name, **os_reason(error))
    detail = str(reason_of(error)) if isinstance(error, FormatError) else text_of_damage(error)
    return Reason("debug_file_damaged", file=path.name, detail=detail)
