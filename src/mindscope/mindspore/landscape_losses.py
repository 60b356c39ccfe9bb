# SPDX-License-Identifier: Apache-2.0
"""The losses of a MindSpore network at points of a plane."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import mindspore
from mindspore import Parameter, Tensor
from mindspore.train import Loss
from numpy.typing import NDArray

from mindscope.landscape.executors import ProcessEach
from mindscope.landscape.loss_cache import content_key
from mindscope.landscape.plane import Plane, Points
from mindscope.landscape.workers import Evaluate
from mindscope.mindspore.landscape_weights import Checkpoint

CallbackFn = Callable[[], tuple[Any, Any, Any, Any]]
"""Gives a new model, its network, a data set and metrics."""
Batches = Sequence[tuple[NDArray[Any], ...]]
NORMALIZATIONS = ("as_trained", "re_estimated")
_NORMALIZING = ("BatchNorm", "InstanceNorm")
"""Parts of the names of cells that use their statistics of the training, or those of the batch."""


class EvaluatedModel:
    """A user's model, its metric, and how its normalization layers work.

    Args:
        given: what a ``CallbackFn`` returned. normalization: ``as_trained``, with the statistics of the checkpoint, or
        ``re_estimated``, with those of each batch.
    """

    def __init__(self, given: tuple[Any, Any, Any, Any], normalization: str) -> None:
        model, self.network, self.dataset, metrics = given
        loss: Any = cast("Mapping[str, Any]", metrics).get("Loss") if isinstance(metrics, Mapping) else None
        self._metric: Any = loss if hasattr(loss, "update") else Loss()
        self.train_network: Any = _without_optimizer(model.train_network)
        self.train_network.set_train(False)
        if normalization == "re_estimated":
            for _, cell in self.train_network.cells_and_names():
                if any(name in type(cell).__name__ for name in _NORMALIZING):
                    cell.set_train(True)

    def batches(self, num_samples: int) -> Batches:
        """Return the first samples of the data; at least one batch."""
        count = max(1, num_samples // self.dataset.get_batch_size())
        data = self.dataset.take(count).create_tuple_iterator(num_epochs=1)
        return [tuple(column.asnumpy() for column in columns) for columns in data]

    def loss(self, arrays: Mapping[str, Any], batches: Sequence[Sequence[Any]]) -> float:
        """Return the metric ``Loss`` with these parameters; without one the mean over batches."""
        entries = {name: Parameter(Tensor(array), name=name) for name, array in arrays.items()}
        cast(Any, mindspore).load_param_into_net(self.network, entries)
        self._metric.clear()
        for columns in batches:
            outputs = self.train_network(*columns)
            self._metric.update(outputs[0] if isinstance(outputs, tuple) else outputs)
        return float(self._metric.eval())


def _without_optimizer(network: Any) -> Any:
    """Return the network with its loss: a step of a model that has an optimizer would train."""
    return network.network if getattr(network, "optimizer", None) is not None else network


@dataclass(frozen=True, slots=True)
class ModelOnData:
    """A model that any process can make, and the batches of the process that asks."""

    callback_fn: CallbackFn
    normalization: str
    batches: Batches
    key: str
    """A hash of all that decides its losses."""

    def evaluation(self) -> EvaluatedModel:
        """Return the evaluation of this thread."""
        if getattr(_of_thread, "key", "") != self.key:
            _of_thread.evaluation = EvaluatedModel(self.callback_fn(), self.normalization)
            _of_thread.tensors = [[Tensor(column) for column in columns] for columns in self.batches]
            _of_thread.key = self.key
        return _of_thread.evaluation


_of_thread = threading.local()
"""``key``, ``evaluation`` and ``tensors`` of the last model of a thread; landscapes of a training share them."""


def prepare(callback_fn: CallbackFn, normalization: str, num_samples: int) -> ModelOnData:
    """Make the model in this thread. Raises what ``callback_fn`` raises."""
    evaluation = EvaluatedModel(callback_fn(), normalization)
    batches = evaluation.batches(num_samples)
    arrays = [column for columns in batches for column in columns]
    texts = [str(evaluation.train_network), _source(type(evaluation.network)), _source(callback_fn), normalization]
    model = ModelOnData(callback_fn, normalization, batches, content_key(*texts, *arrays))
    _of_thread.evaluation, _of_thread.key = evaluation, model.key
    _of_thread.tensors = [[Tensor(column) for column in columns] for columns in batches]
    return model


def _source(written: Any) -> str:
    """Return the text of a function or class, so that losses of an older text are not taken; empty if there is none."""
    try:
        return inspect.getsource(written)
    except (OSError, TypeError):
        return ""


@dataclass(frozen=True, slots=True)
class PlaneLosses:
    """Makes an evaluator of the losses on a plane through a checkpoint."""

    model: ModelOnData
    checkpoint: Checkpoint
    plane: Plane

    def __call__(self) -> Evaluate:
        """Raises what the user's function raises."""
        self.model.evaluation()
        return self._losses

    def _losses(self, points: Points) -> list[float]:
        evaluation, plane = self.model.evaluation(), self.plane
        moved = (self.checkpoint.moved_to(plane.at(a, b)) for a, b in points.tolist())
        return [evaluation.loss(arrays, _of_thread.tensors) for arrays in moved]


def processes_of(device_ids: Sequence[int]) -> ProcessEach:
    """Return a process for each device, of the same target and mode as this process."""
    context = cast(Any, mindspore).get_context
    target, mode = context("device_target"), context("mode")
    return ProcessEach([partial(_begin, target, mode, device) for device in device_ids])


def _begin(target: str, mode: int, device: int) -> None:
    mindspore.set_context(mode=mode)
    cast(Any, mindspore).set_device(target, 0 if target == "CPU" else device)
