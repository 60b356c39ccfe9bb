# SPDX-License-Identifier: Apache-2.0
"""LRU cache of merged histograms, so that a query reads only new steps."""

from __future__ import annotations

from mindscope.analysis.histograms import MergedHistogram, merge_steps
from mindscope.analysis.stored_values import StoredValues, signature
from mindscope.lru import LRU

KEPT_BYTES = 64 << 20

Key = tuple[str, str, int, int]
"""Run, tag, signature of the steps, buckets."""


class HistogramCache:
    """The last used merged histograms, within ``kept_bytes``. For any thread."""

    def __init__(self, kept_bytes: int = KEPT_BYTES) -> None:
        self._merged: LRU[Key, MergedHistogram] = LRU(kept_bytes, lambda merged: merged.nbytes)

    def of(self, found: StoredValues, group: slice, buckets: int) -> MergedHistogram:
        """Return the histogram of a group of steps. A single step is read from the log each time."""
        if group.stop - group.start == 1:
            return merge_steps(found, group, buckets)
        key = found.run, found.tag, signature(found, group), buckets
        cached = self._merged.get(key)
        if cached is not None:
            return cached
        merged = merge_steps(found, group, buckets)
        return merged if merged.unreadable else self._merged.add(key, merged)  # the next query may read the rest
