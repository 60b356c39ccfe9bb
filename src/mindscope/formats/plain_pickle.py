# SPDX-License-Identifier: Apache-2.0
"""Reads pickles of plain values without running any code."""

from __future__ import annotations

import os
import pickle
from contextlib import closing
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import IO, Any, NoReturn

from mindscope.errors import FormatError
from mindscope.formats._pickle_memo import scan_pickle
from mindscope.reasons import Reason


class _PlainUnpickler(pickle.Unpickler):
    """Allows dict, list, tuple, set, numbers, text, bytes and None, which need no global name."""

    def find_class(self, module: str, name: str, /) -> NoReturn:
        """Refuses each global: a pickle calls what it names."""
        raise FormatError(Reason("profile_pickle_names", name=f"{module}.{name}"))

    def persistent_load(self, pid: Any, /) -> NoReturn:
        """Refuses references to other files."""
        raise FormatError(Reason("profile_pickle_refers"))


def read_plain_pickle(path: Path, most_bytes: int | None = None) -> Any:
    """Return the value of a pickle of any protocol.

    Args:
        path: of the file.
        most_bytes: of memory that its values may take, about.

    Raises:
        FormatError: no pickle, one that is cut, too large, or that names a class or function.
        OSError: it can't be read.
    """
    try:
        with path.open("rb") as file:
            _check(file, path.name, most_bytes)
            return _PlainUnpickler(file).load()
    except (FormatError, OSError):
        raise
    except Exception as error:  # the unpickler raises many kinds for bytes that are no pickle
        raise FormatError(
            Reason("profile_pickle_damaged", file=path.name, detail=f"{type(error).__name__}: {error}")
        ) from error


def _check(file: IO[bytes], name: str, most_bytes: int | None) -> None:
    """Raises ValueError if a value has a higher number than the file has bytes: unpicklers keep room for all below.

    Raises FormatError if the values take too much memory.
    """
    size = os.fstat(file.fileno()).st_size
    if not size:
        return
    with closing(mmap(file.fileno(), 0, access=ACCESS_READ)) as data:
        greatest, memory = scan_pickle(data)
    if greatest > size:
        raise ValueError(f"it stores a value under the number {greatest}, a file of {size} bytes has fewer")
    if most_bytes is not None and memory > most_bytes:
        raise FormatError(Reason("pickle_too_large", file=name, size=memory, most=most_bytes))
