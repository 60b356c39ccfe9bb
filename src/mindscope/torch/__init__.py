# SPDX-License-Identifier: Apache-2.0
"""The training side for PyTorch: what a script imports, loaded when it is first used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from mindscope.errors import FrameworkError

if TYPE_CHECKING:
    from mindscope.torch.callback import Callback as Callback
    from mindscope.torch.checkpoint import ModelCheckpoint as ModelCheckpoint
    from mindscope.torch.checkpoint_config import CheckpointConfig as CheckpointConfig
    from mindscope.torch.context import GRAPH_MODE as GRAPH_MODE
    from mindscope.torch.context import PYNATIVE_MODE as PYNATIVE_MODE
    from mindscope.torch.context import set_context as set_context
    from mindscope.torch.distributed import get_group_size as get_group_size
    from mindscope.torch.distributed import get_rank as get_rank
    from mindscope.torch.distributed import init as init
    from mindscope.torch.distributed import rank_directory as rank_directory
    from mindscope.torch.distributed import release as release
    from mindscope.torch.early_stopping import EarlyStopping as EarlyStopping
    from mindscope.torch.graphs import graph_of as graph_of
    from mindscope.torch.history import History as History
    from mindscope.torch.kept_values import collecting as collecting
    from mindscope.torch.kept_values import discard_values as discard_values
    from mindscope.torch.kept_values import not_collecting as not_collecting
    from mindscope.torch.kept_values import start_collecting as start_collecting
    from mindscope.torch.kept_values import stop_collecting as stop_collecting
    from mindscope.torch.kept_values import take_values as take_values
    from mindscope.torch.lambda_callback import LambdaCallback as LambdaCallback
    from mindscope.torch.learning_rate import LearningRateScheduler as LearningRateScheduler
    from mindscope.torch.legacy import EvalLineage as EvalLineage
    from mindscope.torch.legacy import SummaryStep as SummaryStep
    from mindscope.torch.legacy import TrainLineage as TrainLineage
    from mindscope.torch.loss_monitor import LossMonitor as LossMonitor
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
    from mindscope.torch.model import Model as Model
    from mindscope.torch.operators import HistogramSummary as HistogramSummary
    from mindscope.torch.operators import ImageSummary as ImageSummary
    from mindscope.torch.operators import ScalarSummary as ScalarSummary
    from mindscope.torch.operators import TensorSummary as TensorSummary
    from mindscope.torch.plateau import ReduceLROnPlateau as ReduceLROnPlateau
    from mindscope.torch.print_operator import Print as Print
    from mindscope.torch.profiler import Profiler as Profiler
    from mindscope.torch.run_context import RunContext as RunContext
    from mindscope.torch.save_graphs import save_stages as save_stages
    from mindscope.torch.serialization import load_checkpoint as load_checkpoint
    from mindscope.torch.serialization import load_param_into_net as load_param_into_net
    from mindscope.torch.serialization import save_checkpoint as save_checkpoint
    from mindscope.torch.summary_collector import SummaryCollector as SummaryCollector
    from mindscope.torch.summary_record import SummaryRecord as SummaryRecord
    from mindscope.torch.time_monitor import TimeMonitor as TimeMonitor

_MODULES = {
    "callback": "Callback",
    "checkpoint": "ModelCheckpoint",
    "checkpoint_config": "CheckpointConfig",
    "context": "GRAPH_MODE PYNATIVE_MODE set_context",
    "distributed": "get_group_size get_rank init rank_directory release",
    "early_stopping": "EarlyStopping",
    "graphs": "graph_of",
    "history": "History",
    "kept_values": "collecting discard_values not_collecting start_collecting stop_collecting take_values",
    "lambda_callback": "LambdaCallback",
    "learning_rate": "LearningRateScheduler",
    "legacy": "EvalLineage SummaryStep TrainLineage",
    "loss_monitor": "LossMonitor",
    "metrics": (
        "Accuracy BleuScore ConfusionMatrix ConfusionMatrixMetric CosineSimilarity Dice F1 Fbeta HausdorffDistance "
        "Loss MAE MSE MeanSurfaceDistance Metric OcclusionSensitivity Perplexity Precision ROC Recall "
        "RootMeanSquareDistance Top1CategoricalAccuracy Top5CategoricalAccuracy TopKCategoricalAccuracy auc "
        "get_metric_fn names rearrange_inputs"
    ),
    "model": "Model",
    "operators": "HistogramSummary ImageSummary ScalarSummary TensorSummary",
    "plateau": "ReduceLROnPlateau",
    "print_operator": "Print",
    "profiler": "Profiler",
    "run_context": "RunContext",
    "save_graphs": "save_stages",
    "serialization": "load_checkpoint load_param_into_net save_checkpoint",
    "summary_collector": "SummaryCollector",
    "summary_record": "SummaryRecord",
    "time_monitor": "TimeMonitor",
}
"""Module -> the public names that it holds."""

_NO_LANDSCAPE = (
    "mindscope.torch has no SummaryLandscape yet, only mindscope.mindspore has; until then keep the weights with "
    "SummaryCollector(summary_dir, collect_specified_data={'collect_landscape': {'intervals': [[1, 2, 3]]}}), which "
    "stay in summary_dir/ckpt_dir to be drawn later, or record losses that you computed yourself with "
    "SummaryRecord.add_value('landscape', name, mindscope.types.Landscape(x, y, z))"
)

_HOMES = {name: module for module, names in _MODULES.items() for name in names.split()}

__all__ = sorted(_HOMES)  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    """Load the module that holds a public name."""
    if name == "SummaryLandscape":  # of MindSpore's names the one that is not offered yet
        raise FrameworkError(_NO_LANDSCAPE)
    if name not in _HOMES:
        raise AttributeError(f"mindscope.torch has no {name!r}, it has {', '.join(__all__)}")
    value = globals()[name] = getattr(import_module(f"mindscope.torch.{_HOMES[name]}"), name)
    return value


def __dir__() -> list[str]:
    return __all__
