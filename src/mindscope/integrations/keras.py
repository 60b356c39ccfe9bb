# SPDX-License-Identifier: Apache-2.0
"""``MindscopeCallback`` for Keras 3, a drop-in for ``keras.callbacks.TensorBoard`` on every backend."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any, cast

import keras
import numpy as np

from mindscope.integrations.recording import TrainingRun, guarded, logger

_VALIDATION = "val_"
_MOST_KERNELS = 64
"""Kernels of a convolution that become one image."""


class MindscopeCallback(keras.callbacks.Callback):
    """Records metrics and weights with the tags and runs of ``keras.callbacks.TensorBoard``; needs no TensorFlow.

    The runs ``train`` and ``validation`` below ``log_dir`` get ``epoch_NAME``, ``batch_NAME`` and
    ``evaluation_NAME_vs_iterations``, and weights as ``PATH/histogram``. Epochs count from 0, batches from 1.

    Args:
        log_dir: directory of both runs.
        histogram_freq: epochs from one histogram of the weights to the next; 0 records none.
        write_graph: record the layers of the model as a graph.
        write_images: record weights as images with the histograms.
        write_steps_per_second: record ``epoch_steps_per_second``, and ``batch_steps_per_second`` with the batches.
        update_freq: ``epoch``, ``batch``, or the number of batches from one record to the next.
        profile_batch: has no effect; a message says so.
        embeddings_freq: epochs from one record of the embedding layers to the next; 0 records none.
        embeddings_metadata: file with a label for each row, or a dict from layers to such files.
    """

    def __init__(
        self, log_dir: str | PathLike[str] = "logs", histogram_freq: int = 0, write_graph: bool = True,
        write_images: bool = False, write_steps_per_second: bool = False, update_freq: int | str = "epoch",
        profile_batch: Any = 0, embeddings_freq: int = 0,
        embeddings_metadata: str | Mapping[str, str] | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.log_dir = str(log_dir)
        self._histogram_freq, self._embeddings_freq, self._metadata = (
            histogram_freq,
            embeddings_freq,
            embeddings_metadata,
        )
        self._is_graph, self._is_images, self._is_speed = write_graph, write_images, write_steps_per_second
        self._batches_between = 0 if update_freq == "epoch" else 1 if update_freq == "batch" else int(update_freq)
        self._train, self._validation = [
            TrainingRun(Path(self.log_dir, name), has_end=False) for name in ("train", "validation")
        ]
        self._batch, self._batch_begin_s, self._epoch_begin = 0, 0.0, (0.0, 0)
        if profile_batch:
            logger.warning("profile_batch has no effect; use the profiler of the backend, whose files mindscope opens")

    @guarded
    def on_train_begin(self, logs: Mapping[str, Any] | None = None) -> None:
        self._batch = 0
        if self._is_graph:
            self._train.writer.add_graph(self._network)

    @guarded
    def on_train_batch_begin(self, batch: int, logs: Mapping[str, Any] | None = None) -> None:
        self._batch += 1
        self._batch_begin_s = time.perf_counter()

    @guarded
    def on_train_batch_end(self, batch: int, logs: Mapping[str, Any] | None = None) -> None:
        if not self._batches_between or self._batch % self._batches_between:
            return
        if self._is_speed:
            speed = 1 / max(time.perf_counter() - self._batch_begin_s, 1e-9)
            self._train.writer.add_scalar("batch_steps_per_second", speed, self._batch)
        self._train.log(_tagged("batch_{}", logs or {}), self._batch)

    @guarded
    def on_epoch_begin(self, epoch: int, logs: Mapping[str, Any] | None = None) -> None:
        self._epoch_begin = (time.perf_counter(), self._iterations())

    @guarded
    def on_epoch_end(self, epoch: int, logs: Mapping[str, Any] | None = None) -> None:
        given = dict(logs or {})
        trained = {name: value for name, value in given.items() if not name.startswith(_VALIDATION)}
        self._train.log(_tagged("epoch_{}", {**trained, **self._rates()}), epoch)
        results = {name.removeprefix(_VALIDATION): v for name, v in given.items() if name.startswith(_VALIDATION)}
        if results:
            self._validation.log(_tagged("epoch_{}", results), epoch)
        if self._is_speed:
            begin_s, steps = self._epoch_begin
            speed = (self._iterations() - steps) / max(time.perf_counter() - begin_s, 1e-9)
            self._train.writer.add_scalar("epoch_steps_per_second", speed, epoch)
        if self._histogram_freq and epoch % self._histogram_freq == 0:
            self._add_weights(epoch)
        if self._embeddings_freq and epoch % self._embeddings_freq == 0:
            self._add_embeddings(epoch)

    @guarded
    def on_test_end(self, logs: Mapping[str, Any] | None = None) -> None:
        if self._network.optimizer is not None:
            self._validation.log(_tagged("evaluation_{}_vs_iterations", logs or {}), self._iterations())
            self._validation.writer.flush()

    @guarded
    def on_train_end(self, logs: Mapping[str, Any] | None = None) -> None:
        self._train.end()
        self._validation.end()

    def _iterations(self) -> int:
        return int(_numpy(self._network.optimizer.iterations))

    def _rates(self) -> dict[str, float]:
        optimizer: Any = getattr(self._network.optimizer, "inner_optimizer", self._network.optimizer)
        if hasattr(optimizer, "optimizers"):
            return {f"learning_rate_{inner.name}": float(_numpy(inner.learning_rate)) for inner in optimizer.optimizers}
        return {"learning_rate": float(_numpy(optimizer.learning_rate))}

    def _add_weights(self, epoch: int) -> None:
        for layer in self._network.layers:
            for weight in layer.weights:
                name, values = weight.path.replace(":", "_"), _numpy(weight)
                self._train.writer.add_histogram(f"{name}/histogram", values, epoch)
                image = _image(values) if self._is_images else None
                if image is not None:
                    self._train.writer.add_images(f"{name}/image", image, epoch, dataformats="NHWC")

    def _add_embeddings(self, epoch: int) -> None:
        layers: list[Any] = [layer for layer in self._network.layers if isinstance(layer, keras.layers.Embedding)]
        for layer in layers:
            path = self._metadata if isinstance(self._metadata, str) else (self._metadata or {}).get(layer.name)
            labels = None if path is None else Path(self.log_dir, path).read_text("utf-8").splitlines()
            self._train.writer.add_embedding(_numpy(layer.embeddings), labels, global_step=epoch, tag=layer.name)

    @property
    def _network(self) -> Any:
        return cast(Any, self.model)


_numpy = cast("Callable[[Any], np.ndarray[Any, Any]]", keras.ops.convert_to_numpy)


def _tagged(tag: str, values: Mapping[str, Any]) -> dict[str, Any]:
    return {tag.format(name): value for name, value in values.items()}


def _image(weight: np.ndarray[Any, Any]) -> np.ndarray[Any, Any] | None:
    """Return weights as images NHWC with values of 0 to 1; None where they have more axes than an image."""
    values = cast(Any, np.squeeze(weight))
    if values.ndim == 1:
        values = values.reshape(1, 1, -1, 1)
    elif values.ndim == 2:
        values = (values.T if values.shape[0] > values.shape[1] else values)[None, ..., None]
    elif values.ndim == 3:
        values = np.moveaxis(values, -1, 0)[:_MOST_KERNELS, ..., None]
    else:
        return None
    low, high = float(values.min()), float(values.max())
    return (values - low) / (high - low if high > low else 1)
