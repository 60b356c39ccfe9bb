# SPDX-License-Identifier: Apache-2.0
"""The names of ``trackio``."""

from __future__ import annotations

import os
from types import SimpleNamespace
from typing import Any

from mindscope.redirect import media
from mindscope.redirect.modules.names import module_names
from mindscope.redirect.runs import Library, RedirectedRun

_TRACKIO = Library("trackio")


class _Now:
    """A variable of ``trackio.context_vars``."""

    def __init__(self, attribute: str = "") -> None:
        self._attribute = attribute

    def get(self, default: Any = None) -> Any:
        """Return the value for the run; None without one."""
        run = _TRACKIO.run
        return default if run is None or not self._attribute else getattr(run, self._attribute)


class _Config:
    """The configuration of the run; without one, it is empty."""

    def _of_run(self) -> Any:
        return {} if _TRACKIO.run is None else _TRACKIO.run.config

    def update(self, *arguments: Any, **options: Any) -> None:
        """Add or change parameters."""
        self._of_run().update(*arguments, **options)

    def __getitem__(self, name: str) -> Any:
        return self._of_run()[name]

    def __setitem__(self, name: str, value: Any) -> None:
        self._of_run()[name] = value

    def __getattr__(self, name: str) -> Any:
        return getattr(self._of_run(), name)


class AlertLevel:
    """Levels of an alert."""

    INFO, WARN, ERROR = "INFO", "WARN", "ERROR"


def init(
    project: Any = None, name: Any = None, group: Any = None, space_id: Any = None, server_url: Any = None,
    dataset_id: Any = None, bucket_id: Any = None, config: Any = None, resume: Any = "never", *_: Any, **others: Any,
) -> RedirectedRun:  # fmt: skip
    """Begin a run, after the end of the open one."""
    _TRACKIO.finish()
    project = project or os.environ.get("TRACKIO_PROJECT")
    return _TRACKIO.start(project, name, config, group=group, resume=None if resume == "never" else resume)


def log(metrics: Any, step: Any = None, **others: Any) -> None:
    """Record a row in the run."""
    _TRACKIO.current("log()").log(metrics, step, True)


def log_system(metrics: Any, **others: Any) -> None:
    """Record numbers of the machine at the step of the open row."""
    named = {f"system/{name}": value for name, value in dict(metrics).items()}
    _TRACKIO.current("log_system()").log(named, None, False)


def alert(title: Any = "", text: Any = "", level: Any = "WARN", **others: Any) -> None:
    """Record a message."""
    _TRACKIO.current("alert()").alert(title, text, level)


def finish(**others: Any) -> None:
    """End the run."""
    _TRACKIO.finish()


_KNOWN: dict[str, Any] = {
    "init": init, "log": log, "log_system": log_system, "alert": alert, "finish": finish, "Run": RedirectedRun,
    "AlertLevel": AlertLevel, "config": _Config(), "Image": media.Image, "Audio": media.Audio, "Video": media.Video,
    "Html": media.Html, "Histogram": media.Histogram, "Table": media.Table, "Markdown": media.Text,
    "Plotly": media.Figure, "Object3D": media.Object3D,
    "context_vars": SimpleNamespace(
        current_space_id=_Now(), current_server=_Now(), current_project=_Now("project"), current_run=_Now()
    ),
}  # fmt: skip


def names_of(module: str) -> dict[str, Any]:
    """Return the names of ``trackio`` or of a module below it."""
    return module_names(module, _KNOWN, {"run": lambda: _TRACKIO.run}, ())
