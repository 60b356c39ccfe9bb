# SPDX-License-Identifier: Apache-2.0
"""Reads the metric of a trial from the runs that it records, while it trains."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from mindscope.capture.event_stream import EventStream
from mindscope.capture.masking.masked_parameters import masked_parameters
from mindscope.formats.kinds.tensorboard_plugins import FAILURE, SUCCESS, hparams_to_tensorboard, session_end
from mindscope.formats.tensorboard import summary_event
from mindscope.formats.tensorboard_values import value_field
from mindscope.reading.open import open_runs
from mindscope.types import Kind, Message

_ALL = 1000
"""Of so many first values each is reported; later ones in steps that grow tenfold."""


def record_parameters(directory: Path, values: Mapping[str, Any], sweep: str) -> None:
    """Write the parameters of a trial into its run, which shows them as hyperparameters. Raises OSError."""
    plain = {name: value if isinstance(value, (str, int, float)) else str(value) for name, value in values.items()}
    _write(directory, _messages(masked_parameters(plain), sweep)[:2])


def record_ending(directory: Path, state: str, sweep: str) -> None:
    """Write how a trial ended into its run, which its process can't do if a signal ended it. Raises OSError."""
    has_failed = state in ("failed", "stopped", "lost")
    messages = [*_messages({"env/trial_state": state}, sweep)[:2], session_end(FAILURE if has_failed else SUCCESS)]
    _write(directory, messages)


def _messages(values: Mapping[str, Any], sweep: str) -> list[Message]:
    return hparams_to_tensorboard(values, (), {}, group=sweep, start_time_s=time.time())


def _write(directory: Path, messages: list[Message]) -> None:
    stream = EventStream(directory)
    for message in messages:
        stream.add_event(summary_event(time.time(), 0, value_field(message)), 0)
    stream.close()


class TrialMetric:
    """The values of a scalar of the runs at or below the directory of a trial."""

    def __init__(self, directory: Path, name: str) -> None:
        self._name = name
        self._runs = open_runs(directory)
        self._reported = 0
        self.last: float | None = None
        """The newest value, which may be NaN; None before one."""

    def new_values(self) -> list[tuple[int, float]]:
        """Return values that came since the last call with their numbers from 1, thinned if there are many."""
        self._runs.refresh()
        for run in self._runs.values():
            if self._name in run.tags(Kind.SCALAR):
                values = run.scalars(self._name).value
                self.last = float(values[-1]) if values.size else self.last
                new = list(_thinned(values, self._reported))
                self._reported = max(self._reported, values.size)
                return new
        return []

    def why_missing(self) -> str:
        """Return what the trial recorded in place of the metric."""
        tags = sorted({tag for run in self._runs.values() for tag in run.tags(Kind.SCALAR)})
        if not tags:
            return f"it never recorded {self._name!r}, and no other scalar"
        names = get_close_matches(self._name, tags, 3) or tags[:5]
        return f"it never recorded {self._name!r}; it recorded {', '.join(map(repr, names))}"


def _thinned(values: Any, start: int) -> Iterator[tuple[int, float]]:
    for number in range(start + 1, values.size + 1):
        stride = 1
        while number > _ALL * stride:
            stride *= 10
        if number % stride == 0:
            yield number, float(values[number - 1])
