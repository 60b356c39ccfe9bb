# SPDX-License-Identifier: Apache-2.0
"""Metrics: what an evaluation gives. torchmetrics computes them, and its own objects serve as well."""

from mindscope.torch.metrics.classification import (
    F1,
    Accuracy,
    Fbeta,
    Precision,
    Recall,
    Top1CategoricalAccuracy,
    Top5CategoricalAccuracy,
    TopKCategoricalAccuracy,
)
from mindscope.torch.metrics.confusion import ConfusionMatrix
from mindscope.torch.metrics.curves import ROC, auc
from mindscope.torch.metrics.metric import Metric, rearrange_inputs
from mindscope.torch.metrics.names import get_metric_fn, names
from mindscope.torch.metrics.occlusion import OcclusionSensitivity
from mindscope.torch.metrics.rates import ConfusionMatrixMetric
from mindscope.torch.metrics.regression import MAE, MSE, Loss
from mindscope.torch.metrics.segmentation import Dice
from mindscope.torch.metrics.similarity import CosineSimilarity
from mindscope.torch.metrics.surfaces import HausdorffDistance, MeanSurfaceDistance, RootMeanSquareDistance
from mindscope.torch.metrics.text import BleuScore, Perplexity

__all__ = [
    "F1",
    "MAE",
    "MSE",
    "ROC",
    "Accuracy",
    "BleuScore",
    "ConfusionMatrix",
    "ConfusionMatrixMetric",
    "CosineSimilarity",
    "Dice",
    "Fbeta",
    "HausdorffDistance",
    "Loss",
    "MeanSurfaceDistance",
    "Metric",
    "OcclusionSensitivity",
    "Perplexity",
    "Precision",
    "Recall",
    "RootMeanSquareDistance",
    "Top1CategoricalAccuracy",
    "Top5CategoricalAccuracy",
    "TopKCategoricalAccuracy",
    "auc",
    "get_metric_fn",
    "names",
    "rearrange_inputs",
]
