# SPDX-License-Identifier: Apache-2.0
"""The values of summary operators between the call and the record of the step.

There is one store a process, since operators stand deep in networks that know no recorder. It keeps values only between
``start_collecting`` and ``stop_collecting``, and never more than one of a plugin and name: while nobody collects, a
call checks its arguments and keeps nothing. ``take_values`` and ``discard_values`` end a step.
"""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager

import torch

from mindscope.errors import ValueRejectedError
from mindscope.torch.transfer import Transfer

Key = tuple[str, str]
"""Plugin and name."""


class ValueStore:
    """Values of the current step by plugin and name, in the order in which they came. Any thread may call it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()  # guards the fields below
        self._collectors = 0  # calls of start without stop
        self._pauses = 0  # calls of pause without go_on
        self._values: dict[Key, torch.Tensor] = {}  # detached clones, each on the device of its value

    @property
    def is_collecting(self) -> bool:
        """Whether anybody wants the values."""
        return self._collectors > 0

    @property
    def holds_values(self) -> bool:
        """Whether the step has any yet."""
        return bool(self._values)

    def start(self) -> None:
        """One more collector."""
        with self._lock:
            self._collectors += 1

    def stop(self) -> None:
        """One collector less; with the last one the values go."""
        with self._lock:
            self._collectors = max(0, self._collectors - 1)
            if not self._collectors:
                self._values = {}

    def pause(self) -> None:
        """Keep nothing, until ``go_on``."""
        with self._lock:
            self._pauses += 1

    def go_on(self) -> None:
        """The opposite of ``pause``."""
        with self._lock:
            self._pauses -= 1

    def keep(self, plugin: str, name: str, value: torch.Tensor) -> None:
        """Clone ``value`` if anybody collects. Raises ValueRejectedError when the step has one of this name already.

        During a backward pass a second value is ignored: activation checkpointing computes the forward again there.
        """
        if not self._collectors or self._pauses:
            return
        key = (plugin, name)
        if key not in self._values:
            copy = value.detach().clone()
            with self._lock:
                self._values.setdefault(key, copy)
        elif not _is_in_backward():
            raise ValueRejectedError(
                f"{plugin} {name!r} was recorded twice in one step, want each name once for {plugin}; give the second "
                "one another name, or end the step with take_values() or discard_values() between the calls"
            )

    def discard(self) -> None:
        """Throw the step's values away; the next step begins."""
        if self._values:
            self.take()

    def take(self) -> dict[Key, torch.Tensor]:
        """The step's values, still on their devices; the next step begins."""
        with self._lock:
            values, self._values = self._values, {}
        return values


def _is_in_backward() -> bool:
    return torch._C._current_graph_task_id() != -1  # pyright: ignore[reportPrivateUsage]


STORE = ValueStore()


def start_collecting() -> None:
    """Keep the values of summary operators from now on, until as many ``stop_collecting`` were called."""
    STORE.start()


def stop_collecting() -> None:
    """The opposite of ``start_collecting``; with the last one the values kept until then are thrown away."""
    STORE.stop()


@contextmanager
def collecting() -> Generator[None]:
    """A ``with`` block inside which the values of summary operators are kept."""
    STORE.start()
    try:
        yield
    finally:
        STORE.stop()


@contextmanager
def not_collecting() -> Generator[None]:
    """A ``with`` block inside which summary operators keep nothing: for evaluations in a loop of one's own."""
    STORE.pause()
    try:
        yield
    finally:
        STORE.go_on()


def is_collecting() -> bool:
    """Whether values of summary operators are kept now."""
    return STORE.is_collecting


def take_values() -> list[tuple[str, str, torch.Tensor]]:
    """End the step: its values as (plugin, name, CPU tensor), by first insertion. Waits for their copies only."""
    return start_transfer().values()


def start_transfer() -> Transfer:
    """End the step and begin to bring its values over, without waiting: ``Transfer.values()`` has them later."""
    return Transfer(STORE.take())


def discard_values() -> None:
    """End the step and throw its values away."""
    STORE.discard()
