# SPDX-License-Identifier: Apache-2.0
"""Measures how far the surfaces of two regions are apart, in pixels. SciPy finds the surfaces and the distances.

torchmetrics has these distances for square pictures only, in memory that grows with the square of their pixels.
"""

from __future__ import annotations

from abc import abstractmethod
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.errors import MissingPackageError
from mindscope.torch.core.arguments import check_choice, check_flag, check_number
from mindscope.torch.metrics.metric import Metric

DISTANCES = ("euclidean", "chessboard", "taxicab")
Distances = NDArray[np.float64]


@cache
def _ndimage() -> Any:
    try:
        return import_module("scipy.ndimage")
    except ImportError as error:
        raise MissingPackageError(
            f"scipy is not there ({error}), and distances of surfaces need it; pip install scipy"
        ) from error


class _SurfaceMetric(Metric):
    """A number about the distances of each pixel of one surface from the other one."""

    packages = ("scipy",)

    def __init__(self, distance_metric: str, is_both_ways: bool) -> None:
        self.distance_metric = check_choice("distance_metric", distance_metric, DISTANCES)
        self._is_both_ways = is_both_ways
        self.clear()

    def clear(self) -> None:
        """Forget all pictures."""
        self._edges: tuple[NDArray[Any], NDArray[Any]] | None = None

    def update(self, *inputs: Any) -> None:
        """Take prediction and label of one shape, and the class whose region counts; the last ``update`` counts.

        Raises:
            TypeError: the class is no number.
            ValueError: another number of inputs, different or empty shapes, a class that is in neither of the two.
        """
        name = type(self).__name__
        if len(inputs) != 3:
            raise ValueError(f"{name}.update got {len(inputs)} inputs, want 3: prediction, label and class")
        prediction, label = self._convert_data(inputs[0]), self._convert_data(inputs[1])
        index = check_number("class", inputs[2])
        if prediction.shape != label.shape or not prediction.size:
            shapes = f"prediction of shape {prediction.shape} and label of shape {label.shape}"
            raise ValueError(f"{name} got {shapes}, want equal shapes that are not empty")
        if index not in prediction and index not in label:
            raise ValueError(f"{name} got class {inputs[2]}, want one that is in prediction or label")
        self._edges = _edges(prediction == index), _edges(label == index)

    def eval(self) -> float:
        """Return the distance in pixels; infinite if one of the surfaces is empty.

        Raises RuntimeError without any ``update``.
        """
        if self._edges is None:
            raise RuntimeError(f"{type(self).__name__}.eval() came before any update(), want one")
        prediction, label = self._edges
        there = self._distances(prediction, label)
        back = self._distances(label, prediction) if self._is_both_ways else there
        if not there.size or not back.size:
            return float("inf")
        return float(self._reduce(there, back))

    @abstractmethod
    def _reduce(self, there: Distances, back: Distances) -> Any:
        """Return the number out of the distances in both directions, which are equal for a one-way metric."""

    def _distances(self, edges: NDArray[Any], others: NDArray[Any]) -> Distances:
        if not edges.any():
            return np.empty(0)
        if not others.any():
            return np.full(int(edges.sum()), np.inf)
        ndimage: Any = _ndimage()
        if self.distance_metric == "euclidean":
            return ndimage.distance_transform_edt(~others)[edges]
        return ndimage.distance_transform_cdt(~others, metric=self.distance_metric)[edges].astype(np.float64)


def _edges(region: NDArray[Any]) -> NDArray[Any]:
    """Return the pixels of a region that have a neighbor outside of it."""
    return _ndimage().binary_erosion(region) ^ region


class HausdorffDistance(_SurfaceMetric):
    """The largest distance of a pixel of one surface from the other surface.

    Args:
        distance_metric: ``euclidean``, ``chessboard`` or ``taxicab``.
        percentile: of the distances, 0 to 100, in place of the largest.
        directed: only from the prediction to the label.
        crop: taken for scripts that say it: the distances are the same with and without.

    Raises:
        TypeError, ValueError: arguments of another type or range.
    """

    def __init__(
        self,
        distance_metric: str = "euclidean",
        percentile: float | None = None,
        directed: bool = False,
        crop: bool = True,
    ) -> None:
        super().__init__(distance_metric, is_both_ways=not check_flag("directed", directed))
        self.percentile = 100.0 if percentile is None else check_number("percentile", percentile)
        if not 0 <= self.percentile <= 100:
            raise ValueError(f"percentile is {percentile}, want 0 to 100")
        self.directed, self.crop = directed, check_flag("crop", crop)

    def _reduce(self, there: Distances, back: Distances) -> Any:
        return max(np.percentile(there, self.percentile), np.percentile(back, self.percentile))


class MeanSurfaceDistance(_SurfaceMetric):
    """The mean distance of the surface of the prediction from that of the label.

    Args:
        symmetric: the mean of that and the mean distance the other way round.
        distance_metric: ``euclidean``, ``chessboard`` or ``taxicab``.

    Raises:
        TypeError, ValueError: arguments of another type or value.
    """

    def __init__(self, symmetric: bool = False, distance_metric: str = "euclidean") -> None:
        super().__init__(distance_metric, is_both_ways=check_flag("symmetric", symmetric))
        self.symmetric = symmetric

    def _reduce(self, there: Distances, back: Distances) -> Any:
        return (there.mean() + back.mean()) / 2


class RootMeanSquareDistance(MeanSurfaceDistance):
    """The same as ``MeanSurfaceDistance``, with the root of the mean square in place of the mean."""

    def _reduce(self, there: Distances, back: Distances) -> Any:
        return np.sqrt((np.square(there).mean() + np.square(back).mean()) / 2)
