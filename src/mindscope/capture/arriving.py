# SPDX-License-Identifier: Apache-2.0
"""Values that are still on their way from a device."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from mindscope.capture.values import Array


class Arriving:
    """An array of known shape and type whose content comes later. ``add_value`` takes it like any array.

    Args:
        shape: of the array.
        dtype: of the array.
        fetch: waits for the content and returns it, C-ordered, in memory that nobody changes any more. It is called
            on a thread of the recorder.
    """

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype[Any], fetch: Callable[[], Array]) -> None:
        self._shape, self._dtype = shape, dtype
        self._lock = threading.Lock()  # guards both fields below
        self._fetch: Callable[[], Array] | None = fetch  # None once the content is here
        self._content: Array | None = None

    @property
    def form(self) -> Array:
        """An array of the same shape and type, without content and without memory of its own."""
        return np.broadcast_to(np.zeros((), self._dtype), self._shape)

    def wait(self) -> Array:
        """The content. Any thread may call it. Raises whatever fetching it raises."""
        with self._lock:
            if self._fetch is not None:
                self._content = self._fetch()
                self._fetch = None
            assert self._content is not None
            return self._content
