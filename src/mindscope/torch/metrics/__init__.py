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
from mindscope.torch.metrics.metric import Metric
from mindscope.torch.metrics.names import get_metric_fn, names
from mindscope.torch.metrics.regression import MAE, MSE, Loss
from mindscope.torch.metrics.similarity import CosineSimilarity
from mindscope.torch.metrics.text import BleuScore, Perplexity

__all__ = [
    "F1",
    "MAE",
    "MSE",
    "ROC",
    "Accuracy",
    "BleuScore",
    "ConfusionMatrix",
    "CosineSimilarity",
    "Fbeta",
    "Loss",
    "Metric",
    "Perplexity",
    "Precision",
    "Recall",
    "Top1CategoricalAccuracy",
    "Top5CategoricalAccuracy",
    "TopKCategoricalAccuracy",
    "auc",
    "get_metric_fn",
    "names",
]
