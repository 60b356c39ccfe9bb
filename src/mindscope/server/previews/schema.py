# SPDX-License-Identifier: Apache-2.0
"""Messages about graphs, data pipelines and landscapes as small pictures."""

from __future__ import annotations

from typing import Literal

from mindscope.server.http.schema import Answer, ReasonEntry


class ScopePreview(Answer):
    """An outermost scope, or an operation that stands in none; ``nodes`` counts the operations in it."""

    name: str
    nodes: int


class ScopeEdge(Answer):
    """Values that flow from one of the listed scopes to another, both as indices."""

    source: int
    target: int
    tensors: int


class GraphPreview(Answer):
    """The newest graph of a run: its largest outermost scopes and what flows between them."""

    name: str
    nodes: int
    edges: int
    graphs: int
    parameters: int
    scopes: list[ScopePreview]
    scopes_left_out: int
    flows: list[ScopeEdge]


class PipelineStage(Answer):
    """One stage of the data pipeline; ``detail`` is what tells most about it, "" without anything."""

    name: str
    detail: str


class PipelinePreview(Answer):
    """The stages of the data pipeline from the source on to what the training takes; of several sources the first."""

    stages: list[PipelineStage]
    sources: int


class LandscapePreview(Answer):
    """A loss landscape: losses row by row, null where one is no number.

    The path is where the training went on the plane; its three columns are of one length, empty without a path.
    """

    tag: str
    x: list[float]
    y: list[float]
    losses: list[list[float | None]]
    path_x: list[float]
    path_y: list[float]
    path_losses: list[float | None]


class Previews(Answer):
    """Null where the run holds none, or none that can be read: ``problems`` says why.

    ``framework`` is that of the training, null where the lineage does not name it. ``landscapes`` are the tags of all
    landscapes. Without a tag in the request, ``landscape`` is the newest one, of those with a path if any has one.
    """

    run: str
    version: int
    framework: Literal["pytorch", "mindspore"] | None
    graph: GraphPreview | None
    pipeline: PipelinePreview | None
    landscape: LandscapePreview | None
    landscapes: list[str]
    problems: list[ReasonEntry]
