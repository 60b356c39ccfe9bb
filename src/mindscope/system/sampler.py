# SPDX-License-Identifier: Apache-2.0
"""One thread of a process that samples system metrics for every recorder that wants them."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from mindscope.system.names import SYSTEM_PREFIX
from mindscope.system.switch import is_switched_on

if TYPE_CHECKING:
    from mindscope.system.sources import Source

INTERVAL_S = 10.0
"""Seconds between two samples."""
FIRST_S = 1.0
"""Seconds until the first sample: rates need some time."""
VARIABLE = "MINDSCOPE_SYSTEM_METRICS"
"""Environment variable that switches system metrics off for a process and its children: 0, false, no or off."""

Record = Callable[[Mapping[str, float]], None]
_LOG = logging.getLogger("mindscope")


def are_wanted() -> bool:
    """Return whether the environment leaves system metrics on."""
    return is_switched_on(VARIABLE)


class SystemSampler:
    """Samples while at least one recorder is added. Any thread may add and remove; failures end in the log.

    The thread holds the interpreter for less than a millisecond a sample. A forked child has no thread until it adds a
    recorder of its own.
    """

    def __init__(self, interval_s: float = INTERVAL_S, first_s: float = FIRST_S) -> None:
        self._interval_s, self._first_s = interval_s, first_s
        self._reset()
        os.register_at_fork(after_in_child=self._reset)

    def _reset(self) -> None:
        self._lock = threading.Lock()
        self._records: list[Record] = []
        self._stop: threading.Event | None = None  # of the thread that runs

    def add(self, record: Record, directory: Path) -> None:
        """Call ``record`` with the metrics by tag from now on.

        ``directory`` is on the disk whose space counts; that of the first recorder does for all.
        """
        if not are_wanted():
            return
        # not on the thread: code that an import makes from text has Python forget a Ctrl-C that is ending the process
        open_sources = import_module("mindscope.system.sources").open_sources
        with self._lock:
            self._records.append(record)
            if self._stop is None:
                self._stop = threading.Event()
                arguments = (self._stop, directory, open_sources)
                threading.Thread(target=self._run, args=arguments, name="mindscope-system", daemon=True).start()

    def remove(self, record: Record) -> None:
        """Call ``record`` no more, except for a sample that is on its way; unknown ones are ignored."""
        with self._lock:
            if record in self._records:
                self._records.remove(record)
            if not self._records and self._stop is not None:
                self._stop.set()
                self._stop = None

    def _run(self, stop: threading.Event, directory: Path, open_sources: Callable[[Path], Sequence[Source]]) -> None:
        try:
            sources = open_sources(directory)
            for source in sources:
                source.read()  # counters begin
            wait_s = self._first_s
            while not stop.wait(wait_s):
                wait_s = self._interval_s
                values = {SYSTEM_PREFIX + name: value for source in sources for name, value in source.read().items()}
                with self._lock:
                    records = [] if stop.is_set() else list(self._records)
                for record in records:
                    record(values)
        except Exception as error:
            _LOG.warning("system metrics are no longer recorded: %s: %s", type(error).__name__, error)


SAMPLER = SystemSampler()
"""The sampler of this process."""
