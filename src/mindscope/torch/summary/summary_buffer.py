# SPDX-License-Identifier: Apache-2.0
"""The values of summary operators between the call and the record of the step.

One buffer a process: operators run deep inside of networks that know no recorder. It keeps values only between
``start_collecting`` and ``stop_collecting``. ``take_values`` and ``discard_values`` end a step. Nothing here raises on
the thread of a network: a value that can't be kept becomes a problem of the step, which its recorder counts.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

import torch

from mindscope.capture.drop_counter import DropReport
from mindscope.torch.summary.host_copy import HostCopy, Values
from mindscope.torch.summary.step_value import StepValue

_LOG = logging.getLogger("mindscope")
_MOST_PROBLEMS = 100  # of a step; a network that gives bad values in a loop must not fill the memory

Key = tuple[str, str]
"""Plugin and name."""


class StepValues(NamedTuple):
    """A step's values, still on their devices, and what could not be kept of it."""

    values: dict[Key, torch.Tensor]
    problems: dict[Key, DropReport]


class SummaryBuffer:
    """Values of the current step by plugin and name, in the order in which they came. Any thread may call it."""

    def __init__(self) -> None:
        self._lock = threading.RLock()  # guards the fields below; a recorder that is garbage collected takes it too
        self._collectors = 0  # calls of start without stop
        self._recorders = 0  # open recorders, which take the values of operators without a collector
        self._pauses = 0  # calls of pause without go_on
        self._values: dict[Key, StepValue] = {}
        self._problems: dict[Key, DropReport] = {}  # of the step

    @property
    def is_collecting(self) -> bool:
        """Whether any collector or recorder takes the values."""
        return self._collectors + self._recorders > 0

    @property
    def is_claimed(self) -> bool:
        """Whether a collector takes them, not only open recorders."""
        return self._collectors > 0

    @property
    def holds_values(self) -> bool:
        """Whether the step has any yet, or problems."""
        return bool(self._values or self._problems)

    def start(self) -> None:
        """Count one more collector."""
        with self._lock:
            self._collectors += 1

    def stop(self) -> None:
        """Count one collector less; the last one discards the values."""
        with self._lock:
            self._collectors = max(0, self._collectors - 1)
            if not self._collectors:
                self._values, self._problems = {}, {}

    def open_recorder(self) -> None:
        """Count one more recorder that takes the values of operators."""
        with self._lock:
            self._recorders += 1

    def close_recorder(self) -> None:
        """Count one recorder less, the opposite of ``open_recorder``."""
        with self._lock:
            self._recorders -= 1
            if not self.is_collecting:
                self._values, self._problems = {}, {}

    def pause(self) -> None:
        """Keep nothing, until ``go_on``."""
        with self._lock:
            self._pauses += 1

    def go_on(self) -> None:
        """End a ``pause``, and keep values again."""
        with self._lock:
            self._pauses -= 1

    def keep(self, plugin: str, name: str, reduce: str, value: torch.Tensor) -> None:
        """Clone ``value`` while collecting, and merge it with those that the step has of this name.

        A value that a backward pass gives again is ignored: activation checkpointing computes the forward there.
        """
        if not self.is_collecting or self._pauses:
            return
        is_backward = _is_in_backward()
        known = self._values.get((plugin, name))
        if known is not None and is_backward and not known.is_backward:
            return
        copy = value.detach().clone()
        with self._lock:
            known = self._values.setdefault((plugin, name), StepValue(reduce, is_backward))
            text = known.add(copy)
        # without a collector, a loop may record each 200th step only: the values of the others are not missing
        if text and (self._collectors or not known.is_replaced):
            self.note(plugin, name, DropReport(f"{plugin} {name!r} {text}", 1, is_drop=not known.is_replaced))

    def drop(self, plugin: str, name: str, text: str) -> None:
        """Count a value that can't be kept, while collecting."""
        if self.is_collecting and not self._pauses:
            self.note(plugin, name, DropReport(text, 1, is_drop=True))

    def note(self, plugin: str, name: str, problem: DropReport) -> None:
        """Add to the step's problems: the first text of each plugin and name, and how often."""
        with self._lock:
            known = self._problems.get((plugin, name))
            if known is not None:
                self._problems[plugin, name] = known._replace(lost=known.lost + problem.lost)
            elif len(self._problems) < _MOST_PROBLEMS:
                self._problems[plugin, name] = problem

    def discard(self) -> None:
        """Discard the step's values; the next step begins."""
        if self._values or self._problems:
            self.swap({}, {})

    def swap(
        self, values: dict[Key, StepValue], problems: dict[Key, DropReport]
    ) -> tuple[dict[Key, StepValue], dict[Key, DropReport]]:
        """Return the state of the step, which the given one replaces: for an evaluation inside of a step."""
        with self._lock:
            before = self._values, self._problems
            self._values, self._problems = values, problems
        return before

    def take(self) -> StepValues:
        """Return the step's values and problems; the next step begins."""
        kept, problems = self.swap({}, {})
        values = {
            (plugin, tag): tensor for (plugin, name), value in kept.items() for tag, tensor in value.tensors(name)
        }
        return StepValues(values, problems)


def _is_in_backward() -> bool:
    return torch._C._current_graph_task_id() != -1  # pyright: ignore[reportPrivateUsage]


BUFFER = SummaryBuffer()


def start_collecting() -> None:
    """Keep the values of summary operators from now on, until as many ``stop_collecting`` were called."""
    BUFFER.start()


def stop_collecting() -> None:
    """The opposite of ``start_collecting``; with the last one discards the kept values."""
    BUFFER.stop()


@contextmanager
def collecting() -> Generator[None]:
    """Yield a ``with`` block inside which the values of summary operators are kept."""
    BUFFER.start()
    try:
        yield
    finally:
        BUFFER.stop()


@contextmanager
def not_collecting() -> Generator[None]:
    """Yield a ``with`` block inside which summary operators keep nothing: for evaluations in your own loop."""
    BUFFER.pause()
    try:
        yield
    finally:
        BUFFER.go_on()


def is_collecting() -> bool:
    """Return whether values of summary operators are kept now."""
    return BUFFER.is_collecting


def take_values() -> list[tuple[str, str, torch.Tensor]]:
    """End the step: its values as (plugin, name, CPU tensor), by first insertion. Waits for their copies only.

    What could not be kept is logged, once for each plugin and name.
    """
    values, problems = BUFFER.take()
    _log_new(problems)
    return HostCopy(values).values()


def recordable_values() -> Values:
    """End the step: its values as a recorder takes them, on their way from their devices, and its problems."""
    if not BUFFER.holds_values:
        return []
    values, problems = BUFFER.take()
    return HostCopy(values).deferred() + [(plugin, name, problem) for (plugin, name), problem in problems.items()]


_logged: set[Key] = set()


def _log_new(problems: Mapping[Key, DropReport]) -> None:
    for key in problems.keys() - _logged:
        if len(_logged) < _MOST_PROBLEMS:
            _logged.add(key)
            _LOG.warning("%s (this is logged once)", problems[key].text)


def discard_values() -> None:
    """End the step and discard its values."""
    BUFFER.discard()
