# SPDX-License-Identifier: Apache-2.0
"""Values that a recorder looks at later: snapshots, and what is still on its way from a device."""

from __future__ import annotations

import threading
from collections.abc import Callable

from mindscope.capture.array_conversion import Array


class DeferredArray:
    """An array whose content comes later. ``add_value`` takes it like any array, and looks at it when it is there.

    Args:
        size: bytes of the content.
        fetch: waits for the content and returns it, C-ordered, in memory that nobody changes any more. It is called
            on a thread of the recorder.
        on_release: takes the memory back when the content was recorded; None where nobody uses it again.
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
        """The content. Any thread may call it. Raises whatever fetching it raises."""
        with self._lock:
            if self._fetch is not None:
                self._content = self._fetch()
                self._fetch = None
            assert self._content is not None
            return self._content

    def release(self) -> None:
        """Say that nobody looks at the content any more."""
        if self._on_release is not None and self._content is not None:
            self._on_release(self._content)
