# SPDX-License-Identifier: Apache-2.0
"""The training side for PyTorch: what a script imports, loaded when it is first used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mindscope.torch.callbacks.callback import Callback as Callback
    from mindscope.torch.callbacks.checkpoint import ModelCheckpoint as ModelCheckpoint
    from mindscope.torch.callbacks.checkpoint_config import CheckpointConfig as CheckpointConfig
    from mindscope.torch.callbacks.early_stopping import EarlyStopping as EarlyStopping
    from mindscope.torch.callbacks.history import History as History
    from mindscope.torch.callbacks.lambda_callback import LambdaCallback as LambdaCallback
    from mindscope.torch.callbacks.learning_rate import LearningRateScheduler as LearningRateScheduler
    from mindscope.torch.callbacks.loss_monitor import LossMonitor as LossMonitor
    from mindscope.torch.callbacks.reduce_lr_on_plateau import ReduceLROnPlateau as ReduceLROnPlateau
    from mindscope.torch.callbacks.time_monitor import TimeMonitor as TimeMonitor
    from mindscope.torch.core.distributed import get_group_size as get_group_size
    from mindscope.torch.core.distributed import get_rank as get_rank
    from mindscope.torch.core.distributed import init as init
    from mindscope.torch.core.distributed import rank_directory as rank_directory
    from mindscope.torch.core.distributed import release as release
    from mindscope.torch.core.run_context import RunContext as RunContext
    from mindscope.torch.core.serialization import load_checkpoint as load_checkpoint
    from mindscope.torch.core.serialization import load_param_into_net as load_param_into_net
    from mindscope.torch.core.serialization import save_checkpoint as save_checkpoint
    from mindscope.torch.debugging import Debugger as Debugger
    from mindscope.torch.dump.dump import Dump as Dump
    from mindscope.torch.dump.marks import set_dump as set_dump
    from mindscope.torch.graphs import graph_of as graph_of
    from mindscope.torch.graphs.save_graphs import save_stages as save_stages
    from mindscope.torch.integrations.tool_observers import RunningDataObserver as RunningDataObserver
    from mindscope.torch.landscapes.common_plane import common_landscapes as common_landscapes
    from mindscope.torch.landscapes.landscape import landscape as landscape
    from mindscope.torch.landscapes.sharpness import Sharpness as Sharpness
    from mindscope.torch.landscapes.sharpness import sharpness as sharpness
    from mindscope.torch.landscapes.summary_landscape import SummaryLandscape as SummaryLandscape
    from mindscope.torch.metrics import F1 as F1
    from mindscope.torch.metrics import MAE as MAE
    from mindscope.torch.metrics import MSE as MSE
    from mindscope.torch.metrics import ROC as ROC
    from mindscope.torch.metrics import Accuracy as Accuracy
    from mindscope.torch.metrics import BleuScore as BleuScore
    from mindscope.torch.metrics import ConfusionMatrix as ConfusionMatrix
    from mindscope.torch.metrics import ConfusionMatrixMetric as ConfusionMatrixMetric
    from mindscope.torch.metrics import CosineSimilarity as CosineSimilarity
    from mindscope.torch.metrics import Dice as Dice
    from mindscope.torch.metrics import Fbeta as Fbeta
    from mindscope.torch.metrics import HausdorffDistance as HausdorffDistance
    from mindscope.torch.metrics import Loss as Loss
    from mindscope.torch.metrics import MeanSurfaceDistance as MeanSurfaceDistance
    from mindscope.torch.metrics import Metric as Metric
    from mindscope.torch.metrics import OcclusionSensitivity as OcclusionSensitivity
    from mindscope.torch.metrics import Perplexity as Perplexity
    from mindscope.torch.metrics import Precision as Precision
    from mindscope.torch.metrics import Recall as Recall
    from mindscope.torch.metrics import RootMeanSquareDistance as RootMeanSquareDistance
    from mindscope.torch.metrics import Top1CategoricalAccuracy as Top1CategoricalAccuracy
    from mindscope.torch.metrics import Top5CategoricalAccuracy as Top5CategoricalAccuracy
    from mindscope.torch.metrics import TopKCategoricalAccuracy as TopKCategoricalAccuracy
    from mindscope.torch.metrics import auc as auc
    from mindscope.torch.metrics import get_metric_fn as get_metric_fn
    from mindscope.torch.metrics import names as names
    from mindscope.torch.metrics import rearrange_inputs as rearrange_inputs
    from mindscope.torch.print_operator import Print as Print
    from mindscope.torch.profiler import Profiler as Profiler
    from mindscope.torch.running_data.recorder import RunningDataRecorder as RunningDataRecorder
    from mindscope.torch.summary.landscape_collector import LandscapeCollector as LandscapeCollector
    from mindscope.torch.summary.legacy import EvalLineage as EvalLineage
    from mindscope.torch.summary.legacy import SummaryStep as SummaryStep
    from mindscope.torch.summary.legacy import TrainLineage as TrainLineage
    from mindscope.torch.summary.operators import HistogramSummary as HistogramSummary
    from mindscope.torch.summary.operators import ImageSummary as ImageSummary
    from mindscope.torch.summary.operators import ScalarSummary as ScalarSummary
    from mindscope.torch.summary.operators import TensorSummary as TensorSummary
    from mindscope.torch.summary.summary_buffer import collecting as collecting
    from mindscope.torch.summary.summary_buffer import discard_values as discard_values
    from mindscope.torch.summary.summary_buffer import not_collecting as not_collecting
    from mindscope.torch.summary.summary_buffer import start_collecting as start_collecting
    from mindscope.torch.summary.summary_buffer import stop_collecting as stop_collecting
    from mindscope.torch.summary.summary_buffer import take_values as take_values
    from mindscope.torch.summary.summary_collector import SummaryCollector as SummaryCollector
    from mindscope.torch.summary.summary_record import SummaryRecord as SummaryRecord
    from mindscope.torch.training.model import Model as Model
    from mindscope.torch.training.set_context import GRAPH_MODE as GRAPH_MODE
    from mindscope.torch.training.set_context import PYNATIVE_MODE as PYNATIVE_MODE
    from mindscope.torch.training.set_context import set_context as set_context

_MODULES = {
    "callbacks.callback": "Callback",
    "callbacks.checkpoint": "ModelCheckpoint",
    "callbacks.checkpoint_config": "CheckpointConfig",
    "callbacks.early_stopping": "EarlyStopping",
    "callbacks.history": "History",
    "callbacks.lambda_callback": "LambdaCallback",
    "callbacks.learning_rate": "LearningRateScheduler",
    "callbacks.loss_monitor": "LossMonitor",
    "callbacks.reduce_lr_on_plateau": "ReduceLROnPlateau",
    "callbacks.time_monitor": "TimeMonitor",
    "core.distributed": "get_group_size get_rank init rank_directory release",
    "core.run_context": "RunContext",
    "core.serialization": "load_checkpoint load_param_into_net save_checkpoint",
    "debugging": "Debugger",
    "dump.dump": "Dump",
    "dump.marks": "set_dump",
    "graphs": "graph_of",
    "graphs.save_graphs": "save_stages",
    "integrations.tool_observers": "RunningDataObserver",
    "landscapes.common_plane": "common_landscapes",
    "landscapes.landscape": "landscape",
    "landscapes.sharpness": "Sharpness sharpness",
    "landscapes.summary_landscape": "SummaryLandscape",
    "metrics": (
        "Accuracy BleuScore ConfusionMatrix ConfusionMatrixMetric CosineSimilarity Dice F1 Fbeta HausdorffDistance "
        "Loss MAE MSE MeanSurfaceDistance Metric OcclusionSensitivity Perplexity Precision ROC Recall "
        "RootMeanSquareDistance Top1CategoricalAccuracy Top5CategoricalAccuracy TopKCategoricalAccuracy auc "
        "get_metric_fn names rearrange_inputs"
    ),
    "print_operator": "Print",
    "profiler": "Profiler",
    "summary.landscape_collector": "LandscapeCollector",
    "summary.legacy": "EvalLineage SummaryStep TrainLineage",
    "summary.operators": "HistogramSummary ImageSummary ScalarSummary TensorSummary",
    "summary.summary_buffer": "collecting discard_values not_collecting start_collecting stop_collecting take_values",
    "summary.summary_collector": "SummaryCollector",
    "summary.summary_record": "SummaryRecord",
    "training.model": "Model",
    "running_data.recorder": "RunningDataRecorder",
    "training.set_context": "GRAPH_MODE PYNATIVE_MODE set_context",
}
"""Module -> the public names that it holds."""

_HOMES = {name: module for module, names in _MODULES.items() for name in names.split()}

__all__ = sorted(_HOMES)  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    """Load the module that holds a public name."""
    if name not in _HOMES:
        raise AttributeError(f"mindscope.torch has no {name!r}, it has {', '.join(__all__)}")
    value = globals()[name] = getattr(import_module(f"mindscope.torch.{_HOMES[name]}"), name)
    return value


def __dir__() -> list[str]:
    return __all__
