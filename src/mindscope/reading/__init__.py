# SPDX-License-Identifier: Apache-2.0
"""Python API to read logs without a server: open one or all runs, query them, export them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mindscope.lazy_names import lazy_names

if TYPE_CHECKING:
    from mindscope.analysis.expressions import Smoothing
    from mindscope.analysis.groups import Alignment, GroupStatistics
    from mindscope.analysis.heat_maps import HeatMap
    from mindscope.analysis.histograms import HistogramRow
    from mindscope.analysis.pr_curves import PrCurve
    from mindscope.analysis.scalar_statistics import ScalarStatistics
    from mindscope.analysis.tensor_slice import TensorSlice
    from mindscope.analysis.tensor_statistics import TensorStatistics
    from mindscope.reading.export import ExportOptions, ExportReport, export_run, export_runs
    from mindscope.reading.inspect import RunReport, inspect_run
    from mindscope.reading.lineage_table import LineageTable
    from mindscope.reading.open import open_run, open_runs
    from mindscope.reading.repair import RepairedFile, RepairReport, repair_runs
    from mindscope.reading.run import Run
    from mindscope.reading.runs import Runs
    from mindscope.reading.scalars import ScalarPoint, Scalars
    from mindscope.reading.values import Histograms, Sample, Values

__all__ = [
    "Alignment",
    "ExportOptions",
    "ExportReport",
    "GroupStatistics",
    "HeatMap",
    "HistogramRow",
    "Histograms",
    "LineageTable",
    "PrCurve",
    "RepairReport",
    "RepairedFile",
    "Run",
    "RunReport",
    "Runs",
    "Sample",
    "ScalarPoint",
    "ScalarStatistics",
    "Scalars",
    "Smoothing",
    "TensorSlice",
    "TensorStatistics",
    "Values",
    "export_run",
    "export_runs",
    "inspect_run",
    "open_run",
    "open_runs",
    "repair_runs",
]

_MODULES = {
    "mindscope.analysis.expressions": "Smoothing",
    "mindscope.analysis.groups": "Alignment GroupStatistics",
    "mindscope.analysis.heat_maps": "HeatMap",
    "mindscope.analysis.histograms": "HistogramRow",
    "mindscope.analysis.pr_curves": "PrCurve",
    "mindscope.analysis.scalar_statistics": "ScalarStatistics",
    "mindscope.analysis.tensor_slice": "TensorSlice",
    "mindscope.analysis.tensor_statistics": "TensorStatistics",
    "mindscope.reading.export": "ExportOptions ExportReport export_run export_runs",
    "mindscope.reading.inspect": "RunReport inspect_run",
    "mindscope.reading.lineage_table": "LineageTable",
    "mindscope.reading.open": "open_run open_runs",
    "mindscope.reading.repair": "RepairedFile RepairReport repair_runs",
    "mindscope.reading.run": "Run",
    "mindscope.reading.runs": "Runs",
    "mindscope.reading.scalars": "ScalarPoint Scalars",
    "mindscope.reading.values": "Histograms Sample Values",
}

__getattr__ = lazy_names(__name__, _MODULES)
