# SPDX-License-Identifier: Apache-2.0
"""Lines of a text file, which may hold a line of gigabytes."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from typing import Any, TextIO


def bounded_lines(file: TextIO, longest: int) -> Iterator[str | None]:
    """Yield the lines of a file with their ends; None in place of each with more than ``longest`` characters."""
    while line := file.readline(longest + 1):
        if len(line) <= longest:
            yield line
            continue
        while line and not line.endswith(("\n", "\r")):
            line = file.readline(longest)
        yield None


def csv_rows(file: TextIO, longest: int, *, skips_spaces: bool = False) -> Iterator[list[str] | None]:
    """Yield the cells of CSV; None in place of a row that can't be read, or has more than ``longest`` characters.

    ``skips_spaces`` leaves out spaces after a comma.
    """
    csv.field_size_limit(longest)
    lines: Any = (line and line.replace("\0", "") for line in bounded_lines(file, longest))
    while True:
        try:
            yield from csv.reader(lines, skipinitialspace=skips_spaces)
        except csv.Error:  # also of None in place of a line
            yield None
        else:
            return
