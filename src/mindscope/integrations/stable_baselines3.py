# SPDX-License-Identifier: Apache-2.0
"""``MindscopeCallback`` for ``model.learn`` of Stable-Baselines3, and the writer for its ``Logger``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from stable_baselines3.common import callbacks, logger

from mindscope.integrations.recording import TrainingRun, TrainingWriter, guarded

if TYPE_CHECKING:
    _Callback = object
    _Writer = object
else:
    _Callback, _Writer = callbacks.BaseCallback, logger.KVWriter

_EXCLUDES = ("mindscope", "tensorboard")
"""Names by which ``logger.record(..., exclude=...)`` leaves out a value."""
_KINDS: dict[str, Callable[[TrainingWriter, str, Any, int], None]] = {
    "Video": lambda writer, key, value, step: writer.add_video(key, value.frames, step, value.fps),
    "Figure": lambda writer, key, value, step: writer.add_figure(key, value.figure, step, close=value.close),
    "Image": lambda writer, key, value, step: writer.add_image(key, value.image, step, dataformats=value.dataformats),
    "HParam": lambda writer, key, value, step: _add_hparam(writer, value, step),
    "Tensor": lambda writer, key, value, step: writer.add_histogram(key, value, step),
    "ndarray": lambda writer, key, value, step: writer.add_histogram(key, value, step),
}
"""How values are recorded, by the names of their classes."""
_NO_PARAMETERS = ("num_timesteps", "start_time", "verbose")


class MindscopeWriter(_Writer):
    """Records what a ``Logger`` of Stable-Baselines3 dumps, by the names that its TensorBoard format uses.

    Numbers, texts, histograms of arrays and tensors, Image, Figure, Video and HParam are recorded.
    """

    def __init__(self, run: TrainingRun | str | PathLike[str] = "runs/sb3") -> None:
        self.run = run if isinstance(run, TrainingRun) else TrainingRun(run, has_end=False)

    @guarded
    def write(self, key_values: Mapping[str, Any], key_excluded: Mapping[str, Any], step: int = 0) -> None:
        """Record the values of a dump at the number of time steps."""
        for key, value in key_values.items():
            excluded = key_excluded.get(key) or ()
            if not any(name in excluded for name in _EXCLUDES):
                self._add(key, value, step)

    def close(self) -> None:
        """Write everything."""
        self.run.end()

    @guarded
    def _add(self, key: str, value: Any, step: int) -> None:
        if isinstance(value, np.ScalarType):
            self.run.log({key: value}, step)
            return
        for kind in type(value).__mro__:
            if kind.__name__ in _KINDS:
                _KINDS[kind.__name__](self.run.writer, key, value, step)
                return


class MindscopeCallback(_Callback):
    """Records all that the model logs while it learns, beside its other outputs; its settings are hyperparameters.

    Args:
        log_dir: directory of the run.
    """

    def __init__(self, log_dir: str | PathLike[str] = "runs/sb3") -> None:
        super().__init__()
        self.run = TrainingRun(log_dir)

    def _on_training_start(self) -> None:
        model = cast(Any, self).model
        self.run.start(lambda: _settings(model))
        model.logger.output_formats.append(MindscopeWriter(self.run))

    def _on_step(self) -> bool:
        return True

    def _on_training_end(self) -> None:
        """Write everything, and leave the outputs of the model as they were."""
        model = cast(Any, self).model
        formats: list[Any] = model.logger.output_formats
        formats[:] = [output for output in formats if getattr(output, "run", None) is not self.run]
        self.run.end()


def _settings(model: Any) -> dict[str, Any]:
    plain = (int, float, str, bool, dict)
    given: dict[str, Any] = {
        name: value for name, value in cast("dict[str, Any]", vars(model)).items() if not name.startswith("_")
    }
    settings: dict[str, Any] = {
        name: value for name, value in given.items() if isinstance(value, plain) and name not in _NO_PARAMETERS
    }
    return {"algorithm": type(model).__name__, "policy": type(model.policy).__name__, **settings}


def _add_hparam(writer: TrainingWriter, value: Any, step: int) -> None:
    writer.add_settings(value.hparam_dict)
    writer.add_values(value.metric_dict, step)
