# SPDX-License-Identifier: Apache-2.0
"""Messages about loss landscapes."""

from __future__ import annotations

from pydantic import Field

from mindscope.server.http.columns import Float64, Uint8
from mindscope.server.http.schema import MAX_RUNS, Answer, Query, ReasonEntry


class LandscapesQuery(Query):
    """Runs whose landscapes are listed. An unknown run has none."""

    runs: list[str] = Field(max_length=MAX_RUNS)


class LandscapeRise(Answer):
    """How much higher the loss is than at the end of the training, at n distances from it on the plane.

    ``radius`` are the distances, as shares of the norm of the weights, ascending. ``mean``, ``highest`` and ``lowest``
    are over the directions of the plane; null is a loss that is infinite or NaN.
    """

    radius: list[float]
    mean: list[float | None]
    highest: list[float | None]
    lowest: list[float | None]


class LandscapeEntry(Answer):
    """The newest landscape of a tag.

    ``id`` is that of ``/api/values`` and changes with each newer one. ``interval`` holds the steps or epochs of the
    checkpoints on the path, empty without a path. ``rows`` is 1 for a line. While the landscape is computed,
    ``points_done`` is less than ``points_total``; both are 0 if the log does not say. A computation that stopped before
    its end has a ``failure``. Landscapes of one plane have one ``plane_id``, empty if the log does not say. ``rise`` is
    null if the log can't say how far points are from each other, or how flat the end is. With a ``problem``, the value
    can't be read, and the other facts are empty.
    """

    run: str
    tag: str
    id: str
    problem: ReasonEntry | None
    columns: int
    rows: int
    unit: str
    step_per_epoch: int
    interval: list[int]
    decomposition: str
    method: str
    plane_id: str
    points_done: int
    points_total: int
    seconds_left: float | None
    failure: str
    rise: LandscapeRise | None


class LandscapeSharpness(Answer):
    """The curvature of the loss at the last step at which ``sharpness()`` recorded it; null where it is not finite.

    ``top_eigenvalue`` and ``trace`` are those of the Hessian.
    """

    step: int
    top_eigenvalue: float | None
    trace: float | None


class LandscapeRun(Answer):
    """The facts of the training in the lineage of a run with landscapes; null where it has none.

    ``sharpness`` is null if it was not recorded.
    """

    run: str
    network: str | None
    optimizer: str | None
    learning_rate: float | None
    loss_function: str | None
    batch_size: int | None
    epochs: int | None
    sharpness: LandscapeSharpness | None


class LandscapesAnswer(Answer):
    """Landscapes in the order of the query's runs and of tags; ``runs`` are those with a landscape."""

    runs: list[LandscapeRun]
    landscapes: list[LandscapeEntry]


class LandscapeColumns(Answer):
    """float64, ``evaluated`` is uint8.

    ``losses`` are row by row, ``y`` by ``x``; NaN is a loss that is not known. ``evaluated`` has 0 where a loss is
    interpolated, and is empty if none is. The path has one number per checkpoint in ``path_x``, ``path_y`` and
    ``path_losses``; ``path_distances`` from the plane and ``path_lengths`` from its origin are empty if unknown.
    """

    x: Float64
    y: Float64
    losses: Float64
    evaluated: Uint8
    path_x: Float64
    path_y: Float64
    path_losses: Float64
    path_distances: Float64
    path_lengths: Float64


class LandscapeHeader(Answer):
    """The JSON header of a landscape as ``application/vnd.mindscope.columns``.

    ``facts`` say how it was computed, null if the log does not say. ``convergence`` is x, y and the loss of the last
    point of the training, null if it is unknown or not finite.
    """

    run: str
    tag: str
    id: str
    unit: str
    step_per_epoch: int
    interval: list[int]
    decomposition: str
    convergence: tuple[float, float, float] | None
    facts: LandscapeComputation | None
    columns: LandscapeColumns


class LandscapeComputation(Answer):
    """The computation of a landscape; a field is empty, 0 or null if it is unknown.

    ``method`` is pca, random, hessian, three or line. ``explained_variance`` is the share along x and y, 0 to 1.
    ``dtype_error`` is the largest relative difference to float32. ``degenerate`` is line or point if the checkpoints
    span no plane; the missing directions are then random. ``failure`` says why a computation stopped before its end.
    Equal ``plane_id`` mean that equal coordinates are equal weights.
    """

    method: str
    plane_id: str
    degenerate: str
    failure: str
    explained_variance: list[float]
    normalization: str
    num_samples: int
    seed: int | None
    evaluation: str
    dtype: str
    dtype_error: float | None
    seconds: float
    points_done: int
    points_total: int
    seconds_left: float | None
