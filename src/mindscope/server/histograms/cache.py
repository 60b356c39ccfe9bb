# SPDX-License-Identifier: Apache-2.0
"""Histograms of neighbouring steps in one, kept so that the next look at them reads only what grew."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock

from mindscope.analysis.stored_values import StoredValues, signature
from mindscope.errors import FormatError
from mindscope.reasons import Reason, reason_of
from mindscope.stats import merge_histograms
from mindscope.types import Histogram

KEPT_BYTES = 64 << 20
ROW_BYTES = 512
"""What a kept histogram takes beside its buckets, about."""


@dataclass(frozen=True, slots=True)
class MergedHistogram:
    """One histogram of several steps, None when none of them can be read; ``problem`` is that of the first such."""

    histogram: Histogram | None
    unreadable: int = 0
    problem: Reason | None = None

    @property
    def nbytes(self) -> int:
        """Memory in bytes."""
        return ROW_BYTES + (0 if self.histogram is None else 3 * self.histogram.count.nbytes)


Key = tuple[str, str, int, int]
"""Run, tag, signature of the steps, buckets."""


class HistogramCache:
    """The merged histograms that were looked at last, within ``kept_bytes``. For any thread."""

    def __init__(self, kept_bytes: int = KEPT_BYTES) -> None:
        self._kept_bytes = kept_bytes
        self._lock = Lock()
        self._known: OrderedDict[Key, MergedHistogram] = OrderedDict()  # the one looked at last at the end
        self._bytes = 0

    def of(self, found: StoredValues, group: slice, buckets: int) -> MergedHistogram:
        """The histogram of some steps; that of a single one is the one in the log."""
        if group.stop - group.start == 1:
            return _read(found, group, buckets)
        key = found.run, found.tag, signature(found, group), buckets
        with self._lock:
            known = self._known.get(key)
            if known is not None:
                self._known.move_to_end(key)
                return known
        return self._keep(key, _read(found, group, buckets))

    def _keep(self, key: Key, merged: MergedHistogram) -> MergedHistogram:
        if merged.unreadable:
            return merged  # the next look may find it
        with self._lock:
            if key not in self._known:
                self._known[key] = merged
                self._bytes += merged.nbytes
            while self._bytes > self._kept_bytes:
                self._bytes -= self._known.popitem(last=False)[1].nbytes
        return merged


def _read(found: StoredValues, group: slice, buckets: int) -> MergedHistogram:
    histograms: list[Histogram] = []
    problems: list[Reason] = []
    for row in range(group.start, group.stop):
        try:
            histograms.append(found.read(found.places, row))
        except FormatError as error:
            problems.append(reason_of(error))
    merged = histograms[0] if len(histograms) == 1 else merge_histograms(histograms, buckets) if histograms else None
    return MergedHistogram(merged, len(problems), problems[0] if problems else None)
