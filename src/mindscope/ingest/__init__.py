# SPDX-License-Identifier: Apache-2.0
"""Event files into stores: find them, read what grew, keep watching."""

from __future__ import annotations

from mindscope.ingest.catalog import Catalog
from mindscope.ingest.discover import Discovery, EventFile, Finder, FoundRun, find_run, find_runs
from mindscope.ingest.load import RunLoader
from mindscope.ingest.unread import PlaceKind, UnreadPlace
from mindscope.ingest.watch import Watcher

__all__ = [
    "Catalog",
    "Discovery",
    "EventFile",
    "Finder",
    "FoundRun",
    "PlaceKind",
    "RunLoader",
    "UnreadPlace",
    "Watcher",
    "find_run",
    "find_runs",
]
