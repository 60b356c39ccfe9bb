# SPDX-License-Identifier: Apache-2.0
"""Takes the metrics that a module of Lightning logs, in training and in evaluations, by the tags of curves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Evaluated = tuple[dict[str, Any], dict[str, Any], Any]
"""All metrics by name, the values of one evaluation by tag, and the data set."""


class LoggedMetrics:
    """The metrics that a module logs. A run has one lineage for its last validation and its last test.

    What is logged for an epoch is taken after Lightning computed it: Lightning calls some hooks of an epoch's end after
    ours, in which a module may log. And to compute a value early would wait for other processes, which are elsewhere.
    """

    def __init__(self) -> None:
        self._names = _CurveNames()
        self._before_evaluation: dict[str, Any] = {}
        self._before_epoch_end: dict[str, Any] | None = None  # None within an epoch
        self.begin_training()

    def begin_training(self) -> None:
        """Forget the evaluations before."""
        self._validated: dict[str, Any] = {}
        self._tested: dict[str, Any] = {}
        self._loaders: Any = None  # of the validation; of the test where there was none

    def of_step(self, trainer: Any) -> dict[str, Any]:
        """Return the values of this step by tag; ``trainer.logged_metrics`` also has those of other events."""
        return self._names.of_training(trainer._logger_connector.metrics["log"])

    def end_epoch(self, trainer: Any) -> None:
        """Remember the values that were logged before the epoch ends."""
        self._before_epoch_end = dict(trainer._logger_connector._logged_metrics)

    def of_epoch(self, trainer: Any) -> dict[str, Any]:
        """Return the values of the epoch that ended by tag; nothing where none has."""
        before, self._before_epoch_end = self._before_epoch_end, None
        if before is None:
            return {}
        return self._names.of_training(_new(trainer.logged_metrics, before))

    def begin_evaluation(self, trainer: Any) -> None:
        """Remember what was logged before."""
        self._before_evaluation = dict(trainer.callback_metrics)

    def validated(self, trainer: Any) -> Evaluated:
        """Return the metrics of a validation."""
        self._validated, self._loaders = self._evaluated(trainer), trainer.val_dataloaders
        return self._evaluation(trainer, self._validated)

    def tested(self, trainer: Any) -> Evaluated:
        """Return the metrics of a test."""
        self._tested = self._evaluated(trainer)
        if self._loaders is None:
            self._loaders = trainer.test_dataloaders
        return self._evaluation(trainer, self._tested)

    def _evaluated(self, trainer: Any) -> dict[str, Any]:
        before, self._before_evaluation = self._before_evaluation, {}
        return {name: value.item() for name, value in _new(trainer.callback_metrics, before).items()}

    def _evaluation(self, trainer: Any, logged: dict[str, Any]) -> Evaluated:
        tested = {f"test_{name}" if name in self._validated else name: value for name, value in self._tested.items()}
        curves = self._names.of_evaluation(logged, _logged_in_training(trainer))
        return self._validated | tested, curves, self._loaders


class _CurveNames:
    """Tags of what a module logs: the name that it has there, for a training or for its evaluations, but not both.

    A name that both log belongs to the training, or to what logged it first where that is known only later.
    """

    def __init__(self) -> None:
        self._trained: set[str] = set()
        self._evaluated: set[str] = set()

    def of_training(self, logged: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values by tag: the name, or ``train_NAME/auto``."""
        self._trained |= logged.keys() - self._evaluated
        return {name if name in self._trained else f"train_{name}/auto": value for name, value in logged.items()}

    def of_evaluation(self, logged: Mapping[str, Any], trained: set[str]) -> dict[str, Any]:
        """Return the values by tag: the name, or ``eval_NAME/auto``; ``trained`` are names that the training logs."""
        self._trained |= trained - self._evaluated
        self._evaluated |= logged.keys() - self._trained
        return {name if name in self._evaluated else f"eval_{name}/auto": value for name, value in logged.items()}


def _new(logged: Mapping[str, Any], before: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in logged.items() if before.get(name) is not value}


def _logged_in_training(trainer: Any) -> set[str]:
    """Return the names of what the module logs in training; of a value for step and epoch Lightning makes two."""
    try:
        kinds = [result.meta for result in trainer.fit_loop.epoch_loop._results.values()]
    except AttributeError:  # of another version
        return set()
    return {
        name
        for kind in kinds
        for name in ((f"{kind.name}_step", f"{kind.name}_epoch") if kind.on_step and kind.on_epoch else (kind.name,))
    }
