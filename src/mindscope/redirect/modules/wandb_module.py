# SPDX-License-Identifier: Apache-2.0
"""The names of ``wandb``."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from mindscope.redirect import media
from mindscope.redirect.ignored import error_class, quiet
from mindscope.redirect.modules import wandb_plots
from mindscope.redirect.modules.names import generate_id, module_names
from mindscope.redirect.modules.wandb_callbacks import callbacks_of
from mindscope.redirect.modules.wandb_sweeps import Sweeps
from mindscope.redirect.runs import Library, RedirectedRun

_WANDB = Library("wandb")
_SWEEPS = Sweeps()
_SUBMODULES = frozenset((
    "analytics", "apis", "data_types", "env", "errors", "integration", "lib", "plot", "public", "sdk", "util",
    "wandb_run", "wandb_init", "wandb_config", "wandb_settings", "config_util", "runid", "term", "keras", "xgboost",
    "lightgbm", "sklearn", "jupyter", "sb3", "gym", "disabled", "lightning", "fabric", "catboost", "fastai",
))  # fmt: skip
_NEW = (True, "finish_previous", "create_new")


class Settings(SimpleNamespace):
    """Settings, of which ``mode`` and the names of the run have an effect."""


class AlertLevel:
    """Levels of an alert."""

    INFO, WARN, ERROR = "INFO", "WARN", "ERROR"


class RunDisabled:
    """The class that older versions had for a run that records nothing."""


def init(
    entity: Any = None, project: Any = None, dir: Any = None, id: Any = None, name: Any = None, notes: Any = None,
    tags: Any = None, config: Any = None, config_exclude_keys: Any = None, config_include_keys: Any = None,
    allow_val_change: Any = None, group: Any = None, job_type: Any = None, mode: Any = None, force: Any = None,
    reinit: Any = None, resume: Any = None, resume_from: Any = None, fork_from: Any = None, **others: Any,
) -> RedirectedRun:  # fmt: skip
    """Begin a run; return the open one unless ``reinit`` wants another."""
    before = _WANDB.run
    if before is not None and reinit not in _NEW:
        return before
    if before is not None and reinit != "create_new":
        before.finish()
    given: Any = others.get("settings") or {}
    settings = cast("dict[str, Any]", given if isinstance(given, dict) else dict(getattr(given, "__dict__", {})))
    environ = os.environ.get

    def value(argument: Any, setting: str, variable: str) -> Any:
        return argument or settings.get(setting) or environ(variable)

    tagged = environ("WANDB_TAGS")
    run = _WANDB.start(
        _SWEEPS.project or value(project, "project", "WANDB_PROJECT"), value(name, "run_name", "WANDB_NAME"),
        _chosen(config, config_include_keys, config_exclude_keys), id=value(id, "run_id", "WANDB_RUN_ID"),
        group=value(group, "run_group", "WANDB_RUN_GROUP"), job_type=value(job_type, "run_job_type", "WANDB_JOB_TYPE"),
        tags=tags or (tagged.split(",") if tagged else None), notes_text=value(notes, "run_notes", "WANDB_NOTES"),
        resume=resume if resume is not None else environ("WANDB_RESUME"),
        is_disabled=value(mode, "mode", "WANDB_MODE") == "disabled" or bool(environ("WANDB_DISABLED")),
        is_separate=reinit == "create_new",
    )  # fmt: skip
    run.entity = str(entity or environ("WANDB_ENTITY") or run.entity)
    run.settings = Settings(**settings)
    if _SWEEPS.id is not None:
        run.sweep_id = _SWEEPS.id
        run.config.update(_SWEEPS.parameters)
    return run


def _chosen(config: Any, included: Any, excluded: Any) -> Any:
    """Return the configuration of ``init``, read from a YAML file if it is a path, without what is excluded."""
    if isinstance(config, (str, os.PathLike)):
        import yaml

        config = yaml.safe_load(Path(cast("str", config)).read_text("utf-8"))
    if isinstance(config, dict) and (included or excluded):
        values = cast("dict[str, Any]", config)
        kept = [key for key in values if key not in (excluded or ()) and (not included or key in included)]
        return {key: values[key] for key in kept}
    return cast(Any, config)


def log(data: Any, step: Any = None, commit: Any = None, sync: Any = None, **others: Any) -> None:
    """Record a row in the run."""
    _WANDB.current("log()").log(data, step, commit)


def finish(exit_code: Any = None, quiet: Any = None, **others: Any) -> None:
    """End the run."""
    _WANDB.finish(exit_code)


def agent(sweep_id: Any, function: Any = None, *arguments: Any, **options: Any) -> None:
    """Run a sweep of this script."""
    _SWEEPS.agent(finish, sweep_id, function, *arguments, **options)


def _say(text: Any, *arguments: Any, **options: Any) -> None:
    print(f"wandb: {text}", file=sys.stderr)


def _method(name: str) -> Callable[..., Any]:
    def call(*arguments: Any, **options: Any) -> Any:
        return getattr(_WANDB.current(f"{name}()"), name)(*arguments, **options)

    return call


class _Early:
    """What ``wandb.config`` and ``wandb.summary`` are before ``init``."""

    def __init__(self, name: str) -> None:
        self.__dict__["_of"] = name

    def _refuse(self, *arguments: Any) -> Any:
        _WANDB.current(self.__dict__["_of"])

    __setattr__ = __getitem__ = __setitem__ = _refuse

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        self._refuse()


def _of_run(name: str) -> Callable[[], Any]:
    return lambda: _Early(name) if _WANDB.run is None else getattr(_WANDB.run, name)


_KNOWN: dict[str, Any] = {
    "init": init, "log": log, "finish": finish, "join": finish, "teardown": finish, "alert": _method("alert"),
    "define_metric": _method("define_metric"), "Run": RedirectedRun, "RunDisabled": RunDisabled, "Settings": Settings,
    "AlertLevel": AlertLevel, "Image": media.Image, "Audio": media.Audio, "Video": media.Video, "Html": media.Html,
    "Histogram": media.Histogram, "Table": media.Table, "Plotly": media.Figure, "Object3D": media.Object3D,
    "termlog": _say, "termwarn": _say, "termerror": _say, "require": quiet, "setup": quiet, "ensure_configured": quiet,
    "generate_id": generate_id, "sweep": _SWEEPS.sweep, "agent": agent,
    "plot_table": wandb_plots.plot_table,
}  # fmt: skip
_CURRENT: dict[str, Callable[[], Any]] = {
    "run": lambda: _WANDB.run, "config": _of_run("config"), "summary": _of_run("summary"),
}  # fmt: skip


def names_of(module: str) -> dict[str, Any]:
    """Return the names of ``wandb`` or of a module below it, which has all names of ``wandb`` too."""
    current = _CURRENT if module == "wandb" else {}
    callbacks = callbacks_of(module.rpartition(".")[2], lambda: _WANDB.current("the callback").dir, init)
    plots = wandb_plots.NAMES if module == "wandb.plot" else {}
    errors = {name: error_class("wandb", name) for name in ("Error", "CommError", "UsageError")}
    return module_names(module, {**_KNOWN, **errors, **callbacks, **plots}, current, _SUBMODULES)
