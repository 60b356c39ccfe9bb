# SPDX-License-Identifier: Apache-2.0
"""Watchpoints over the steps of a training that runs, in memory."""

from __future__ import annotations

from collections.abc import Sequence

from mindscope.debug.model.loaded import LoadedSource
from mindscope.debug.model.step_statistics import StepStatistics
from mindscope.debug.model.tensors import DebugTensor
from mindscope.debug.watchpoints.search import WatchpointSearch
from mindscope.debug.watchpoints.watchpoint import Watchpoint


class LiveWatch:
    """Evaluates watchpoints step by step, and reports a watchpoint of a tensor when it begins to hold.

    It keeps no step but the last, and of each tensor what conditions compare. One thread at a time.

    Args:
        watchpoints: the conditions.
        framework: of the training, such as ``torch``.
    """

    def __init__(self, watchpoints: Sequence[Watchpoint], framework: str) -> None:
        self._watchpoints, self._framework = tuple(watchpoints), framework
        self._search: WatchpointSearch | None = None
        self._tensors = 0
        self._holding: set[tuple[int, int]] = set()  # watchpoint and tensor, in the last step

    def add(self, tensors: Sequence[DebugTensor], recorded: StepStatistics) -> list[str]:
        """Evaluate a step.

        Args:
            tensors: all that are known; those of earlier calls, and new ones after them.
            recorded: the step; its tensors are indexes in ``tensors``.

        Returns:
            A text for each watchpoint and tensor that did not hold in the step before.
        """
        holding = {(hit.watchpoint, hit.tensor) for hit in self._search_of(tensors).add(recorded)}
        begun = holding - self._holding
        self._holding = holding
        return [
            f"{self._watchpoints[watchpoint].text} holds for {tensors[tensor].role} {tensors[tensor].slot} of "
            f"{tensors[tensor].operator} at step {recorded.step}"
            for watchpoint, tensor in sorted(begun)
        ]

    def _search_of(self, tensors: Sequence[DebugTensor]) -> WatchpointSearch:
        if self._search is None:
            self._search = WatchpointSearch(self._source(tensors), self._watchpoints, is_growing=True)
        elif len(tensors) != self._tensors:
            self._search.grow(self._source(tensors))
        self._tensors = len(tensors)
        return self._search

    def _source(self, tensors: Sequence[DebugTensor]) -> LoadedSource:
        return LoadedSource(tuple(tensors), (), framework=self._framework)
