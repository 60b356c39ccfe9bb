# SPDX-License-Identifier: Apache-2.0
"""What reads the new data of a file of a run into its store."""

from __future__ import annotations

import os
from typing import Protocol

from mindscope.ingest.read_buffers import ReadBufferPool
from mindscope.store.cache_codec import Json

BUDGET_BYTES = 64 << 20
"""Bytes to read from one file before other files get a turn."""


class Tailer(Protocol):
    """Reads one file, each time from its last position. ``has_more``: the last read used up its budget."""

    ordinal: int
    scanned_bytes: int
    has_more: bool
    needs_restart: bool

    def is_due(self, stat: os.stat_result) -> bool: ...
    def restart(self) -> None: ...
    def restart_rewritten(self) -> None: ...
    def read(self, buffer_pool: ReadBufferPool, budget_bytes: int = BUDGET_BYTES) -> bool: ...
    def to_json(self) -> Json: ...
