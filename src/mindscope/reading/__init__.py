# SPDX-License-Identifier: Apache-2.0
"""Logs in Python, without a server: open a run or all runs, look into them, export them."""

from __future__ import annotations

from mindscope.analysis.expressions import Smoothing
from mindscope.analysis.groups import Alignment, GroupStatistics
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
from mindscope.reading.values import Sample, Values

__all__ = [
    "Alignment",
    "ExportOptions",
    "ExportReport",
    "GroupStatistics",
    "LineageTable",
    "RepairReport",
    "RepairedFile",
    "Run",
    "RunReport",
    "Runs",
    "Sample",
    "ScalarPoint",
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
