# SPDX-License-Identifier: Apache-2.0
"""Reads the bytes of a value from its event file."""

from __future__ import annotations

from io import BufferedReader
from pathlib import Path
from typing import NamedTuple

from mindscope.archive.mounts import open_file
from mindscope.errors import FormatError
from mindscope.reasons import Reason
from mindscope.types import DialectName, Kind


class EncodedValue(NamedTuple):
    """A value that is not read yet: ``length`` bytes from byte ``offset`` of a file."""

    path: Path
    dialect: DialectName
    kind: Kind
    offset: int
    length: int


def read_encoded(path: str | Path, offset: int, length: int) -> bytes:
    """Read ``length`` bytes at ``offset`` of a file.

    Raises FormatError if the file is too short, OSError if it is missing or not readable.
    """
    with BufferedReader(open_file(path)) as file:
        size = file.seek(0, 2)
        if offset < 0 or length < 0 or offset + length > size:
            raise FormatError(Reason("value_cut", file=str(path), offset=offset, end=offset + length, size=size))
        file.seek(offset)
        return file.read(length)
