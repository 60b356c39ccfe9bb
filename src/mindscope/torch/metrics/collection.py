# SPDX-License-Identifier: Apache-2.0
"""The metrics of a model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from typing import Any, cast

import torch

from mindscope.errors import MissingPackageError
from mindscope.torch.metrics.computed import plain
from mindscope.torch.metrics.metric import Metric
from mindscope.torch.metrics.names import get_metric_fn
from mindscope.torch.metrics.regression import Loss


def check_metrics(metrics: Any) -> dict[str, Any]:
    """Return metrics by name: from names, from a dict of name to metric, or from None.

    A metric is a ``Metric``, or an object of torchmetrics.

    Raises:
        TypeError, ValueError, KeyError: anything else.
        MissingPackageError: a package that one computes with is not installed.
    """
    named = _named(metrics)
    for name, metric in named.items():
        _check_packages(name, metric)
    return named


def _named(metrics: Any) -> dict[str, Any]:
    if metrics is None:
        return {}
    if isinstance(metrics, Mapping):
        named = cast("Mapping[str, Any]", metrics)
        return {name: _check_metric(name, metric) for name, metric in named.items()}
    if isinstance(metrics, str) or not isinstance(metrics, Iterable):
        raise TypeError(f"metrics is {type(metrics).__name__} {metrics!r}, want a set of names or a dict of metrics")
    return {name: get_metric_fn(name) for name in cast("Iterable[str]", metrics)}


def _check_packages(name: str, metric: Any) -> None:
    """Raise MissingPackageError now, not at the first evaluation, which may come after hours of training."""
    for package in metric.packages if isinstance(metric, Metric) else ():
        if find_spec(package) is None:
            raise MissingPackageError(
                f"{package} is not installed, and the metric {name!r} needs it; pip install {package}"
            )


def _check_metric(name: str, metric: Any) -> Any:
    if isinstance(metric, str):
        return get_metric_fn(metric)
    if isinstance(metric, Metric) or (hasattr(metric, "compute") and hasattr(metric, "reset")):
        return metric
    raise TypeError(f"metrics[{name!r}] is {type(metric).__name__}, want a Metric or an object of torchmetrics")


class Metrics:
    """The metrics of a model, fed with what its evaluating network gives.

    Args:
        metrics: by name.
        eval_indexes: which outputs are loss, prediction and label; None for all of them, as they are.
        device: where the predictions are.
    """

    def __init__(self, metrics: dict[str, Any], eval_indexes: list[int] | None, device: torch.device) -> None:
        if eval_indexes is not None and len(eval_indexes) != 3:
            raise ValueError(f"eval_indexes is {eval_indexes!r}, want three: of the loss, the prediction and the label")
        self._metrics, self._indexes, self._device = metrics, eval_indexes, device

    def __bool__(self) -> bool:
        """Return whether there are any."""
        return bool(self._metrics)

    def clear(self) -> None:
        """Forget the batches of all metrics."""
        for metric in self._metrics.values():
            if isinstance(metric, Metric):
                metric.clear()
            else:
                metric.reset()
                metric.to(self._device)

    def update(self, outputs: Any, is_ours: bool) -> None:
        """Add a batch to all metrics; ``is_ours`` if the outputs are loss, prediction and label."""
        if not isinstance(outputs, (list, tuple)):
            outputs = (outputs,)
        columns = cast("list[Any]", outputs)
        roles = self._indexes or ([0, 1, 2] if is_ours else None)
        for metric in self._metrics.values():
            chosen = self._chosen(metric, roles)
            metric.update(*(columns if chosen is None else [columns[each] for each in chosen]))

    def eval(self) -> dict[str, Any]:
        """Return the values by name."""
        return {
            name: metric.eval() if isinstance(metric, Metric) else plain(metric.compute())
            for name, metric in self._metrics.items()
        }

    def _chosen(self, metric: Any, roles: list[int] | None) -> list[int] | None:
        indexes = metric.indexes if isinstance(metric, Metric) else None
        if indexes is not None or roles is None:
            return indexes
        return roles[:1] if isinstance(metric, Loss) else roles[1:]
