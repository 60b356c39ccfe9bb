# SPDX-License-Identifier: Apache-2.0
"""Values by reference: read the bytes again where they stand."""

from __future__ import annotations

from pathlib import Path

from mindscope.errors import FormatError


def read_encoded(path: str | Path, offset: int, length: int) -> bytes:
    """Read ``length`` bytes at ``offset`` of a file.

    Raises FormatError when the file has become shorter, OSError when it is gone or may not be read.
    """
    with Path(path).open("rb") as file:
        size = file.seek(0, 2)
        if offset < 0 or length < 0 or offset + length > size:
            raise FormatError(
                f"value at bytes {offset} to {offset + length} of {path}: the file now ends at byte {size}; "
                "refresh the run to read it anew"
            )
        file.seek(offset)
        return file.read(length)
