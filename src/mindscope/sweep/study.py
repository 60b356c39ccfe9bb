# SPDX-License-Identifier: Apache-2.0
"""The trials of a sweep in Optuna's journal, which processes of several machines share."""

from __future__ import annotations

import json
import logging
import math
import warnings
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mindscope.errors import UsageError
from mindscope.sweep.config import SweepConfig
from mindscope.sweep.directory import JournalLock, SweepDirectory, SweepStatus
from mindscope.sweep.optuna_parts import optuna, pruner_of, sampler_of
from mindscope.sweep.parameters import Path as KeyPath
from mindscope.sweep.parameters import combinations
from mindscope.sweep.workers import DEAD_S, LATE_S, Worker

_REPLACES = "replaces"
"""The attribute of a trial that repeats another one, which was killed or stopped."""
_WORKER = "worker"
_LOG = logging.getLogger("mindscope")


@dataclass(frozen=True, slots=True)
class ClaimedTrial:
    """A trial that this process runs: its number from 0, the values of its parameters, and the trial of Optuna."""

    number: int
    values: Mapping[KeyPath, Any]
    handle: Any


class SweepStudy:
    """A study of Optuna. Methods that claim or return trials exclude other processes."""

    def __init__(self, config: SweepConfig, directory: SweepDirectory, worker: Worker) -> None:
        self._config, self._directory, self._worker = config, directory, worker
        self._states = optuna().trial.TrialState
        warnings.filterwarnings("ignore", module=r"optuna\.")
        sampler_of(config.method, config.seed)  # raises for a missing package before anything is written
        with directory.locked():
            self._study = self._opened()
            self._check_same()
            self._queue_grid()

    def _opened(self) -> Any:
        storages, path = optuna().storages, self._directory.journal
        config = self._config
        try:
            backend = storages.journal.JournalFileBackend(str(path), JournalLock(path.with_name("sweep.journal.lock")))
            return optuna().create_study(
                storage=storages.JournalStorage(backend), study_name=config.name, load_if_exists=True,
                direction="maximize" if config.metric and config.metric.is_maximized else "minimize",
                sampler=sampler_of(config.method, config.seed), pruner=pruner_of(config.pruner),
            )  # fmt: skip
        except ValueError as error:  # JSON
            raise UsageError(f"{path} is damaged: {error}; move the directory aside and start the sweep anew") from None

    def _check_same(self) -> None:
        """Raises UsageError if the study has other parameters or another goal."""
        metric = self._config.metric
        goal = None if metric is None else [metric.name, metric.is_maximized]
        wanted = json.dumps([sorted(map(str, self._config.spaces.items())), goal, self._config.method == "grid"])
        had = self._study.user_attrs.get("config")
        if had is None:
            self._study.set_user_attr("config", wanted)
        elif had != wanted:
            text = f"the sweep in {self._directory.path} has other parameters, another metric or goal"
            raise UsageError(f"{text}: give another name, or delete the directory")

    def _queue_grid(self) -> None:
        if self._config.method != "grid":
            return
        queued = {trial.user_attrs.get("grid") for trial in self._trials()}
        for number, pairs in enumerate(combinations(self._config.spaces)):
            if number not in queued:
                kept = {".".join(path): internal for path, (internal, _) in pairs.items()}
                self._study.enqueue_trial(kept, {"grid": number})

    def claim(self) -> ClaimedTrial | None:
        """Begin the next trial; None if there is none, or none now."""
        with self._directory.locked():
            self._replace_dead()
            trials = self._current()
            begun = sum(trial.state != self._states.WAITING for trial in trials)
            is_queued = begun < len(trials)
            if self._is_over(trials) or not (is_queued or self._config.method != "grid"):
                return None
            if self._config.run_cap is not None and begun >= self._config.run_cap:
                return None
            return self._begin(begun)

    def _begin(self, begun: int) -> ClaimedTrial:
        if self._config.seed is not None and self._config.method in ("random", "bayes", "tpe", "gp"):
            # a sampler of its own for each trial: processes that share a seed must not repeat each other
            self._study.sampler = sampler_of(self._config.method, self._config.seed + begun)
        trial = self._study.ask()
        trial.set_user_attr(_WORKER, self._worker.id)
        values = {path: space.suggested_by(trial, ".".join(path)) for path, space in self._config.spaces.items()}
        return ClaimedTrial(trial.number, values, trial)

    def _is_over(self, trials: list[Any]) -> bool:
        metric = self._config.metric
        values = [trial.value for trial in trials if trial.state == self._states.COMPLETE]
        return metric is not None and any(metric.reaches_target(value) for value in values)

    def awaits_others(self) -> bool:
        """Return whether a silent process may have died with a trial, which is then to be repeated."""
        running = [trial for trial in self._current() if trial.state == self._states.RUNNING]
        return any(LATE_S < self._silence(trial) <= DEAD_S for trial in running)

    def complete(self, trial: ClaimedTrial, value: float) -> None:
        """End a trial with its value."""
        self._study.tell(trial.handle, value, skip_if_finished=True)

    def prune(self, trial: ClaimedTrial) -> None:
        """End a trial that was not good enough."""
        self._study.tell(trial.handle, state=self._states.PRUNED, skip_if_finished=True)

    def fail(self, trial: ClaimedTrial) -> None:
        """End a trial without a value."""
        self._study.tell(trial.handle, state=self._states.FAIL, skip_if_finished=True)

    def put_back(self, trial: ClaimedTrial) -> None:
        """End a trial that was stopped, and queue it again."""
        with self._directory.locked():
            self._replace(self._frozen(trial.number))

    def report(self, trial: ClaimedTrial, iteration: int, value: float) -> None:
        """Add a value of the metric; ``iteration`` counts them from 1."""
        trial.handle.report(value, iteration)

    def should_prune(self, trial: ClaimedTrial) -> bool:
        """Return whether the pruner ends the trial."""
        return self._config.pruner is not None and trial.handle.should_prune()

    def status(self, problem: str = "") -> SweepStatus:
        """Return the counts and the best trial."""
        config, trials = self._config, self._current()
        complete = [trial for trial in trials if trial.state == self._states.COMPLETE and config.metric is not None]
        sign = -1 if config.metric and config.metric.is_maximized else 1
        best = min(complete, key=lambda trial: sign * trial.value, default=None)
        counts = Counter(trial.state for trial in trials)
        total = len(trials) if config.method == "grid" else config.run_cap
        return SweepStatus(
            name=config.name, file=str(config.path.absolute()), method=config.method,
            metric=config.metric and config.metric.name, is_maximized=sign < 0,
            total=min(total, config.run_cap or total) if total else None,
            complete=counts[self._states.COMPLETE], pruned=counts[self._states.PRUNED],
            failed=counts[self._states.FAIL],
            running=counts[self._states.RUNNING], best=best and best.value,
            best_trial=best and self._directory.trial(best.number).name, problem=problem,
        )  # fmt: skip

    def _replace_dead(self) -> None:
        for trial in self._current():
            if trial.state == self._states.RUNNING and self._silence(trial) > DEAD_S:
                _LOG.warning("trial %d was killed: it is begun again", trial.number)
                self._replace(trial)

    def _replace(self, trial: Any) -> None:
        """Queue the parameters of a trial again, once, then mark it as failed."""
        others = [other.user_attrs.get(_REPLACES) for other in self._trials()]
        if trial.number not in others:
            kept = {**trial.system_attrs.get("fixed_params", {}), **trial.params}
            attributes = {_REPLACES: trial.number, **{k: v for k, v in trial.user_attrs.items() if k == "grid"}}
            self._study.enqueue_trial(kept, attributes)
        self._study.tell(trial.number, state=self._states.FAIL, skip_if_finished=True)

    def _silence(self, trial: Any) -> float:
        worker = trial.user_attrs.get(_WORKER)
        if worker == self._worker.id:
            return 0.0
        return math.inf if worker is None else self._worker.silence_of(worker)

    def _frozen(self, number: int) -> Any:
        return next(trial for trial in self._trials() if trial.number == number)

    def _trials(self) -> list[Any]:
        return self._study.get_trials(deepcopy=False)

    def _current(self) -> list[Any]:
        """Return the trials without those that others replace."""
        trials = self._trials()
        replaced = {trial.user_attrs.get(_REPLACES) for trial in trials}
        return [trial for trial in trials if trial.number not in replaced]
