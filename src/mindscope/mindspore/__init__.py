# SPDX-License-Identifier: Apache-2.0
"""The training side for MindSpore: drop-in classes for its own collector, recorder, landscapes and old callbacks."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mindscope.mindspore.array_rows import ArrayRows as ArrayRows
    from mindscope.mindspore.legacy import EvalLineage as EvalLineage
    from mindscope.mindspore.legacy import SummaryStep as SummaryStep
    from mindscope.mindspore.legacy import TrainLineage as TrainLineage
    from mindscope.mindspore.summary_collector import SummaryCollector as SummaryCollector
    from mindscope.mindspore.summary_landscape import SummaryLandscape as SummaryLandscape
    from mindscope.mindspore.summary_record import SummaryRecord as SummaryRecord

_MODULES = {
    "ArrayRows": "array_rows",
    "EvalLineage": "legacy",
    "SummaryCollector": "summary_collector",
    "SummaryLandscape": "summary_landscape",
    "SummaryRecord": "summary_record",
    "SummaryStep": "legacy",
    "TrainLineage": "legacy",
}
__all__ = [
    "ArrayRows",
    "EvalLineage",
    "SummaryCollector",
    "SummaryLandscape",
    "SummaryRecord",
    "SummaryStep",
    "TrainLineage",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
