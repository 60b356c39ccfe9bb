# SPDX-License-Identifier: Apache-2.0
"""The training side for MindSpore: drop-in classes for its collector, recorder, profiler, landscapes, callbacks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mindscope.lazy_names import lazy_names

if TYPE_CHECKING:
    from mindscope.mindspore.array_rows import ArrayRows as ArrayRows
    from mindscope.mindspore.legacy import EvalLineage as EvalLineage
    from mindscope.mindspore.legacy import SummaryStep as SummaryStep
    from mindscope.mindspore.legacy import TrainLineage as TrainLineage
    from mindscope.mindspore.profiler import Profiler as Profiler
    from mindscope.mindspore.summary_collector import SummaryCollector as SummaryCollector
    from mindscope.mindspore.summary_landscape import SummaryLandscape as SummaryLandscape
    from mindscope.mindspore.summary_record import SummaryRecord as SummaryRecord

_MODULES = {
    "mindscope.mindspore.array_rows": "ArrayRows",
    "mindscope.mindspore.legacy": "EvalLineage SummaryStep TrainLineage",
    "mindscope.mindspore.profiler": "Profiler",
    "mindscope.mindspore.summary_collector": "SummaryCollector",
    "mindscope.mindspore.summary_landscape": "SummaryLandscape",
    "mindscope.mindspore.summary_record": "SummaryRecord",
}
__all__ = [
    "ArrayRows",
    "EvalLineage",
    "Profiler",
    "SummaryCollector",
    "SummaryLandscape",
    "SummaryRecord",
    "SummaryStep",
    "TrainLineage",
]


__getattr__ = lazy_names(__name__, _MODULES)


def __dir__() -> list[str]:
    return sorted(__all__)
