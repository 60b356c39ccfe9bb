# SPDX-License-Identifier: Apache-2.0
"""The losses of a MindSpore network at points of a plane."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from types import TracebackType
from typing import Any, cast

import mindspore
import numpy as np
from mindspore import Parameter, Tensor
from mindspore.train import Loss

from mindscope.landscape.plane import Plane, Points
from mindscope.mindspore.landscape_weights import Checkpoint

CallbackFn = Callable[[], tuple[Any, Any, Any, Any]]
"""Gives a new model, its network, a data set and metrics."""


class Evaluation:
    """A user's model on a part of the data, the same for all points."""

    def __init__(self, callback_fn: CallbackFn, num_samples: int) -> None:
        model, self._network, dataset, metrics = callback_fn()
        given: Any = cast("Mapping[str, Any]", metrics).get("Loss") if isinstance(metrics, Mapping) else None
        self._metric: Any = given if hasattr(given, "update") else Loss()
        self._train_network: Any = model.train_network
        self._train_network.set_train(True)
        batches = max(1, num_samples // dataset.get_batch_size())
        self._batches: list[Any] = list(dataset.take(batches).create_tuple_iterator(num_epochs=1))

    def loss(self, arrays: Mapping[str, Any]) -> float:
        """The metric ``Loss`` with these parameters; without one the mean over batches."""
        entries = {name: Parameter(Tensor(array), name=name) for name, array in arrays.items()}
        cast(Any, mindspore).load_param_into_net(self._network, entries)
        self._metric.clear()
        for columns in self._batches:
            outputs = self._train_network(*columns)
            self._metric.update(outputs[0] if isinstance(outputs, tuple) else outputs)
        return float(self._metric.eval())


class Losses:
    """Losses at points, in this process or in one for each of several devices. A context manager."""

    def __init__(self, callback_fn: CallbackFn, num_samples: int, device_ids: Sequence[int]) -> None:
        self._make = (callback_fn, num_samples)
        self._evaluation: Evaluation | None = None  # in this process, made when it is needed
        self._devices = list(device_ids) if len(device_ids) > 1 else []
        self._pools = [self._pool(device) for device in self._devices]

    def _pool(self, device: int) -> ProcessPoolExecutor:
        context = cast(Any, mindspore).get_context
        target, mode = context("device_target"), context("mode")
        return ProcessPoolExecutor(
            1, get_context("spawn"), initializer=_begin, initargs=(target, mode, device, *self._make)
        )

    def __enter__(self) -> Losses:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for pool in self._pools:
            pool.shutdown(cancel_futures=True)

    def at(self, checkpoint: Checkpoint, plane: Plane, points: Points) -> list[float]:
        """The loss at each point. Raises what the user's model raises."""
        if not self._pools:
            self._evaluation = self._evaluation or Evaluation(*self._make)
            return _losses(self._evaluation, checkpoint, plane, points)
        parts = np.array_split(points, len(self._pools))
        futures = [
            pool.submit(_in_process, checkpoint, plane, part) for pool, part in zip(self._pools, parts, strict=True)
        ]
        return [loss for future in futures for loss in future.result()]


def _losses(evaluation: Evaluation, checkpoint: Checkpoint, plane: Plane, points: Points) -> list[float]:
    return [evaluation.loss(checkpoint.moved_to(plane.at(a, b))) for a, b in points.tolist()]


_of_process: list[Evaluation] = []
"""The evaluation of a process of a device; a pool offers no other place for it."""


def _begin(target: str, mode: int, device: int, callback_fn: CallbackFn, num_samples: int) -> None:
    mindspore.set_context(mode=mode)
    cast(Any, mindspore).set_device(target, 0 if target == "CPU" else device)
    _of_process.append(Evaluation(callback_fn, num_samples))


def _in_process(checkpoint: Checkpoint, plane: Plane, points: Points) -> list[float]:
    return _losses(_of_process[0], checkpoint, plane, points)
