# SPDX-License-Identifier: Apache-2.0
"""The names of ``swanlab``."""

from __future__ import annotations

import os
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

from mindscope.redirect import media
from mindscope.redirect.ignored import quiet
from mindscope.redirect.modules import wandb_plots
from mindscope.redirect.modules.names import module_names
from mindscope.redirect.runs import Library, RedirectedRun
from mindscope.tracking.media import Media

_SWANLAB = Library("swanlab")
_SUBMODULES = frozenset(("data", "integration", "plugin", "env", "sdk", "utils", "plot"))


class Settings(SimpleNamespace):
    """Settings without an effect."""


def init(
    project: Any = None, workspace: Any = None, experiment_name: Any = None, description: Any = None, *_: Any,
    name: Any = None, config: Any = None, mode: Any = None, id: Any = None, resume: Any = None, group: Any = None,
    job_type: Any = None, tags: Any = None, reinit: Any = None, **others: Any,
) -> RedirectedRun:  # fmt: skip
    """Begin a run; return the open one unless ``reinit``."""
    before = _SWANLAB.run
    if before is not None and not reinit:
        return before
    if before is not None:
        before.finish()
    return _SWANLAB.start(
        project or os.environ.get("SWANLAB_PROJECT"), name or experiment_name, config, id=id, group=group,
        job_type=job_type, tags=tags, notes_text=description, resume=resume,
        is_disabled=(mode or os.environ.get("SWANLAB_MODE")) == "disabled",
    )  # fmt: skip


def log(data: Any, step: Any = None, *_: Any, **others: Any) -> None:
    """Record a row in the run."""
    _SWANLAB.current("log()").log(data, step)


def finish(state: Any = "success", error: Any = None, **others: Any) -> None:
    """End the run."""
    _SWANLAB.finish(0 if str(getattr(state, "value", state)) == "success" and error is None else 1)


def _logs(make: type[Media]) -> Callable[..., None]:
    def log_media(key: str, data: Any = None, *arguments: Any, step: Any = None, **options: Any) -> None:
        items = cast("list[Any]", data) if isinstance(data, (list, tuple)) else [data]
        values = [item if isinstance(item, make) else cast(Any, make)(item, *arguments, **options) for item in items]
        log({key: values if len(values) > 1 else values[0]}, step)

    return log_media


def _config() -> Any:
    return {} if _SWANLAB.run is None else _SWANLAB.run.config


_KNOWN: dict[str, Any] = {
    "init": init, "log": log, "finish": finish, "Run": RedirectedRun, "Settings": Settings,
    "get_run": lambda: _SWANLAB.run, "has_run": lambda: _SWANLAB.run is not None,
    "get_url": lambda: None if _SWANLAB.run is None else _SWANLAB.run.url, "merge_settings": quiet, "require": quiet,
    "define_metric": quiet,
    "Image": media.Image, "Audio": media.Audio, "Video": media.Video, "Html": media.Html, "Text": media.Text,
    "Object3D": media.Object3D, "log_image": _logs(media.Image), "log_audio": _logs(media.Audio),
    "log_video": _logs(media.Video), "log_text": _logs(media.Text), "log_html": _logs(media.Html),
    "log_object3d": _logs(media.Object3D), "confusion_matrix": wandb_plots.confusion_matrix,
    "roc_curve": wandb_plots.roc_curve, "pr_curve": wandb_plots.pr_curve,
}  # fmt: skip


def names_of(module: str) -> dict[str, Any]:
    """Return the names of ``swanlab`` or of a module below it."""
    return module_names(module, _KNOWN, {"config": _config, "run": lambda: _SWANLAB.run}, _SUBMODULES)
