# SPDX-License-Identifier: Apache-2.0
"""Records trainings and reads the logs."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from mindscope._version import VERSION

if TYPE_CHECKING:
    from mindscope.capture import SummaryRecord, flush_all
    from mindscope.reading import Run, Runs, open_run, open_runs

__version__ = VERSION
__all__ = ["Run", "Runs", "SummaryRecord", "__version__", "flush_all", "open_run", "open_runs"]

_HOMES = {
    **dict.fromkeys(("SummaryRecord", "flush_all"), "mindscope.capture"),
    **dict.fromkeys(("Run", "Runs", "open_run", "open_runs"), "mindscope.reading"),
}
_MODULES = ("capture", "errors", "formats", "ingest", "reading", "reasons", "settings", "store", "types")


def __getattr__(name: str) -> Any:
    """Import public names lazily: a command that only starts a viewer needs neither them nor NumPy."""
    if name in _MODULES:
        return import_module(f"mindscope.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'mindscope' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
