# SPDX-License-Identifier: Apache-2.0
"""Collects what could not be read of debugging data: everything else is read."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, TypeVar

from mindscope.errors import FormatError
from mindscope.reasons import Reason, os_reason, reason_of

_T = TypeVar("_T")
_MOST = 1000


class Problem(NamedTuple):
    """A file, and what is wrong with it."""

    path: str
    reason: Reason


class Problems:
    """The problems, once each, in the order of discovery. It grows as steps are read, and keeps the first 1000."""

    def __init__(self) -> None:
        self._found: dict[Problem, None] = {}

    def __iter__(self) -> Iterator[Problem]:
        return iter(tuple(self._found))

    def __len__(self) -> int:
        return len(self._found)

    def note(self, path: Path | str, reason: Reason) -> None:
        """Add what is wrong with a file."""
        if len(self._found) < _MOST:
            self._found[Problem(str(path), reason)] = None

    def read(self, path: Path, reader: Callable[[Path], _T]) -> _T | None:
        """Return what the reader makes of a file; None if it can't be read, which is noted."""
        with self.noted(path):
            return reader(path)
        return None

    @contextmanager
    def noted(self, path: Path) -> Generator[None]:
        """End the body at what prevents the reading of a file, which is noted."""
        try:
            yield
        except OSError as error:
            self.note(path, Reason("debug_file_unreadable", file=path.name, **os_reason(error)))
        except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError) as error:
            known = reason_of(error) if isinstance(error, FormatError) else f"{type(error).__name__}: {error}"
            detail = str(known)
            self.note(path, Reason("debug_file_damaged", file=path.name, detail=detail))
