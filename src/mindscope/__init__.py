# SPDX-License-Identifier: Apache-2.0
"""Records trainings and reads the logs."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from mindscope._version import VERSION
from mindscope.lazy_names import lazy_names

if TYPE_CHECKING:
    from mindscope.capture import SummaryRecord, flush_all
    from mindscope.notebook import load_ipython_extension, show
    from mindscope.output.capture import capture_output
    from mindscope.reading import Run, Runs, open_run, open_runs
    from mindscope.tensorboard import SummaryWriter
    from mindscope.tracking import (
        Audio,
        Figure,
        Histogram,
        Html,
        Image,
        Table,
        TrackedRun,
        Video,
        alert,
        define_metric,
        finish,
        init,
        log,
        log_file,
    )

__version__ = VERSION
__all__ = [
    "Audio",
    "Figure",
    "Histogram",
    "Html",
    "Image",
    "Run",
    "Runs",
    "SummaryRecord",
    "SummaryWriter",
    "Table",
    "TrackedRun",
    "Video",
    "__version__",
    "alert",
    "capture_output",
    "define_metric",
    "finish",
    "flush_all",
    "init",
    "load_ipython_extension",
    "log",
    "log_file",
    "open_run",
    "open_runs",
    "show",
]

_name = lazy_names(
    __name__,
    {
        "mindscope.capture": "SummaryRecord flush_all",
        "mindscope.notebook": "load_ipython_extension show",
        "mindscope.output.capture": "capture_output",
        "mindscope.reading": "Run Runs open_run open_runs",
        "mindscope.tensorboard": "SummaryWriter",
        "mindscope.tracking": (
            "Audio Figure Histogram Html Image Table TrackedRun Video alert define_metric finish init log log_file"
        ),
    },
)
_MODULES = ("capture", "errors", "formats", "ingest", "reading", "reasons", "settings", "store", "types")


def __getattr__(name: str) -> Any:
    """Import public names lazily: a command that only starts a viewer needs neither them nor NumPy."""
    if name in _MODULES:
        return import_module(f"mindscope.{name}")
    return _name(name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
