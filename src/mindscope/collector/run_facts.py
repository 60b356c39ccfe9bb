# SPDX-License-Identifier: Apache-2.0
"""Finds the automatic lineage fields of a training, by name; each name can be switched off."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from threading import Thread
from typing import Any, TypeAlias

from mindscope.collector.lineage_fields import storable

Find: TypeAlias = Callable[[], Mapping[str, Any]]
Attempt: TypeAlias = Callable[[str, Callable[[], Any]], Any]
"""Calls a function for a subject; logs a failure and returns None."""


class BackgroundFind:
    """Runs a slow function on a thread, so that the training does not wait for it."""

    def __init__(self, find: Find) -> None:
        self._find = find
        self._found: Mapping[str, Any] = {}
        self._error: Exception | None = None
        self._thread: Thread | None = None

    def start(self) -> None:
        """Start the thread, once."""
        if self._thread is None:
            self._thread = Thread(target=self._run, name="mindscope-facts", daemon=True)
            self._thread.start()

    def is_done(self, timeout: float) -> bool:
        """Return whether the result is there, after at most ``timeout`` seconds."""
        if self._thread is not None:
            self._thread.join(timeout)
        return self._thread is not None and not self._thread.is_alive()

    def __call__(self) -> Mapping[str, Any]:
        """Return the result. Raises what the function raised."""
        if self._error is not None:
            raise self._error
        return self._found

    def _run(self) -> None:
        try:
            self._found = self._find()
        except Exception as error:
            self._error = error


Facts: TypeAlias = Mapping[str, Find | BackgroundFind]
"""Functions that find lineage fields, by the name that switches them off."""


class RunFacts:
    """The fields of the wanted names. One that fails or is slow does not affect the others."""

    def __init__(self, wanted: frozenset[str], attempt: Attempt) -> None:
        self._wanted = wanted
        self._attempt = attempt
        self._pending: dict[str, Find | BackgroundFind] = {}

    def begin(self, facts: Facts) -> None:
        """Start the functions that run in the background, as a training begins."""
        self._pending = {name: find for name, find in facts.items() if name in self._wanted}
        for find in self._pending.values():
            if isinstance(find, BackgroundFind):
                find.start()

    def take(self, timeout: float = 0) -> dict[str, Any]:
        """Return the fields that were found since the last call.

        It waits for the slow ones at most ``timeout`` seconds each.
        """
        if not self._pending:
            return {}
        fields: dict[str, Any] = {}
        for name, find in list(self._pending.items()):
            if not isinstance(find, BackgroundFind) or find.is_done(timeout):
                del self._pending[name]
                fields |= self._attempt(name.replace("_", " "), lambda find=find: storable(find())) or {}
        return fields
