# SPDX-License-Identifier: Apache-2.0
"""Returns the memory of a large response to the system."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import cast


def release_free_memory() -> None:
    """Return the free pages of the allocator to the system. glibc keeps them otherwise; other systems do not."""
    trim = _malloc_trim()
    if trim is not None:
        trim(0)


@cache
def _malloc_trim() -> Callable[[int], int] | None:
    try:
        return cast("Callable[[int], int]", ctypes.CDLL(None).malloc_trim)
    except (AttributeError, OSError, TypeError):
        return None
