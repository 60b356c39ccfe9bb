# SPDX-License-Identifier: Apache-2.0
"""Messages about previews of graphs, data pipelines and landscapes, and about restarts."""

from __future__ import annotations

from typing import Literal

from mindscope.server.graphs.schema import SummaryAnswer
from mindscope.server.http.schema import Answer, ReasonEntry


class ScopePreview(Answer):
    """A scope, or an operation type of operations without a scope; ``nodes`` counts its operations."""

    name: str
    nodes: int


class ScopeEdge(Answer):
    """The number of ``tensors`` from one scope to another; both are indices into the scopes."""

    source: int
    target: int
    tensors: int


class GraphPreview(Answer):
    """The newest graph of a run: its largest scopes, and the tensors between them."""

    name: str
    nodes: int
    edges: int
    graphs: int
    parameters: int
    scopes: list[ScopePreview]
    scopes_left_out: int
    flows: list[ScopeEdge]
    summary: SummaryAnswer


class PipelineStage(Answer):
    """One stage of the data pipeline; ``detail`` is its most important setting, "" without any."""

    name: str
    detail: str


class PipelinePreview(Answer):
    """The stages of the data pipeline from the first source to the training; ``sources`` counts all sources."""

    stages: list[PipelineStage]
    sources: int


class LandscapePreview(Answer):
    """A loss landscape: losses row by row, null if a loss is not finite.

    The path is that of the training on the plane; its three columns have one length, and are empty without a path.
    """

    tag: str
    x: list[float]
    y: list[float]
    losses: list[list[float | None]]
    path_x: list[float]
    path_y: list[float]
    path_losses: list[float | None]


class Previews(Answer):
    """The previews of a run, null if it has none or none that can be read; ``problems`` says why.

    ``framework`` is that of the training, null if the lineage does not name it. ``landscapes`` are the tags of all
    landscapes. Without a tag in the request, ``landscape`` is the newest one with a path, else the newest of all.
    ``restarts`` are the steps from which restarts of the training recorded again.
    """

    run: str
    version: int
    framework: Literal["pytorch", "mindspore"] | None
    graph: GraphPreview | None
    pipeline: PipelinePreview | None
    landscape: LandscapePreview | None
    landscapes: list[str]
    restarts: list[int]
    problems: list[ReasonEntry]
