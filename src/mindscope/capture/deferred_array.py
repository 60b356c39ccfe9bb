# SPDX-License-Identifier: Apache-2.0
"""Arrays that the recorder reads later, for example while they are copied from a device."""

from __future__ import annotations

import threading
from collections.abc import Callable

from mindscope.capture.array_conversion import Array


class DeferredArray:
    """An array whose content arrives later. ``add_value`` accepts it like any array and waits for it when writing.

    Args:
        size: bytes of the content.
        fetch: waits for the content and returns it, C-ordered, in memory that no longer changes. A thread of the
            recorder calls it.
        on_release: takes back the memory after the content was recorded; None if the memory is not reused.
    """

    def __init__(
        self, size: int, fetch: Callable[[], Array], on_release: Callable[[Array], None] | None = None
    ) -> None:
        self.size = size
        self._on_release = on_release
        self._lock = threading.Lock()  # guards both fields below
        self._fetch: Callable[[], Array] | None = fetch  # None once the content is here
        self._content: Array | None = None

    def wait(self) -> Array:
        """Return the content. Thread-safe. Raises any exception of ``fetch``."""
        with self._lock:
            if self._fetch is not None:
                self._content = self._fetch()
                self._fetch = None
            assert self._content is not None
            return self._content

    def release(self) -> None:
        """Declare that the content is no longer used."""
        if self._on_release is not None and self._content is not None:
            self._on_release(self._content)
