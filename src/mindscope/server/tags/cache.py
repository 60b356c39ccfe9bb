# SPDX-License-Identifier: Apache-2.0
"""LRU cache of answers of ``/api/tags``, invalidated by the catalog's version."""

from __future__ import annotations

from threading import Lock

from mindscope.ingest import Catalog
from mindscope.lru import LRU
from mindscope.server.tags.query import summarize_tags
from mindscope.server.tags.schema import TagsQuery
from mindscope.types import Kind

KEPT_BYTES = 16 << 20


class TagCache:
    """The answers of the last queries, within ``kept_bytes``. For any thread; two may compute the same answer."""

    def __init__(self, catalog: Catalog, kept_bytes: int = KEPT_BYTES) -> None:
        self._catalog = catalog
        self._lock = Lock()  # guards all below
        self._version = -1  # of the catalog, for all answers
        self._answers: LRU[tuple[Kind, tuple[str, ...]], str] = LRU(kept_bytes, len)

    def answer(self, query: TagsQuery) -> str:
        """Return a TagsAnswer as JSON."""
        key = query.kind, tuple(query.runs)
        version = self._catalog.version  # read before the runs, so that a concurrent change is not missed
        with self._lock:
            cached = self._answers.get(key) if version == self._version else None
        if cached is not None:
            return cached
        answer = summarize_tags(self._catalog, query).model_dump_json()
        self._keep(version, key, answer)
        return answer

    def _keep(self, version: int, key: tuple[Kind, tuple[str, ...]], answer: str) -> None:
        with self._lock:
            if version > self._version:
                self._version = version
                self._answers.clear()
            if version == self._version:
                self._answers.add(key, answer)
