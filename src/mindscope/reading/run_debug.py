# SPDX-License-Identifier: Apache-2.0
"""The debugging data of a run: first bad number, watchpoints, comparison, single tensors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from os import PathLike
from pathlib import Path
from typing import Protocol, cast

import numpy as np

from mindscope.debug.compare import (
    Divergence,
    RankDifference,
    TensorDifferences,
    Tolerance,
    compare_ranks,
    compare_sources,
    known_pairs,
    tensor_differences,
)
from mindscope.debug.first_bad import FirstBad, find_first_bad
from mindscope.debug.model.fields import COLUMN, FIELDS
from mindscope.debug.model.source import DebugSource
from mindscope.debug.open import DebugData, with_cache
from mindscope.debug.watchpoints import Evaluation, evaluate_watchpoints, parse_watchpoint, recommended_watchpoints
from mindscope.debug.watchpoints.watchpoint import names_of
from mindscope.errors import DebugDataError, RunNotFoundError
from mindscope.ingest import Catalog
from mindscope.reading.debug import RecordedSource, has_statistics, problems_of
from mindscope.reading.debugging_data import OWN, debug_data_of, existing_cache
from mindscope.reading.mirrored import mirrored_run
from mindscope.reading.operator_pairs import remembered_pairs
from mindscope.reading.rank_runs import stores_of_ranks
from mindscope.reading.tensor_records import TensorRecord, TensorRecords
from mindscope.reasons import Reason
from mindscope.settings import load_settings
from mindscope.store import RunStore

_MOST_NAMED = 5


class RunDebug:
    """The debugging data of one training, as of now."""

    def __init__(
        self,
        source: DebugSource | DebugDataError,
        path: Path | None = None,
        dumps: Mapping[str, DebugData] | None = None,
    ) -> None:
        """``source`` may be the reason why there is none; ``dumps`` are other ones, by their names."""
        self._source, self._dumps = source, dumps or {}
        self.path = path
        """The run, file or directory that holds them; None if it is in memory only."""

    @property
    def source(self) -> DebugSource:
        """Tensors, steps and ranks. Raises DebugDataError if there are several of which one is to be chosen."""
        if isinstance(self._source, DebugDataError):
            raise self._source
        return self._source

    @property
    def problems(self) -> tuple[Reason, ...]:
        """What can't be read, or is left out, of the data that was read until now. Raises as ``source``."""
        return problems_of(self.source)

    @property
    def sources(self) -> tuple[str, ...]:
        """Names for ``of``: ``.`` is what a ``Debugger`` recorded, others are paths of dumps from the run."""
        return (*([OWN] if isinstance(self._source, RecordedSource) else []), *self._dumps)

    def of(self, name: str) -> RunDebug:
        """Return another source of the same run.

        Raises:
            DebugDataError: there is none of that name; the text has the others.
            FormatError, OSError: it can't be read.
        """
        if name == OWN and OWN in self.sources:
            return self
        dump = self._dumps.get(name)
        if dump is None:
            names = ", ".join(self.sources) or "none"
            raise DebugDataError(f"the run has no debugging data {name!r}; it has {names}")
        return RunDebug(dump.read(), dump.path, self._dumps)

    def first_bad(self) -> FirstBad | None:
        """Return the first operator in time whose inputs are finite and whose outputs are not.

        It returns None if none does damage.

        Raises FormatError, OSError if a step can't be read, like all methods below.
        """
        return find_first_bad(self.source)

    def watch(self, *watchpoints: str, steps: Iterable[int] | None = None, most_hits: int = 10_000) -> Evaluation:
        """Return the hits of watchpoints such as ``"tensor_too_large max_gt=1e4 @ encoder.*"``.

        Without any, it evaluates the recommended ones.

        Raises WatchpointError for a text that can't be parsed.
        """
        chosen = [parse_watchpoint(watchpoint) for watchpoint in watchpoints] or recommended_watchpoints()
        return evaluate_watchpoints(self.source, chosen, steps=steps, most_hits=most_hits)

    def compare(
        self,
        other: AnyDebug,
        *,
        by_hand: Mapping[str, str] | None = None,
        tolerance: float | None = None,
        step_offset: int | None = None,
        workspace: str | Path | None = None,
    ) -> Divergence:
        """Return where this training and another part. Raises DebugDataError if they have no common step.

        Args:
            other: another run, its ``debug``, its path, or a source of debugging data; also of another framework.
            by_hand: names of operators of this training with those of the other that match.
            tolerance: largest relative error of equal tensors; by default that of the dtype.
            step_offset: what is added to a step of this training to get that of the other; by default the one with
                which the tensors of the first steps agree, mostly 0.
            workspace: of a viewer, with the operators that were paired on its page; by default as in the settings.
        """
        reference = debug_of(other)
        pairs = {**(by_hand or {}), **self._remembered_pairs(reference, workspace, by_hand or {})}
        return compare_sources(
            self.source, reference.source, by_hand=pairs, tolerance=tolerance, step_offset=step_offset
        )

    def tensor_differences(
        self,
        other: AnyDebug,
        operator: str,
        step: int | None = None,
        *,
        rank: int | None = None,
        by_hand: Mapping[str, str] | None = None,
        step_offset: int | None = None,
        tolerance: Tolerance | None = None,
        workspace: str | Path | None = None,
    ) -> TensorDifferences:
        """Return how far the tensors of an operator are from those of another training, element by element.

        Of tensors whose elements were not recorded in both, what follows from their statistics.

        Args:
            other: the reference, as in ``compare``.
            operator: as in ``tensor``.
            step: by default the first that differs, else the last that both have.
            rank: by default the first.
            by_hand: as in ``compare``.
            step_offset: as in ``compare``.
            tolerance: of elements: ``Tolerance(atol=1e-6, rtol=1e-4)``.
            workspace: as in ``compare``.

        Raises:
            DebugDataError: the trainings have no such step or operator in common; the text names others.
        """
        reference = debug_of(other)
        pairs = {**(by_hand or {}), **self._remembered_pairs(reference, workspace, by_hand or {})}
        return tensor_differences(
            self.source, reference.source, operator, step, rank=rank, by_hand=pairs, step_offset=step_offset,
            tolerance=tolerance,
        )  # fmt: skip

    def _remembered_pairs(
        self, other: RunDebug, workspace: str | Path | None, by_hand: Mapping[str, str]
    ) -> dict[str, str]:
        """Return those of operators that both have and that ``by_hand`` does not name."""
        if self.path is None or other.path is None:
            return {}
        folder = load_settings({}).workspace if workspace is None else Path(workspace).expanduser()
        pairs = known_pairs(self.source, other.source, remembered_pairs(folder, self.path, other.path))
        return {one: pair for one, pair in pairs.items() if one not in by_hand and pair not in by_hand.values()}

    def compare_ranks(self) -> RankDifference | None:
        """Return where the ranks of a data-parallel training part; None if they never do, or only one was recorded."""
        return compare_ranks(self.source)

    def tensor(self, operator: str, step: int, *, rank: int | None = None) -> TensorRecords:
        """Return the tensors of an operator, a module or a parameter in a step: inputs, outputs, gradients, all calls.

        Args:
            operator: the name of an operator, path of a module, or name of a parameter, ``fc1.weight``.
            step: a recorded step.
            rank: by default the first.

        Raises:
            DebugDataError: the step was not recorded, or has no such operator; the text names others.
        """
        rank = self._rank(rank)
        tensors = self.tensors(step, rank=rank, operator=operator)
        if not tensors.records:
            there = dict.fromkeys(name for each in self.source.tensors for name in names_of(each) if name)
            near = [name for name in there if operator.lower() in name.lower()] or list(there)
            names = ", ".join(near[:_MOST_NAMED])
            raise DebugDataError(f"step {step} of rank {rank} has no operator {operator!r}; it has {names}, ...")
        return tensors

    def tensors(self, step: int, *, rank: int | None = None, operator: str | None = None) -> TensorRecords:
        """Return all tensors of a step, or those of an operator. Raises DebugDataError if the step was not recorded."""
        rank = self._rank(rank)
        recorded = self.source.at(step, rank)
        records: list[TensorRecord] = []
        for row in np.argsort(recorded.order, kind="stable").tolist():
            tensor = self.source.tensors[int(recorded.tensor[row])]
            if operator is not None and operator not in names_of(tensor):
                continue
            statistics = {field: float(recorded.values[row, COLUMN[field]]) for field in FIELDS}
            array = None if operator is None else self.source.array(step, rank, row)
            records.append(TensorRecord(tensor, step, rank, int(recorded.order[row]), statistics, array))
        return TensorRecords(tuple(records))

    def _rank(self, rank: int | None) -> int:
        if rank is None and not self.source.ranks:
            raise DebugDataError("the debugging data has no steps")
        return self.source.ranks[0] if rank is None else rank

    def __repr__(self) -> str:
        steps = sum(len(self.source.steps(rank)) for rank in self.source.ranks)
        return f"<debugging data of {len(self.source.tensors)} tensors, {steps} steps, {len(self.source.ranks)} ranks>"


class HasDebug(Protocol):
    """A ``Run``."""

    @property
    def debug(self) -> RunDebug:
        """Its debugging data. Raises DebugDataError if it has none."""
        ...


AnyDebug = RunDebug | HasDebug | DebugSource | str | PathLike[str]


def debug_of(value: AnyDebug) -> RunDebug:
    """Return the debugging data of a run, of its path, or of a source. Raises as ``open_debug``, and TypeError."""
    if isinstance(value, RunDebug):
        return value
    if isinstance(value, (str, PathLike)):
        return open_debug(Path(value))
    if isinstance(type(value).__dict__.get("debug"), property):
        return cast(HasDebug, value).debug
    if not hasattr(value, "tensors") or not hasattr(value, "at"):
        raise TypeError(
            f"other is {type(value).__name__}, want a run, its debug, a path, or a source of debugging data"
        )
    return RunDebug(cast(DebugSource, value))


def debug_of_run(store: RunStore, workspace: str | Path | None = None) -> RunDebug:
    """Return the debugging data that the runs of all ranks of a training hold.

    Without any, it takes a dump in or beside the run.

    ``workspace`` as in ``open_debug``.

    Raises DebugDataError if there is none.
    """
    stores = [each for each in stores_of_ranks(store) if has_statistics(each)]
    if stores:
        own = sorted(stores, key=lambda each: each is not store)  # counts if another one holds the same rank
        return RunDebug(RecordedSource(own), stores[0].path, _dumps_of(store.path, workspace))
    return _found_in(store.path, workspace)


def open_debug(path: str | Path, workspace: str | Path | None = None) -> RunDebug:
    """Return the debugging data of a run and of its other ranks.

    It takes all ranks below a directory, or files of another tool, as well.

    Args:
        path: of the run, directory or file.
        workspace: of a viewer, which keeps what is computed of the tensors of dumps; by default as in the settings.
            Without such a directory, nothing is kept.

    Raises:
        DebugDataError: there is none, or a directory holds those of several trainings.
        RunNotFoundError: the path does not exist.
        FormatError: it is damaged beyond reading.
    """
    directory = mirrored_run(path)
    if not directory.exists():
        raise RunNotFoundError(f"{directory} does not exist: give a run, or a directory with debugging data")
    stores = _stores_below(directory) if directory.is_dir() else []
    own = next((store for store in stores if store.path == directory and has_statistics(store)), None)
    if own is not None:
        return debug_of_run(own, workspace)
    stores = [store for store in stores if has_statistics(store)]
    return _of_ranks(stores, directory, workspace) if stores else _found_in(directory, workspace)


def _stores_below(directory: Path) -> list[RunStore]:
    catalog = Catalog(directory)
    catalog.refresh()
    return list(catalog.runs.values())


def _of_ranks(stores: list[RunStore], directory: Path, workspace: str | Path | None) -> RunDebug:
    """Raises DebugDataError if two of the runs hold the same rank: they are of different trainings."""
    ranks = [rank for store in stores for rank in RecordedSource([store]).ranks]
    first = min(stores, key=lambda store: RecordedSource([store]).ranks[0])
    if len(set(ranks)) < len(ranks):
        names = ", ".join(store.id for store in stores[:_MOST_NAMED])
        raise DebugDataError(f"{directory} holds debugging data of {len(stores)} trainings, choose one: {names}")
    return RunDebug(RecordedSource(stores), first.path, _dumps_of(directory, workspace))


def _found_in(directory: Path, workspace: str | Path | None) -> RunDebug:
    """One dump is the source; of several, one is to be chosen."""
    dumps = _dumps_of(directory, workspace)
    if not dumps:
        raise DebugDataError(
            f"{directory} holds no debugging data: record it with mindscope.torch.Debugger, or give a dump"
        )
    if len(dumps) == 1:
        found = next(iter(dumps.values()))
        return RunDebug(found.read(), found.path, dumps)
    names = ", ".join(list(dumps)[:_MOST_NAMED])
    several = DebugDataError(
        f"{directory} holds {len(dumps)} sets of debugging data, choose one with of(NAME) or --source NAME: {names}"
    )
    return RunDebug(several, directory, dumps)


def _dumps_of(directory: Path, workspace: str | Path | None) -> dict[str, DebugData]:
    """Return, by name, what was found in and beside the directory of a run. Empty where it can't be read."""
    cache = existing_cache(workspace)
    with suppress(OSError):
        return {name: with_cache(found, cache) for name, found in debug_data_of(directory)}
    return {}
