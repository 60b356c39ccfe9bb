# SPDX-License-Identifier: Apache-2.0
"""Loss landscapes as messages and columns."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from mindscope.analysis.stored_values import StoredValue, StoredValues, find_values
from mindscope.analysis.value_ids import value_ids
from mindscope.formats.barrier import as_format_error
from mindscope.ingest import Catalog
from mindscope.reading import Run
from mindscope.server.http.columns import Packed, pack
from mindscope.server.http.json_numbers import finite
from mindscope.server.http.run_cache import RunValueCache
from mindscope.server.http.run_stores import stores_of
from mindscope.server.http.schema import ReasonEntry
from mindscope.server.landscapes.schema import (
    LandscapeColumns,
    LandscapeComputation,
    LandscapeEntry,
    LandscapeHeader,
    LandscapeRun,
    LandscapesAnswer,
)
from mindscope.store import RunStore
from mindscope.types import Kind, Landscape, LandscapeFacts

MAX_RUNS = 4096
KINDS = frozenset({Kind.LANDSCAPE, Kind.TRAIN_LINEAGE})
NO_FACTS = LandscapeFacts()
NOTHING = np.empty(0)


@dataclass(frozen=True, slots=True)
class RunLandscapes:
    """The newest landscapes of a run, and what its lineage says."""

    run: LandscapeRun
    landscapes: tuple[LandscapeEntry, ...]


class LandscapeCache(RunValueCache[RunLandscapes]):
    """LRU cache; lists the landscapes of a run again after a landscape or its lineage was written."""

    def __init__(self) -> None:
        super().__init__(_read_landscapes, MAX_RUNS, KINDS)


def list_landscapes(catalog: Catalog, runs: list[str], cache: LandscapeCache) -> LandscapesAnswer:
    """Return the landscapes of each run that has any. Unreadable ones have a ``problem``."""
    found = [cache.get(store) for store in stores_of(catalog, runs) if store.tags(Kind.LANDSCAPE)]
    return LandscapesAnswer(
        runs=[each.run for each in found], landscapes=[entry for each in found for entry in each.landscapes]
    )


def _read_landscapes(run: Run) -> RunLandscapes:
    return RunLandscapes(_training_of(run), tuple(_entry(run.store, tag) for tag in run.store.tags(Kind.LANDSCAPE)))


def pack_landscape(run: str, tag: str, id: str, value: StoredValue) -> Packed:
    """Return a whole landscape with all that its log says of it. NaN and infinities stay what they are."""
    landscape: Landscape = value.decoded
    header = LandscapeHeader(
        run=run,
        tag=tag,
        id=id,
        unit=landscape.unit,
        step_per_epoch=landscape.step_per_epoch,
        interval=list(landscape.path_intervals),
        decomposition=landscape.decomposition,
        convergence=_finite_point(landscape.convergence_point),
        facts=landscape.facts and _computation(landscape.facts),
        columns=_columns(landscape),
    )
    return pack(header)


def _training_of(run: Run) -> LandscapeRun:
    train = run.lineage.train
    return LandscapeRun(
        run=run.id,
        network=train and train.network,
        optimizer=train and train.optimizer,
        learning_rate=finite(train.learning_rate) if train else None,
        loss_function=train and train.loss_function,
        batch_size=train and train.batch_size,
        epochs=train and train.epoch,
    )


def _entry(store: RunStore, tag: str) -> LandscapeEntry:
    found = find_values(store, Kind.LANDSCAPE, tag)
    id = value_ids(found.places)[-1]
    try:
        landscape = _newest(found)
    except Exception as error:
        return _described(store.id, tag, id, Landscape(NOTHING, NOTHING, NOTHING)).model_copy(
            update={"problem": ReasonEntry.of(as_format_error(error, Kind.LANDSCAPE.value))}
        )
    return _described(store.id, tag, id, landscape)


def _newest(found: StoredValues) -> Landscape:
    return found.read(found.places, len(found.places) - 1)


def _described(run: str, tag: str, id: str, landscape: Landscape) -> LandscapeEntry:
    facts = landscape.facts or NO_FACTS
    return LandscapeEntry(
        run=run,
        tag=tag,
        id=id,
        problem=None,
        columns=landscape.x.size,
        rows=landscape.y.size,
        unit=landscape.unit,
        step_per_epoch=landscape.step_per_epoch,
        interval=list(landscape.path_intervals),
        decomposition=landscape.decomposition,
        method=facts.method,
        plane_id=facts.plane_id,
        points_done=facts.points_done,
        points_total=facts.points_total,
        seconds_left=finite(facts.seconds_left),
        failure=facts.failure,
    )


def _columns(landscape: Landscape) -> LandscapeColumns:
    facts = landscape.facts or NO_FACTS
    path = [
        NOTHING if each is None else each.reshape(-1) for each in (landscape.path_x, landscape.path_y, landscape.path_z)
    ]
    length = min(each.size for each in path)  # a file may be wrong: a checkpoint has three numbers
    return LandscapeColumns(
        x=landscape.x,
        y=landscape.y,
        losses=landscape.z,
        evaluated=NOTHING if facts.evaluated is None else facts.evaluated,
        path_x=path[0][:length],
        path_y=path[1][:length],
        path_losses=path[2][:length],
        path_distances=NOTHING if facts.path_distances is None else facts.path_distances,
        path_lengths=NOTHING if facts.path_lengths is None else facts.path_lengths,
    )


def _computation(facts: LandscapeFacts) -> LandscapeComputation:
    return LandscapeComputation(
        method=facts.method,
        plane_id=facts.plane_id,
        degenerate=facts.degenerate,
        failure=facts.failure,
        explained_variance=[share for share in map(float, facts.explained_variance) if math.isfinite(share)],
        normalization=facts.normalization,
        num_samples=facts.num_samples,
        seed=facts.seed,
        evaluation=facts.evaluation,
        dtype=facts.dtype,
        dtype_error=finite(facts.dtype_error),
        seconds=finite(facts.seconds) or 0.0,
        points_done=facts.points_done,
        points_total=facts.points_total,
        seconds_left=finite(facts.seconds_left),
    )


def _finite_point(point: tuple[float, float, float] | None) -> tuple[float, float, float] | None:
    return point if point is not None and all(map(math.isfinite, point)) else None
