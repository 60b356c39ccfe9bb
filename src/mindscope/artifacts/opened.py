# SPDX-License-Identifier: Apache-2.0
"""Keeps artifacts open that were used last."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import RLock
from typing import Generic, TypeVar

from mindscope.lru import LRU

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")
_LOCKS = 64


class OpenArtifacts(Generic[K, T]):
    """The artifacts that were used last, each in one version. For any thread.

    One thread opens an artifact; others that need it wait for that thread, others do not.
    """

    def __init__(self, limit: int) -> None:
        self._open: LRU[K, tuple[object, T]] = LRU(limit)
        self._locks = [RLock() for _ in range(_LOCKS)]

    def get(self, key: K, version: object, open_it: Callable[[T | None], T]) -> T:
        """Return the artifact of a key in this version. ``open_it`` takes the one of the version before, if it is open.

        Read the version before this call, so that a change at the same time gives another one.
        """
        with self._locks[hash(key) % _LOCKS]:
            last = self._open.get(key)
            if last is not None and last[0] == version:
                return last[1]
            return self._open.add(key, (version, open_it(None if last is None else last[1])))[1]
