# SPDX-License-Identifier: Apache-2.0
"""Disables garbage collection while many objects are made."""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def gc_disabled() -> Generator[None]:
    """Disable garbage collection in a ``with`` block: 10,000 new runs are many objects, and all of them stay alive."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
