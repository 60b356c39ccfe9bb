# SPDX-License-Identifier: Apache-2.0
"""Metrics by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mindscope.torch.metrics.classification import (
    F1,
    Accuracy,
    Precision,
    Recall,
    Top1CategoricalAccuracy,
    Top5CategoricalAccuracy,
    TopKCategoricalAccuracy,
)
from mindscope.torch.metrics.confusion import ConfusionMatrix
from mindscope.torch.metrics.curves import ROC, auc
from mindscope.torch.metrics.occlusion import OcclusionSensitivity
from mindscope.torch.metrics.rates import ConfusionMatrixMetric
from mindscope.torch.metrics.regression import MAE, MSE, Loss
from mindscope.torch.metrics.segmentation import Dice
from mindscope.torch.metrics.similarity import CosineSimilarity
from mindscope.torch.metrics.surfaces import HausdorffDistance, MeanSurfaceDistance, RootMeanSquareDistance
from mindscope.torch.metrics.text import BleuScore, Perplexity

_BY_NAME: dict[str, Callable[..., Any]] = {
    "accuracy": Accuracy,
    "acc": Accuracy,
    "precision": Precision,
    "recall": Recall,
    "F1": F1,
    "roc": ROC,
    "auc": auc,
    "bleu_score": BleuScore,
    "cosine_similarity": CosineSimilarity,
    "topk": TopKCategoricalAccuracy,
    "top_1_accuracy": Top1CategoricalAccuracy,
    "top_5_accuracy": Top5CategoricalAccuracy,
    "mae": MAE,
    "mse": MSE,
    "loss": Loss,
    "perplexity": Perplexity,
    "confusion_matrix": ConfusionMatrix,
    "confusion_matrix_metric": ConfusionMatrixMetric,
    "dice": Dice,
    "hausdorff_distance": HausdorffDistance,
    "mean_surface_distance": MeanSurfaceDistance,
    "root_mean_square_distance": RootMeanSquareDistance,
    "occlusion_sensitivity": OcclusionSensitivity,
}


def names() -> list[str]:
    """Return the names of the metrics, sorted."""
    return sorted(_BY_NAME)


def get_metric_fn(name: str, *args: Any, **kwargs: Any) -> Any:
    """Return the metric of that name, made with these arguments. Raises KeyError if there is none."""
    if name not in _BY_NAME:
        raise KeyError(f"metric is {name!r}, want one of {', '.join(names())}")
    return _BY_NAME[name](*args, **kwargs)
