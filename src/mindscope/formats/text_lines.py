# SPDX-License-Identifier: Apache-2.0
"""Lines of a text file, which may hold a line of gigabytes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO


def bounded_lines(file: TextIO, longest: int) -> Iterator[str | None]:
    """Yield the lines of a file with their ends; None in place of each with more than ``longest`` characters."""
    while line := file.readline(longest + 1):
        if len(line) <= longest:
            yield line
            continue
        while line and not line.endswith(("\n", "\r")):
            line = file.readline(longest)
        yield None
