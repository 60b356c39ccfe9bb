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
    from mindscope.reading.dataset import DatasetReport, export_dataset
    from mindscope.reading.dataset import export_discovery as export_discovery
    from mindscope.reading.dataset import find_below as find_below
    from mindscope.reading.export import EXPORTABLE as EXPORTABLE
    from mindscope.reading.export import ExportOptions, ExportReport, export_run, export_runs
    from mindscope.reading.failures import FailurePaths as FailurePaths
    from mindscope.reading.failures import find_failures as find_failures
    from mindscope.reading.failures import read_failures as read_failures
    from mindscope.reading.graphs import GraphReaders as GraphReaders
    from mindscope.reading.graphs import read_graphs as read_graphs
    from mindscope.reading.inspect import RunReport, inspect_run
    from mindscope.reading.lineage import read_lineage as read_lineage
    from mindscope.reading.lineage_output import json_cell as json_cell
    from mindscope.reading.lineage_output import write_lineage_json as write_lineage_json
    from mindscope.reading.lineage_output import write_lineage_parquet as write_lineage_parquet
    from mindscope.reading.lineage_rows import ScalarChoice as ScalarChoice
    from mindscope.reading.lineage_rows import compare_runs as compare_runs
    from mindscope.reading.lineage_table import LineageTable
    from mindscope.reading.lineage_tables import LineageTables as LineageTables
    from mindscope.reading.open import open_run, open_runs
    from mindscope.reading.pack import PackReport, pack_runs
    from mindscope.reading.plot_runs import PlotChoice as PlotChoice
    from mindscope.reading.plot_runs import figure_of_run as figure_of_run
    from mindscope.reading.plot_runs import figure_of_runs as figure_of_runs
    from mindscope.reading.plot_runs import plot_of_runs as plot_of_runs
    from mindscope.reading.printed import printed_values as printed_values
    from mindscope.reading.profiles import RunProfiles as RunProfiles
    from mindscope.reading.repair import RepairedFile, RepairReport, repair_runs
    from mindscope.reading.run import Run
    from mindscope.reading.run_debug import debug_of_run as debug_of_run
    from mindscope.reading.run_debug import open_debug as open_debug
    from mindscope.reading.runs import Runs
    from mindscope.reading.scalars import ScalarPoint, Scalars
    from mindscope.reading.sql.limits import QueryLimits as QueryLimits
    from mindscope.reading.sql.limits import SqlSource as SqlSource
    from mindscope.reading.sql.query import run_query as run_query
    from mindscope.reading.sql.result import QueryResult
    from mindscope.reading.tensorboard_export import export_tensorboard
    from mindscope.reading.training_logs import TrainingLogs as TrainingLogs
    from mindscope.reading.values import Histograms, Sample, Values
    from mindscope.types import Kind as Kind

__all__ = [
    "Alignment",
    "DatasetReport",
    "ExportOptions",
    "ExportReport",
    "GroupStatistics",
    "HeatMap",
    "HistogramRow",
    "Histograms",
    "LineageTable",
    "PackReport",
    "PrCurve",
    "QueryResult",
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
    "export_dataset",
    "export_run",
    "export_runs",
    "export_tensorboard",
    "inspect_run",
    "open_run",
    "open_runs",
    "pack_runs",
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
    "mindscope.reading.dataset": "DatasetReport export_dataset export_discovery find_below",
    "mindscope.reading.export": "ExportOptions ExportReport export_run export_runs EXPORTABLE",
    "mindscope.reading.failures": "FailurePaths find_failures read_failures",
    "mindscope.reading.graphs": "GraphReaders read_graphs",
    "mindscope.reading.inspect": "RunReport inspect_run",
    "mindscope.reading.lineage": "read_lineage",
    "mindscope.reading.lineage_output": "json_cell write_lineage_json write_lineage_parquet",
    "mindscope.reading.lineage_rows": "ScalarChoice compare_runs",
    "mindscope.reading.lineage_table": "LineageTable",
    "mindscope.reading.lineage_tables": "LineageTables",
    "mindscope.reading.open": "open_run open_runs",
    "mindscope.reading.pack": "PackReport pack_runs",
    "mindscope.reading.plot_runs": "PlotChoice figure_of_run figure_of_runs plot_of_runs",
    "mindscope.reading.printed": "printed_values",
    "mindscope.reading.profiles": "RunProfiles",
    "mindscope.reading.repair": "RepairedFile RepairReport repair_runs",
    "mindscope.reading.run": "Run",
    "mindscope.reading.run_debug": "debug_of_run open_debug",
    "mindscope.reading.runs": "Runs",
    "mindscope.reading.scalars": "ScalarPoint Scalars",
    "mindscope.reading.sql.limits": "QueryLimits SqlSource",
    "mindscope.reading.sql.query": "run_query",
    "mindscope.reading.sql.result": "QueryResult",
    "mindscope.reading.tensorboard_export": "export_tensorboard",
    "mindscope.reading.training_logs": "TrainingLogs",
    "mindscope.reading.values": "Histograms Sample Values",
    "mindscope.types": "Kind",
}

__getattr__ = lazy_names(__name__, _MODULES)
