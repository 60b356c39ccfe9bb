# SPDX-License-Identifier: Apache-2.0
"""Writes the lineage of a training at its first step, when something changes, and at its end."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Protocol

from mindscope.collector.lineage import train_message
from mindscope.lineage.model import TrainLineage
from mindscope.types import Message

_SOURCES = ("network", "optimizer", "loss_fn", "train_dataset", "epoch_num", "latest_ckpt_file")
"""Entries of the state of a loop that the lineage is made from."""
_LEAST_GAP = 8
"""Collected steps between two updates that only bring the loss up to date."""


class LineageFramework(Protocol):
    """Interface to the framework that trains."""

    def train_lineage(self, params: Any) -> TrainLineage:
        """Return the parts and the results of the training until now."""
        ...

    def learning_rate(self, params: Any) -> float | None:
        """Return the learning rate that the optimizer began with, else the present one; None without one."""
        ...


class LineageUpdates:
    """Decides when the lineage of a training is written, so that a killed or running training has one.

    Beside real changes, the loss is brought up to date after a fifth more collected steps. So the lineage of a killed
    training has a loss of its last fifth, and a long training has few updates: 70 for a million collected steps.
    """

    def __init__(self, framework: LineageFramework, has_dataset_size: bool = True) -> None:
        self._framework = framework
        self._has_dataset_size = has_dataset_size
        self._sources: list[Any] = []
        """Sources of the last update: the objects themselves, so that none of their ids is reused."""
        self._count = 0  # collected steps so far
        self._next = 1  # the count at which the loss is brought up to date
        self._optimizer: Any = None
        self._rate: float | None = None
        """The initial learning rate of that optimizer."""

    def begin(self, params: Any) -> None:
        """Forget the last training; remember the initial learning rate of this one."""
        self._sources, self._count, self._next = [], 0, 1
        self._optimizer = params.get("optimizer")
        self._rate = self._framework.learning_rate(params)

    def at_step(self, params: Any) -> Message | None:
        """Return the ``TrainLineage`` message to write with this collected step, if any."""
        self._count += 1
        if self._count < self._next:
            return self.at_change(params)
        self._next = self._count + max(_LEAST_GAP, self._count // 4)
        return self.now(params)

    def at_change(self, params: Any) -> Message | None:
        """Return the message if the lineage changed since the last one, else None.

        It is the first, or the loop has other parts or a newer checkpoint.
        """
        sources = _sources_of(params)
        is_same = len(sources) == len(self._sources) and all(map(_is_same, sources, self._sources))
        return None if is_same else self.now(params)

    def now(self, params: Any) -> Message:
        """Return the message as things are."""
        self._sources = _sources_of(params)
        if self._rate is None or params.get("optimizer") is not self._optimizer:
            self._optimizer, self._rate = params.get("optimizer"), self._framework.learning_rate(params)
        lineage = replace(self._framework.train_lineage(params), learning_rate=self._rate)
        return train_message(lineage if self._has_dataset_size else replace(lineage, dataset_size=None))


def _sources_of(params: Any) -> list[Any]:
    callbacks: list[Any] = params.get("list_callback") or []
    checkpoints = [getattr(callback, "latest_ckpt_file_name", None) for callback in callbacks]
    return [*map(params.get, _SOURCES), *checkpoints]


def _is_same(one: Any, other: Any) -> bool:
    return one is other or (isinstance(one, (int, str)) and one == other)
