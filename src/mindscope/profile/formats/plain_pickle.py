# SPDX-License-Identifier: Apache-2.0
"""Reads pickles of plain values without running any code."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any, NoReturn

from mindscope.errors import FormatError


class _PlainUnpickler(pickle.Unpickler):
    """Allows dict, list, tuple, set, numbers, text, bytes and None, which need no global name."""

    def find_class(self, module: str, name: str, /) -> NoReturn:
        """Refuses each global: a pickle calls what it names."""
        raise FormatError(f"it names {module}.{name}, want plain values only; nothing of it was run")

    def persistent_load(self, pid: Any, /) -> NoReturn:
        """Refuses references to other files."""
        raise FormatError("it refers to objects outside of it, want plain values only")


def read_plain_pickle(path: Path) -> Any:
    """The value of a pickle of any protocol.

    Raises:
        FormatError: no pickle, one that is cut, or one that names a class or function.
        OSError: it can't be read.
    """
    try:
        with path.open("rb") as file:
            return _PlainUnpickler(file).load()
    except FormatError as error:
        raise FormatError(f"{path.name}: {error}") from error
    except OSError:
        raise
    except Exception as error:  # the unpickler raises many kinds for bytes that are no pickle
        raise FormatError(f"{path.name} is no whole pickle: {type(error).__name__}: {error}") from error
