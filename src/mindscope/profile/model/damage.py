# SPDX-License-Identifier: Apache-2.0
"""Lists what damaged profiles raise: their values may have any type and size, wherever a reader uses them."""

from __future__ import annotations

import logging
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from mindscope.errors import FormatError, MindscopeError

DAMAGE = (ArithmeticError, AttributeError, LookupError, MemoryError, RecursionError, TypeError, ValueError)
"""Errors that values of other types and sizes than expected raise."""

_log = logging.getLogger(__name__)


@contextmanager
def readable(path: Path) -> Generator[None]:
    """Raises FormatError instead of ``DAMAGE``, so that one profile costs no other one. The log has the place."""
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
