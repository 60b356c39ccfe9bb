# SPDX-License-Identifier: Apache-2.0
"""Loads event files into stores: finds them, reads new data, watches for changes."""

from __future__ import annotations

from mindscope.ingest.catalog import Catalog
from mindscope.ingest.discover import Discovery, EventFile, Finder, FoundRun, find_run, find_runs
from mindscope.ingest.run_loader import RunLoader
from mindscope.ingest.unreadable_paths import PathKind, UnreadablePath
from mindscope.ingest.watch import Watcher

__all__ = [
    "Catalog",
    "Discovery",
    "EventFile",
    "Finder",
    "FoundRun",
    "PathKind",
    "RunLoader",
    "UnreadablePath",
    "Watcher",
    "find_run",
    "find_runs",
]
