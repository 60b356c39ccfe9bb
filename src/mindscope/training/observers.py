# SPDX-License-Identifier: Apache-2.0
"""``Observers``: the observers of one trainer, which reports each event once."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from typing import Any

from mindscope.training.observer import Step, Training, TrainingObserver

_log = logging.getLogger(__name__)


class Observers:
    """Passes the events of a trainer to observers, in their order. Only ``begin`` raises what an observer raises.

    The methods are the events of ``TrainingObserver``; ``batch_begin`` is the begin of a step too where it is one.
    Outside of a training it passes ``evaluated`` only, so a trainer need not know whether one runs.
    """

    def __init__(self, observers: Iterable[TrainingObserver]) -> None:
        self.all = tuple(observers)
        self.training: Training | None = None
        """The training that runs; None outside of one."""
        self.need_losses = any(each.needs_losses for each in self.all)
        self.need_metrics = any(each.needs_metrics for each in self.all)
        self.need_batch_ends = any(type(each).batch_end is not TrainingObserver.batch_end for each in self.all)
        self._begun: list[TrainingObserver] = []  # those that get an end
        self._is_new_step = True
        self._logged: set[tuple[str, str]] = set()  # observers and events whose failure was logged

    def begin(self, training: Training) -> None:
        """A training begins. Raises what an observer raises, after those that began got the error."""
        self.end(RuntimeError("another training begins"))
        self.training, self._is_new_step = training, True
        training.observers = training.observers or self.all
        try:
            for observer in self.all:
                self._begun.append(observer)
                observer.begin(training)
        except BaseException as error:
            self.end(error)
            raise

    def batch_begin(self, step: Step) -> None:
        if self._is_new_step:
            self._is_new_step = False
            self._report(self._begun, "step_begin", step)
        self._report(self._begun, "batch_begin", step)

    def batch_end(self, step: Step) -> None:
        self._is_new_step = step.is_over
        self._report(self._begun, "batch_end", step)

    def step_end(self, step: Step) -> None:
        self._report(self._begun, "step_end", step)

    def pause(self) -> None:
        self._report(self._begun, "pause")

    def epoch_end(self) -> None:
        self._report(self._begun, "epoch_end")

    def log(self, values: Mapping[str, Any], step: int) -> None:
        if values:
            self._report(self._begun, "log", values, step)

    def evaluated(self, metrics: dict[str, Any], curves: dict[str, Any], dataset: Any) -> None:
        self._report(self.all, "evaluated", metrics, curves, dataset)

    def end(self, error: BaseException | None = None) -> None:
        """The training is over, or failed; nothing happens outside of one."""
        begun, self._begun, self.training = self._begun, [], None
        if error is None:
            self._report(begun, "end")
        else:
            self._report(begun, "error", error)

    def _report(self, observers: Iterable[TrainingObserver], event: str, *given: Any) -> None:
        for observer in observers:
            try:
                getattr(observer, event)(*given)
            except Exception as error:
                key = (type(observer).__name__, event)
                if key not in self._logged:
                    self._logged.add(key)
                    what = (*key, type(error).__name__, error)
                    _log.warning("%s failed at %s, the training continues: %s: %s (logged once)", *what)
