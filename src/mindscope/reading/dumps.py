# SPDX-License-Identifier: Apache-2.0
"""Finds the graphs in the dumps of a run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from mindscope.graph import find_graph_files
from mindscope.reading.debugging_data import debug_data_of
from mindscope.store import RunStore
from mindscope.store.contents import ContentKind

_GRAPHS = "rank_*/graphs"
"""Pattern of the directories to which MindSpore writes the graphs of a dump."""


def dumped_graph_files(store: RunStore) -> Iterator[Path]:
    """Yield the graph files of the dumps of a run, by rank and name. Raises OSError."""
    if all(content.kind is not ContentKind.MINDSPORE_DUMP for content in store.contents):
        return
    for _, found in debug_data_of(store.path):
        for directory in sorted(found.path.glob(_GRAPHS)):
            yield from find_graph_files(directory)
