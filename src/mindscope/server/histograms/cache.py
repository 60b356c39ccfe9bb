# SPDX-License-Identifier: Apache-2.0
"""LRU cache of merged histograms, so that a query reads only new steps."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

from mindscope.analysis.histograms import MergedHistogram, merge_steps
from mindscope.analysis.stored_values import StoredValues, signature

KEPT_BYTES = 64 << 20

Key = tuple[str, str, int, int]
"""Run, tag, signature of the steps, buckets."""


class HistogramCache:
    """The last used merged histograms, within ``kept_bytes``. For any thread."""

    def __init__(self, kept_bytes: int = KEPT_BYTES) -> None:
        self._kept_bytes = kept_bytes
        self._lock = Lock()
        self._known: OrderedDict[Key, MergedHistogram] = OrderedDict()  # the last used one at the end
        self._bytes = 0

    def of(self, found: StoredValues, group: slice, buckets: int) -> MergedHistogram:
        """The histogram of a group of steps. A single step is read from the log each time."""
        if group.stop - group.start == 1:
            return merge_steps(found, group, buckets)
        key = found.run, found.tag, signature(found, group), buckets
        with self._lock:
            known = self._known.get(key)
            if known is not None:
                self._known.move_to_end(key)
                return known
        return self._keep(key, merge_steps(found, group, buckets))

    def _keep(self, key: Key, merged: MergedHistogram) -> MergedHistogram:
        if merged.unreadable:
            return merged  # the next query may read it
        with self._lock:
            if key not in self._known:
                self._known[key] = merged
                self._bytes += merged.nbytes
            while self._bytes > self._kept_bytes:
                self._bytes -= self._known.popitem(last=False)[1].nbytes
        return merged
