# SPDX-License-Identifier: Apache-2.0
"""Describes what indexes of logs have in common, whatever their files are."""

from __future__ import annotations

from pathlib import Path

from mindscope.debug.formats.print_file import is_print_file
from mindscope.debug.logs.index import LogIndex
from mindscope.debug.logs.print_index import PrintIndex

MessageIndex = LogIndex | PrintIndex


def open_index(path: Path, folder: Path | None = None) -> MessageIndex:
    """Return the index of a log, or of a print file. ``folder`` as of ``LogIndex``. Raises OSError."""
    return PrintIndex(path) if path.exists() and is_print_file(path) else LogIndex(path, folder)
