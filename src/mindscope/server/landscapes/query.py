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
from mindscope.landscape.flatness import loss_rise
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
    LandscapeRise,
    LandscapeRun,
    LandscapesAnswer,
    LandscapeSharpness,
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
    stores = [store for store in stores_of(catalog, runs) if store.tags(Kind.LANDSCAPE)]
    found = [cache.get(store) for store in stores]
    return LandscapesAnswer(
        runs=[
            each.run.model_copy(update={"sharpness": _sharpness(store)})
            for store, each in zip(stores, found, strict=True)
        ],
        landscapes=[entry for each in found for entry in each.landscapes],
    )


def _sharpness(store: RunStore) -> LandscapeSharpness | None:
    """Return the newest curvature; scalars grow while a training runs, so it is not in the cache."""
    eigenvalues, traces = (_last(store, f"sharpness/{name}") for name in ("top_eigenvalue_1", "trace"))
    known = eigenvalues or traces
    if known is None:
        return None
    step = known[0]
    values = [finite(each[1]) if each is not None and each[0] == step else None for each in (eigenvalues, traces)]
    return LandscapeSharpness(step=step, top_eigenvalue=values[0], trace=values[1])


def _last(store: RunStore, tag: str) -> tuple[int, float] | None:
    """Return the last step of a scalar and its value."""
    series = store.scalars(tag)
    points = None if series is None else series.visible()
    return (int(points.step[-1]), float(points.value[-1])) if points is not None and len(points) else None


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
        sharpness=None,
    )


def _entry(store: RunStore, tag: str) -> LandscapeEntry:
    values = find_values(store, Kind.LANDSCAPE, tag)
    id = value_ids(values.references)[-1]
    try:
        landscape = _newest(values)
    except Exception as error:
        return _described(store.id, tag, id, Landscape(NOTHING, NOTHING, NOTHING)).model_copy(
            update={"problem": ReasonEntry.of(as_format_error(error, Kind.LANDSCAPE.value))}
        )
    return _described(store.id, tag, id, landscape)


def _newest(found: StoredValues) -> Landscape:
    return found.read(found.references, len(found.references) - 1)


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
        rise=_rise(landscape),
    )


def _rise(landscape: Landscape) -> LandscapeRise | None:
    rise = loss_rise(landscape)
    if rise is None:
        return None
    mean, highest, lowest = ([finite(number) for number in each] for each in (rise.mean, rise.highest, rise.lowest))
    return LandscapeRise(radius=rise.radius.tolist(), mean=mean, highest=highest, lowest=lowest)


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
