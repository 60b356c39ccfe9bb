# SPDX-License-Identifier: Apache-2.0
"""Reduces data pipelines to a few boxes, and chooses the landscape that a dashboard shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from mindscope.graph import DatasetNode
from mindscope.lineage import Lineage
from mindscope.lineage.run_row import ENVIRONMENT
from mindscope.types import Landscape


@dataclass(frozen=True, slots=True)
class PipelineStage:
    """A stage of a data pipeline; ``detail`` is its most important setting, "" without any."""

    name: str
    detail: str


@dataclass(frozen=True, slots=True)
class PipelinePreview:
    """The stages from the first source to the training; ``sources`` counts all sources."""

    stages: list[PipelineStage]
    sources: int


def framework_of(lineage: Lineage) -> Literal["pytorch", "mindspore"] | None:
    """Return the framework of a run.

    PyTorch's collector records facts of the run; any other run with a train lineage is of MindSpore.
    """
    if any(name.startswith(ENVIRONMENT) for name in lineage.custom):
        return "pytorch"
    return None if lineage.train is None else "mindspore"


def newest_landscape(landscapes: Mapping[str, Landscape]) -> tuple[str, Landscape] | None:
    """Return the newest surface with a path; without one the newest surface, else the newest line."""
    newest_first = reversed(list(landscapes.items()))
    return max(newest_first, key=lambda each: _preference(each[1]), default=None)


def _preference(landscape: Landscape) -> tuple[bool, bool]:
    return landscape.y.size > 1, landscape.path_x is not None


def preview_pipeline(last: DatasetNode) -> PipelinePreview:
    """Return the stages along the first child of each stage."""
    stages = [last]
    while stages[-1].children:
        stages.append(stages[-1].children[0])
    return PipelinePreview(
        stages=[PipelineStage(name=stage.op_type, detail=_stage_detail(stage)) for stage in reversed(stages)],
        sources=sum(not stage.children for stage in last.walk()),
    )


def _stage_detail(stage: DatasetNode) -> str:
    """Return the transforms of a map, the size of a batch or buffer, or a count; else ""."""
    if stage.operations:
        return ", ".join(operation.name for operation in stage.operations)
    for name in ("batch_size", "buffer_size", "count", "num_samples"):
        if name in stage.parameters:
            return f"{name} {stage.parameters[name]}"
    return ""
