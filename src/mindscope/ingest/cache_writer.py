# SPDX-License-Identifier: Apache-2.0
"""A background thread that writes the cache after a load, so that readers need not wait for it."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from threading import Condition, Thread

from mindscope.ingest.run_loader import RunLoader

log = logging.getLogger(__name__)

DELAY_S = 0.3
"""Seconds to wait after a load: the first HTTP responses have priority."""


class CacheWriter:
    """Saves runs one after the other. Thread-safe; killing the process loses only work, never data."""

    def __init__(self) -> None:
        self._changed = Condition()  # guards everything below
        self._waiting: dict[RunLoader, None] = {}  # in the order of ``add``
        self._is_busy = False
        self._is_urgent = False  # a thread waits in wait_until_saved()
        self._is_stopped = False
        self._thread: Thread | None = None  # exists while runs wait

    def add(self, loaders: Iterable[RunLoader]) -> None:
        """Save these runs soon, in this order. Includes changes that occur before the save."""
        with self._changed:
            self._waiting.update(dict.fromkeys(loaders))
            if self._waiting and self._thread is None and not self._is_stopped:
                self._thread = Thread(target=self._save_all, name="mindscope-saver", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    def wait_until_saved(self) -> None:
        """Wait until all added runs are saved."""
        with self._changed:
            self._is_urgent = True
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._is_stopped or not (self._waiting or self._is_busy))
            self._is_urgent = False

    def stop(self) -> None:
        """Stop after the current run. Idempotent."""
        with self._changed:
            self._is_stopped = True
            self._changed.notify_all()
            thread = self._thread
        if thread is not None:
            thread.join()

    def _save_all(self) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._is_stopped or self._is_urgent, DELAY_S)
        while (loader := self._next()) is not None:
            try:
                loader.save()
            except Exception:
                log.exception("run %s could not be saved; it is read from its logs at the next start", loader.store.id)

    def _next(self) -> RunLoader | None:
        """Return the next run to save; None if the thread has to end: nothing waits, or after ``stop``."""
        with self._changed:
            self._is_busy = bool(self._waiting) and not self._is_stopped
            self._changed.notify_all()
            if not self._is_busy:
                self._thread = None
                return None
            loader = next(iter(self._waiting))
            del self._waiting[loader]
            return loader
