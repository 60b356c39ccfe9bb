# SPDX-License-Identifier: Apache-2.0
"""Says what is wrong with files: everything else is read."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import TypeVar

from mindscope.errors import FormatError, MindscopeError
from mindscope.reasons import UNCODED, Reason, os_reason, reason_of

_T = TypeVar("_T")
_MOST = 1000
_NOTED = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
DAMAGE = (*_NOTED, MemoryError)
"""Errors that values of other types and sizes than expected raise: those of a damaged file may have any."""

_log = logging.getLogger(__name__)


@contextmanager
def readable(path: Path) -> Generator[None]:
    """Raises FormatError instead of ``DAMAGE``, so that one file costs no other one. The log has the traceback."""
    try:
        yield
    except MindscopeError:
        raise
    except DAMAGE as error:
        _log.warning("%s can't be read", path, exc_info=True)
        raise FormatError(f"{path.name} can't be read: {text_of_damage(error)}") from error


def text_of_damage(error: BaseException) -> str:
    """Return the type and the text of an error."""
    return f"{type(error).__name__}: {error}"


def problem_of(error: Exception) -> Reason:
    """Return why a file can't be read, without its name."""
    if isinstance(error, OSError):
        return Reason("profile_file_unreadable", **os_reason(error))
    reason = reason_of(error)
    if reason.code != UNCODED or isinstance(error, FormatError):
        return reason
    return Reason("profile_file_failed", error=type(error).__name__, detail=str(error))


class Problems(dict[str, Reason]):
    """File -> what is wrong with it. A further reason of ``a.csv`` is that of ``a.csv (2)``.

    It grows as files are read, and keeps the first 1000.
    """

    def __init__(
        self,
        word: Callable[[Path, Exception], Reason] = lambda path, error: problem_of(error),
        name: Callable[[Path], str] = lambda path: path.name,
    ) -> None:
        """``word`` says why a file can't be read, ``name`` is the key of a path."""
        super().__init__()
        self._word, self._name = word, name

    def read(self, path: Path | None, reader: Callable[[Path], _T]) -> _T | None:
        """Return what the reader makes of a file; None if there is none, or if it can't be read, which is noted."""
        if path is not None:
            with self.noted(path):
                return reader(path)
        return None

    @contextmanager
    def noted(self, path: Path) -> Generator[None]:
        """End the body at what prevents the reading of a file, which is noted."""
        try:
            yield
        except (OSError, *_NOTED) as error:
            self.note(self._name(path), self._word(path, error))

    def note(self, file: Path | str, reason: Reason) -> None:
        """Add what is wrong with a file to what else is."""
        names = (f"{file} ({number})" if number > 1 else str(file) for number in count(1))
        name = next(name for name in names if self.get(name, reason) == reason)
        if len(self) < _MOST:
            self[name] = reason
