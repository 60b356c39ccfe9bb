# SPDX-License-Identifier: Apache-2.0
"""The runs that the tools of one server read."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from threading import RLock, Thread
from typing import TYPE_CHECKING

from mindscope import alerts
from mindscope.errors import RunNotFoundError
from mindscope.ingest import Catalog
from mindscope.reading.open import directory_of
from mindscope.reading.run import Run
from mindscope.reading.runs import Runs

if TYPE_CHECKING:  # a server answers before it imports what checks runs
    from mindscope.alerts import Monitor

_LEAST_AGE_S = 1.0
_REFRESH_SHARE = 20
"""Looking for new runs takes at most this part of the time."""


class AgentSession:
    """The runs below a base directory, current at each call, and what the tools keep of them. Nothing is written."""

    def __init__(self, base: str | Path, *, follow_links: bool = False) -> None:
        """Raises RunNotFoundError if ``base`` is no directory and no archive."""
        self.catalog = Catalog(directory_of(base), follow_links=follow_links)
        self.lock = RLock()
        """Hold it while a tool runs: the parts below are for one thread at a time."""
        self._runs = Runs(self.catalog)
        self._next_refresh = 0.0

    @cached_property
    def monitor(self) -> Monitor:
        """Checks runs for problems; it has no alerts of a run before its first update."""
        return alerts.Monitor(self.catalog)

    def begin(self) -> None:
        """Begin to read the logs on a thread, so that the first tool waits less."""
        Thread(target=self.runs, name="mcp-reader", daemon=True).start()

    def runs(self) -> Runs:
        """Return all runs, with the data that is new."""
        with self.lock:
            began = time.monotonic()
            if began < self._next_refresh:
                self.catalog.poll()
                return self._runs
            self.catalog.refresh()
            now = time.monotonic()
            self._next_refresh = now + max(_LEAST_AGE_S, _REFRESH_SHARE * (now - began))
            return self._runs

    def run(self, id: str) -> Run:
        """Return a run. Raises RunNotFoundError, which names similar ids."""
        return self.runs()[id]

    def matching(self, pattern: str) -> list[str]:
        """Return the ids that a pattern selects: ``*`` and ``?`` match characters, other texts match as a part."""
        return matching(pattern, self.runs())

    def chosen(self, patterns: Sequence[str]) -> list[str]:
        """Return the ids of runs that are named exactly, or else selected by patterns with ``*`` and ``?``.

        Raises RunNotFoundError for a name or a pattern without a run.
        """
        runs = self.runs()
        ids: dict[str, None] = {}
        for pattern in patterns:
            selected = [pattern] if pattern in runs or not _is_pattern(pattern) else matching(pattern, runs)
            if not selected:
                raise RunNotFoundError(f"no run matches {pattern!r}: list_runs lists the runs.")
            ids.update(dict.fromkeys(selected if len(selected) > 1 else [runs[selected[0]].id]))
        return list(ids)


def matching(pattern: str, names: Iterable[str]) -> list[str]:
    """Return the names that match a pattern, in any case; without ``*`` and ``?`` it may be any part of them."""
    lower = pattern.lower()
    if not _is_pattern(pattern):
        return [name for name in names if lower in name.lower()]
    return [name for name in names if fnmatchcase(name.lower(), lower.replace("[", "[[]"))]


def _is_pattern(text: str) -> bool:
    return "*" in text or "?" in text
