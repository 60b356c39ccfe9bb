# SPDX-License-Identifier: Apache-2.0
"""Chooses what of a remote store to list when: each page of a listing is a request that costs money.

A directory whose objects changed lately is listed alone, soon. The whole is listed at most so often that its pages stay
within a budget, and ever more seldom while nothing changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

AGE_SHARE = 0.1
"""The time between two listings is this share of the time since the last change."""
LIVE_S = 900.0
"""A directory without changes for this time is listed with the whole only."""
PAGE_S = 3.0
"""Seconds of the shortest time between two listings of the whole, for each of its pages."""
RESTING_PAGE_S = 15.0
"""Seconds of the longest time between two listings of the whole, for each of its pages: four pages a minute."""
RESTING_S = 60.0
"""The longest time between two listings of the whole if it has few pages."""
WHOLE = ""


class ListingSchedule:
    """The next listings of one store. Times are in seconds of one clock. Not thread-safe."""

    def __init__(self, interval_s: float) -> None:
        """``interval_s``: the shortest time between two listings of one directory."""
        self._interval_s = interval_s
        self._changed_at: dict[str, float] = {}  # of live directories, by path
        self._listed_at: dict[str, float] = {}
        self._whole_changed_at = self._whole_at = 0.0
        self._pages = 0  # of the last listing of the whole
        self._failures = 0

    def due(self, now: float) -> list[str]:
        """Return the directories to list now; ``WHOLE`` alone if that is due."""
        if self._pages == 0 or now >= self._next_whole():
            return [WHOLE]
        return [] if self._are_many else [path for path in self._changed_at if now >= self._next(path)]

    def wait_s(self, now: float) -> float:
        """Return the time until the next listing."""
        if self._pages == 0 and not self._failures:
            return 0.0
        others = () if self._are_many else map(self._next, self._changed_at)
        return max(min([self._next_whole(), *others]) - now, 0.0)

    def listed(self, path: str, pages: int, changed: Iterable[str], ages_s: Mapping[str, float], now: float) -> None:
        """Note a listing.

        Args:
            path: the directory, or ``WHOLE``.
            pages: requests that it took.
            changed: paths of objects that changed.
            ages_s: time since the last change by directory; counts in the first listing.
            now: the time.
        """
        is_begin, self._failures = self._pages == 0, 0
        directories = {name.rpartition("/")[0] for name in changed}
        self._listed_at[path] = now
        if path == WHOLE:
            self._pages, self._whole_at = pages, now
            self._listed_at.update(dict.fromkeys(self._changed_at, now))
            if is_begin:
                self._changed_at = {path: now - age_s for path, age_s in ages_s.items()}
                self._whole_changed_at = max(self._changed_at.values(), default=now)
        if not is_begin and directories:
            self._changed_at.update(dict.fromkeys(directories, now))
            if directories - self._listed_at.keys():
                self._whole_changed_at = now  # something new: more may follow
        self._changed_at = {path: at for path, at in self._changed_at.items() if now - at < LIVE_S}
        self._listed_at = {path: self._listed_at.get(path, now) for path in self._changed_at}

    def failed(self, now: float) -> None:
        """Note that the store could not be listed: the next listing follows later each time."""
        self._failures += 1
        self._whole_at = now
        self._listed_at = dict.fromkeys(self._changed_at, now)

    @property
    def _are_many(self) -> bool:
        """Whether listing each live directory takes more requests than listing the whole."""
        return len(self._changed_at) > max(self._pages, 1)

    def _next(self, path: str) -> float:
        wait_s = min((self._listed_at[path] - self._changed_at[path]) * AGE_SHARE, RESTING_S)
        return self._listed_at[path] + max(wait_s, self._interval_s, self._back_off())

    def _next_whole(self) -> float:
        changed_at = max(self._changed_at.values(), default=0.0) if self._are_many else self._whole_changed_at
        wait_s = (self._whole_at - changed_at) * AGE_SHARE
        longest = max(RESTING_S, self._pages * RESTING_PAGE_S)
        return self._whole_at + max(min(wait_s, longest), self._least(), self._back_off())

    def _least(self) -> float:
        return max(self._interval_s, self._pages * PAGE_S)

    def _back_off(self) -> float:
        return min(2.0**self._failures, RESTING_S) if self._failures else 0.0
