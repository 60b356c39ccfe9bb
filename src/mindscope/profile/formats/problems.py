# SPDX-License-Identifier: Apache-2.0
"""What could not be read of a profile of several files: every other file is read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from mindscope.errors import FormatError

_T = TypeVar("_T")


class Problems(dict[str, str]):
    """File -> what is wrong with it. Part of ``ProfileFacts.properties`` as ``problems``; grows as parts are read."""

    def read(self, path: Path | None, reader: Callable[[Path], _T]) -> _T | None:
        """What the reader makes of a file; None if there is none, or if it can't be read, which is noted."""
        if path is None:
            return None
        try:
            return reader(path)
        except (OSError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError) as error:
            is_known = isinstance(error, (FormatError, OSError))
            self[path.name] = str(error) if is_known else f"{type(error).__name__}: {error}"
            return None

    def skip(self, path: Path, count: int) -> None:
        """Note rows that could not be read."""
        if count:
            self.note(path.name, f"{count} rows could not be read")

    def note(self, name: str, text: str) -> None:
        """Add what is wrong with a file to what else is."""
        known = self.get(name, "")
        if text not in known:
            self[name] = f"{known}; {text}" if known else text
