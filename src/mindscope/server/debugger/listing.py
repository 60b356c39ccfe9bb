# SPDX-License-Identifier: Apache-2.0
"""Lists the debugging data of runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mindscope.analysis.ranks import RankGroups
from mindscope.debug.model.source import DebugSource
from mindscope.debug.views.figures import figures_from
from mindscope.errors import MindscopeError
from mindscope.ingest import Catalog
from mindscope.reading.debug import has_statistics, problems_of
from mindscope.reading.debugging_data import OWN, dumps_of
from mindscope.reasons import Reason
from mindscope.server.debugger.schema import DebugRank, DebugSourceEntry, DebugSourcesAnswer, UnlistedDebugRun
from mindscope.server.debugger.sources import OpenSource, OpenSources
from mindscope.server.http.run_stores import stores_of
from mindscope.server.http.schema import ReasonEntry
from mindscope.store import RunStore

MOST_PROBLEMS = 20


def list_sources(catalog: Catalog, opened: OpenSources, runs: Sequence[str]) -> DebugSourcesAnswer:
    """Return the debugging data of each run. Ranks of one training have one source, listed with the first of them."""
    groups = RankGroups(catalog.runs)
    answer = DebugSourcesAnswer(sources=[], unlisted=[])
    seen: set[str] = set()
    for store in stores_of(catalog, runs):
        ranks = groups.of(store)
        if store.id not in seen and any(map(has_statistics, ranks)):
            seen.update(rank.id for rank in ranks)
            _list(answer, store.id, OWN, lambda id=store.id: opened.get(catalog, id, OWN))
        _list_dumps(answer, store, opened)
    return answer


def _list_dumps(answer: DebugSourcesAnswer, store: RunStore, opened: OpenSources) -> None:
    try:
        dumps = list(dumps_of(store))
    except OSError as error:
        answer.unlisted.append(UnlistedDebugRun(run=store.id, source=OWN, problem=ReasonEntry.of(error)))
        return
    for name, found in dumps:
        _list(answer, store.id, name, lambda name=name, found=found: opened.dump(store.id, name, found))


def _list(answer: DebugSourcesAnswer, run: str, source: str, open_it: Any) -> None:
    try:
        answer.sources.append(_entry(run, source, open_it()))
    except (MindscopeError, OSError) as error:
        problem = ReasonEntry.of(Reason("unreadable", detail=str(error)))
        answer.unlisted.append(UnlistedDebugRun(run=run, source=source, problem=problem))


def _entry(run: str, name: str, opened: OpenSource) -> DebugSourceEntry:
    source = opened.source
    tensors = len(source.tensors)  # before the problems, which it may find
    problems = [ReasonEntry.of(problem) for problem in problems_of(source)]
    return DebugSourceEntry(
        run=run,
        source=name,
        format=source.format,
        framework=source.framework,
        facts={str(key): str(value) for key, value in getattr(source, "facts", {}).items()},
        ranks=[_rank(source, rank) for rank in source.ranks],
        tensors=tensors,
        figures=[figure.name for figure in figures_from(source.fields)],
        problems=problems[:MOST_PROBLEMS],
        problem_count=len(problems),
        version=opened.version,
    )


def _rank(source: DebugSource, rank: int) -> DebugRank:
    steps = source.steps(rank)
    return DebugRank(
        rank=rank, steps=len(steps), first_step=steps[0] if steps else None, last_step=steps[-1] if steps else None
    )
