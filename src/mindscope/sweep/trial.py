# SPDX-License-Identifier: Apache-2.0
"""One trial of a sweep: its process, its metric, and how it ended."""

from __future__ import annotations

import math
import signal
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mindscope.sweep.command import Arguments, command_line
from mindscope.sweep.config import SweepConfig
from mindscope.sweep.directory import SweepDirectory
from mindscope.sweep.parameters import nested
from mindscope.sweep.study import ClaimedTrial, SweepStudy
from mindscope.sweep.trial_environment import TrialEnvironment
from mindscope.sweep.trial_metric import TrialMetric, record_ending, record_parameters
from mindscope.sweep.trial_process import GRACE_S, StartedProcess, StartProcess, TrialLostError, last_lines

_NOT_STARTED = "its command can't start"
READ_S = 0.5
"""The metric of a trial that runs is read at this interval."""
Environment = Callable[[Path, Path], Mapping[str, str]]
"""Returns the environment of a process by a file of notes and a directory of runs."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a trial ended: ``state`` is complete, pruned, stopped, lost or failed; ``text`` says more.

    A trial is stopped with the sweep, and lost with its worker. Both are queued again.
    """

    state: str
    text: str


class RunningTrial:
    """A trial from its begin to its end. ``begin`` raises nothing: a command that can't start is a failed trial."""

    def __init__(
        self, config: SweepConfig, directory: SweepDirectory, study: SweepStudy, claimed: ClaimedTrial
    ) -> None:
        self._config, self._directory, self._study, self.claimed = config, directory, study, claimed
        self._process: StartedProcess | None = None
        self._metric: TrialMetric | None = None
        self._read_at = 0.0
        self._is_pruned = False
        self._problem = ""

    def begin(self, environment: Environment, devices: Mapping[str, str], start: StartProcess) -> None:
        """Record the parameters and start the process."""
        number, config = self.claimed.number, self._config
        run, output = self._directory.trial(number), self._directory.output(number)
        arguments = Arguments(config.program, self.claimed.values, self._directory.parameters(number), run)
        trial = TrialEnvironment(run, nested(self.claimed.values), config.name)
        try:
            run.mkdir(parents=True, exist_ok=True)
            arguments.json_file.write_text(arguments.json_text)
            record_parameters(run, self._named, config.name)
            notes = output.with_suffix(".notes")
            notes.touch()
            variables = {**environment(notes, run), **trial.variables(), **devices}
            command = command_line(config.command, arguments)
            self._process = start(command, variables, output, config.path.absolute().parent)
            self._metric = None if config.metric is None else TrialMetric(run, config.metric.name)
        except (OSError, ValueError) as error:
            self._problem = f"{_NOT_STARTED}: {error}"

    @property
    def _named(self) -> dict[str, Any]:
        return {".".join(path): value for path, value in self.claimed.values.items()}

    def end(self, grace_s: float = GRACE_S) -> None:
        """Ask the process to end, and kill it after the time of grace."""
        if self._process is not None:
            self._process.end(grace_s)

    def poll(self) -> Ending | None:
        """Read the metric and prune; return how the trial ended, None while it runs."""
        if self._process is None:
            return self._told(Ending("failed", self._problem))
        try:
            code = self._process.poll()
        except TrialLostError as error:
            return self._told(Ending("stopped" if self._process.is_ending else "lost", str(error)))
        except OSError as error:
            return self._told(Ending("failed", f"{_NOT_STARTED}: {error}"))
        if code is None and time.monotonic() - self._read_at < READ_S:
            return None
        self._read()
        self._read_at = time.monotonic()
        return None if code is None else self._told(self._ending(code))

    def _read(self) -> None:
        if self._metric is None or self._process is None:
            return
        for iteration, value in self._metric.new_values():
            if math.isfinite(value) and self._config.pruner is not None:
                self._study.report(self.claimed, iteration, value)
                if not self._process.is_ending and self._study.should_prune(self.claimed):
                    self._is_pruned = True
                    self._process.end()
                    return

    def _ending(self, code: int) -> Ending:
        assert self._process is not None
        if self._is_pruned:
            return Ending("pruned", f"{self._value_text} was not good enough")
        if self._process.is_ending:
            return Ending("stopped", "it will be begun again")
        if code != 0:
            how = f"signal {_signal_name(-code)}" if code < 0 else f"exit code {code}"
            return Ending("failed", f"its process ended with {how}")
        if self._metric is None:
            return Ending("complete", "")
        if self._metric.last is None:
            return Ending("failed", self._metric.why_missing())
        if not math.isfinite(self._metric.last):
            return Ending(
                "failed", f"the last value of {self._config.metric and self._config.metric.name!r} is no number"
            )
        return Ending("complete", self._value_text)

    @property
    def _value_text(self) -> str:
        if self._metric is None or self._config.metric is None or self._metric.last is None:
            return ""
        return f"{self._config.metric.name} {self._metric.last:.6g}"

    def _told(self, ending: Ending) -> Ending:
        """Tell the study, and the run, how the trial ended."""
        with suppress(OSError):
            record_ending(self._directory.trial(self.claimed.number), ending.state, self._config.name)
        if ending.state == "complete":
            last = self._metric.last if self._metric is not None else None
            self._study.complete(self.claimed, 0.0 if last is None else last)
        elif ending.state == "pruned":
            self._study.prune(self.claimed)
        elif ending.state in ("stopped", "lost"):
            self._study.put_back(self.claimed)
        else:
            self._study.fail(self.claimed)
        return ending

    def last_lines(self) -> list[str]:
        """Return the end of what the process printed."""
        return last_lines(self._directory.output(self.claimed.number))

    @property
    def text(self) -> str:
        """The parameters in one line."""
        return ", ".join(f"{name}={_short(value)}" for name, value in self._named.items())


def _short(value: Any) -> str:
    text = f"{value:.6g}" if isinstance(value, float) else str(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)
