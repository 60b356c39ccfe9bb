# SPDX-License-Identifier: Apache-2.0
"""The events that observers of a training get, in which order, and what their errors do."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from mindscope.training.observer import Step, Training, TrainingObserver
from mindscope.training.observers import Observers

EVENTS = [name for name in vars(TrainingObserver) if not name.startswith(("_", "needs_"))]


class Listing(TrainingObserver):
    """Lists the events; raises at one of them."""

    def __init__(self, fails_at: str = "") -> None:
        self.events: list[str] = []
        for name in EVENTS:
            setattr(self, name, lambda *given, name=name: self.hear(name, fails_at))

    def hear(self, name: str, fails_at: str) -> None:
        self.events.append(name)
        if name == fails_at:
            raise ValueError("mine")

    def take(self) -> list[str]:
        events, self.events = self.events, []
        return events


def training() -> Training:
    return Training(network=None, optimizers=[])


def test_a_step_begins_with_the_first_of_its_batches() -> None:
    listing = Listing()
    observers = Observers([listing])
    observers.begin(training())
    for is_over in (False, True, True):
        step = Step(1, 1, is_over=is_over)
        observers.batch_begin(step)
        observers.batch_end(step)
        if is_over:
            observers.step_end(step)
    observers.end()
    batch = ["batch_begin", "batch_end"]
    assert listing.take() == [
        "begin",
        "step_begin",
        *batch,
        *batch,
        "step_end",
        "step_begin",
        *batch,
        "step_end",
        "end",
    ]


def test_outside_of_a_training_only_evaluations_are_reported() -> None:
    listing = Listing()
    observers = Observers([listing])
    observers.batch_begin(Step(1, 1))
    observers.log({"loss": 1.0}, 1)
    observers.pause()
    observers.end()
    observers.evaluated({}, {}, None)
    assert listing.take() == ["evaluated"]
    observers.begin(training())
    observers.batch_begin(Step(1, 1))
    assert listing.take() == ["begin", "step_begin", "batch_begin"]


def test_a_training_that_begins_ends_the_one_before() -> None:
    listing = Listing()
    observers = Observers([listing])
    observers.begin(training())
    observers.begin(training())
    observers.end(ValueError("mine"))
    observers.end()
    assert listing.take() == ["begin", "error", "begin", "error"]
    assert observers.training is None


def test_an_error_at_the_begin_is_raised_after_all_that_began_got_it() -> None:
    first, failing, last = Listing(), Listing("begin"), Listing()
    observers = Observers([first, failing, last])
    with pytest.raises(ValueError, match="mine"):
        observers.begin(training())
    assert [each.take() for each in (first, failing, last)] == [["begin", "error"], ["begin", "error"], []]
    assert observers.training is None


@pytest.mark.parametrize("event", [name for name in EVENTS if name != "begin"])
def test_other_errors_reach_neither_the_trainer_nor_other_observers(
    event: str, caplog: pytest.LogCaptureFixture
) -> None:
    failing, other = Listing(event), Listing()
    observers = Observers([failing, other])
    with caplog.at_level(logging.WARNING, "mindscope"):
        for error in (None, KeyboardInterrupt()):
            observers.begin(training())
            for call in (observers.batch_begin, observers.batch_end, observers.step_end):
                call(Step(1, 1, is_over=True))
            observers.pause()
            observers.epoch_end()
            observers.log({"loss": 1.0}, 1)
            observers.evaluated({}, {}, None)
            observers.end(error)
    events = other.take()
    assert failing.take() == events
    assert set(events) == set(EVENTS)
    logged = [each for each in caplog.records if "(logged once)" in each.getMessage()]
    assert [each.args[:2] for each in logged if isinstance(each.args, tuple)] == [("Listing", event)]


def test_what_observers_need_is_what_any_of_them_needs() -> None:
    class Quiet(TrainingObserver):
        needs_losses = False

    class Metrics(Quiet):
        needs_metrics = True

    def needs(*given: Any) -> tuple[bool, bool]:
        observers = Observers(given)
        return observers.need_losses, observers.need_metrics

    assert needs() == needs(Quiet()) == (False, False)
    assert needs(Quiet(), TrainingObserver()) == (True, False)
    assert needs(Metrics(), Quiet()) == (False, True)
