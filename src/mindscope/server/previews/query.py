# SPDX-License-Identifier: Apache-2.0
"""Previews of graphs, data pipelines and landscapes for the dashboard, as messages."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable
from dataclasses import asdict
from typing import Any, Literal, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from mindscope.analysis.graph_preview import preview_graphs
from mindscope.analysis.previews import framework_of, newest_landscape, preview_pipeline
from mindscope.analysis.restarts import restart_steps
from mindscope.analysis.stored_values import find_values
from mindscope.ingest import Catalog
from mindscope.limited_process import READER_LIMITS
from mindscope.reading import Run
from mindscope.reading.graphs import GraphReaders
from mindscope.reasons import Reason, unforeseen_reason
from mindscope.server.http.schema import ReasonEntry
from mindscope.server.previews.schema import GraphPreview, LandscapePreview, PipelinePreview, Previews
from mindscope.types import Damage, Kind, Landscape

log = logging.getLogger(__name__)

T = TypeVar("T")


def preview_run(run: Run, readers: GraphReaders) -> Previews:
    """Return the previews of the newest graph, data pipeline and landscape of a run."""
    version = run.store.version
    problems: list[ReasonEntry] = []

    def newest_graph(run: Run) -> GraphPreview | None:
        unread: dict[str, Reason] = {}
        graphs = tuple(run.graphs(readers, unread).values())
        problems.extend(ReasonEntry.of(each) for each in unread.values())
        return GraphPreview.model_validate(asdict(preview_graphs(graphs))) if graphs else None

    previews = {
        "graph": _part(newest_graph, run, problems),
        "pipeline": _part(_newest_pipeline, run, problems),
        "landscape": _part(_newest_landscape, run, problems),
    }
    found = [_problem(damage) for damage in run.damages[len(run.store.damages) :]]
    return Previews(
        run=run.id,
        version=version,
        framework=_part(_framework, run, problems),
        landscapes=list(run.store.tags(Kind.LANDSCAPE)),
        restarts=_part(_restarts, run, problems) or [],
        problems=found + problems,
        **cast(Any, previews),
    )


def with_landscape(previews: Previews, catalog: Catalog, tag: str) -> Previews:
    """Return the same previews with the newest landscape of ``tag``.

    Raises TagNotFoundError, FormatError if the landscape can't be read.
    """
    values = find_values(catalog.run(previews.run), Kind.LANDSCAPE, tag)
    landscape: Landscape = values.read(values.references, len(values.references) - 1)
    return previews.model_copy(update={"landscape": _landscape_preview(tag, landscape)})


def _part(preview: Callable[[Run], T | None], run: Run, problems: list[ReasonEntry]) -> T | None:
    """Return one of the previews; None if it fails, so that the others are still shown."""
    try:
        return preview(run)
    except Exception as error:
        log.exception("%s of run %s", preview.__name__, run.id)
        problems.append(ReasonEntry.of(unforeseen_reason(error)))
        return None


def _framework(run: Run) -> Literal["pytorch", "mindspore"] | None:
    return framework_of(run.lineage)


def _restarts(run: Run) -> list[int]:
    return restart_steps(run.store)


def _newest_pipeline(run: Run) -> PipelinePreview | None:
    pipeline = run.dataset_graph
    return PipelinePreview.model_validate(asdict(preview_pipeline(pipeline))) if pipeline else None


def _newest_landscape(run: Run) -> LandscapePreview | None:
    newest = newest_landscape(run.landscapes())
    return newest and _landscape_preview(*newest)


def _problem(damage: Damage) -> ReasonEntry:
    if isinstance(damage.detail, Reason) and damage.detail.code in READER_LIMITS:
        return ReasonEntry.of(damage.detail)  # the record is not damaged
    return ReasonEntry.of(Reason("record_damaged", file=damage.file, offset=damage.offset, detail=damage.detail))


def _landscape_preview(tag: str, landscape: Landscape) -> LandscapePreview:
    """Return the whole landscape: it has some thousand numbers."""
    path = landscape.path_z
    return LandscapePreview(
        tag=tag,
        x=_floats(landscape.x),
        y=_floats(landscape.y),
        losses=[_floats_or_null(row) for row in np.atleast_2d(landscape.z)],
        path_x=_floats(landscape.path_x),
        path_y=_floats(landscape.path_y),
        path_losses=[] if path is None else _floats_or_null(path),
    )


def _floats(values: NDArray[Any] | None) -> list[float]:
    return [] if values is None else [float(value) for value in values.reshape(-1)]


def _floats_or_null(values: NDArray[Any]) -> list[float | None]:
    return [value if math.isfinite(value) else None for value in _floats(values)]
