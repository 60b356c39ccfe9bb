# SPDX-License-Identifier: Apache-2.0
"""The callbacks of ``wandb.integration``: those of mindscope, which record into the directory of the run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from typing import Any

from mindscope.redirect import notes
from mindscope.redirect.runs import RedirectedRun

_CALLBACKS = {
    "keras": ("keras", ("WandbMetricsLogger", "WandbCallback")),
    "xgboost": ("xgboost", ("WandbCallback", "wandb_callback")),
    "lightgbm": ("lightgbm", ("wandb_callback",)),
    "catboost": ("catboost", ("WandbCallback",)),
    "fastai": ("fastai", ("WandbCallback",)),
    "sb3": ("stable_baselines3", ("WandbCallback",)),
}
"""Modules of ``wandb.integration``: the module of mindscope, and the names."""
_WITHOUT_EFFECT = frozenset(("verbose", "log", "log_freq", "save_model", "log_model", "monitor", "define_metric"))
"""Options that change nothing of what is recorded, or upload a model."""


class FabricLogger:
    """The logger of ``wandb.integration.lightning.fabric``: a run that begins with the first use."""

    root_device: Any = None

    def __init__(
        self, start: Callable[..., RedirectedRun], name: Any = None, save_dir: Any = ".", version: Any = None,
        offline: Any = False, dir: Any = None, id: Any = None, anonymous: Any = None, project: Any = None,
        log_model: Any = False, experiment: Any = None, prefix: Any = "", **options: Any,
    ) -> None:  # fmt: skip
        self._start, self._run, self._prefix = start, experiment, f"{prefix}-" if prefix else ""
        self._options = {**options, "name": name, "id": id or version, "project": project}

    @property
    def experiment(self) -> RedirectedRun:
        """The run."""
        if self._run is None:
            self._run = self._start(**self._options)
            self._run.define_metric("*", step_metric="trainer/global_step")
        return self._run

    @property
    def name(self) -> str | None:
        """The project."""
        return self._options["project"]

    @property
    def version(self) -> str:
        """The id of the run."""
        return self.experiment.id

    def log_metrics(self, metrics: Mapping[str, Any], step: Any = None) -> None:
        """Record numbers, with the step of the trainer beside them."""
        row = {f"{self._prefix}{name}": value for name, value in metrics.items()}
        self.experiment.log(row if step is None else {**row, "trainer/global_step": step})

    def log_hyperparams(self, params: Any, *arguments: Any, **options: Any) -> None:
        """Record parameters."""
        self.experiment.config.update(params)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)

        def ignored(*arguments: Any, **options: Any) -> None:
            notes.ignore(f"wandb.integration.lightning.fabric.WandbLogger.{name}")

        return ignored

    def save(self) -> None:
        """Do nothing: values are written at once."""

    def finalize(self, status: str) -> None:
        """Do nothing: the run ends with the script."""


def callbacks_of(library: str, directory: Callable[[], str], start: Callable[..., RedirectedRun]) -> dict[str, Any]:
    """Return the callbacks of ``wandb.integration.keras`` and its like by name; ``directory`` is read at their calls.

    Their arguments are ignored, and named in the report. ``start`` begins a run.
    """
    if library == "fabric":
        return {"WandbLogger": partial(FabricLogger, start)}
    module, names = _CALLBACKS.get(library, ("", ()))
    return {name: _factory(module, f"wandb.integration.{library}.{name}", directory) for name in names}


def _factory(module: str, name: str, directory: Callable[[], str]) -> Callable[..., Any]:
    def make(*arguments: Any, **options: Any) -> Any:
        for option, value in options.items():
            if value and option not in _WITHOUT_EFFECT:
                notes.ignore(f"{name}({option}=)")
        return import_module(f"mindscope.integrations.{module}").MindscopeCallback(directory())

    return make
