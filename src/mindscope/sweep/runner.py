# SPDX-License-Identifier: Apache-2.0
"""Runs the trials of a sweep, several at a time, in one thread that looks at their processes."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mindscope.errors import MindscopeError
from mindscope.sweep.command import check_command
from mindscope.sweep.config import SweepConfig
from mindscope.sweep.directory import SweepDirectory, SweepStatus
from mindscope.sweep.study import SweepStudy
from mindscope.sweep.trial import Ending, Environment, RunningTrial
from mindscope.sweep.trial_process import StartProcess, TrialProcess
from mindscope.sweep.workers import Worker

_LOOK_S = 0.1
_DEVICE_VARIABLES = ("CUDA_VISIBLE_DEVICES", "ASCEND_RT_VISIBLE_DEVICES")


class SweepFailedError(MindscopeError, RuntimeError):
    """Too many trials failed one after the other."""


@dataclass(frozen=True, slots=True)
class RunnerOptions:
    """How a process works on a sweep.

    ``devices`` are shared by the ``workers`` in turns; ``max_failures`` trials that fail in a row end the process.
    ``start`` starts the process of a trial, by the ``executor`` of that name with ``gpus`` for each.
    """

    base: Path
    workers: int
    devices: Sequence[str]
    max_failures: int
    environment: Environment
    say: Callable[[str], None]
    start: StartProcess = TrialProcess
    executor: str = "local"
    gpus: float = 0.0


class SweepRunner:
    """The work of this process on a sweep. Raises as ``SweepStudy``, UsageError for a command that can't be."""

    def __init__(self, config: SweepConfig, options: RunnerOptions) -> None:
        check_command(config.command)
        self._config, self._options = config, options
        self.directory = SweepDirectory(options.base / config.name)
        self.directory.create()
        self._worker = Worker(self.directory.workers)
        try:
            self._study = SweepStudy(config, self.directory, self._worker)
        except BaseException:
            self._worker.close()
            raise
        self._slots: list[RunningTrial | None] = [None] * options.workers
        self._failures = 0
        self._problem = ""
        self._is_stopped = False

    def run(self) -> SweepStatus:
        """Run trials until there are no more, or the page stops the sweep.

        Ctrl-C ends the trials, which are queued again, and raises KeyboardInterrupt. Raises SweepFailedError.
        """
        self.directory.stop_file.unlink(missing_ok=True)
        try:
            self._write_status()
            while self._step():
                time.sleep(_LOOK_S)
        finally:
            self._end_all()
            self._worker.close()
            self._write_status()
        return self._status()

    def _step(self) -> bool:
        """Look at all trials and begin new ones; returns whether to go on."""
        self._worker.beat()
        self._look()
        if self.directory.stop_file.exists():
            self._is_stopped = True
            return False
        self._fill()
        return any(self._slots) or self._study.awaits_others()

    def _look(self) -> None:
        for slot, trial in enumerate(self._slots):
            ending = None if trial is None else trial.poll()
            if trial is not None and ending is not None:
                self._slots[slot] = None
                self._tell(trial, ending)

    def _fill(self) -> None:
        for slot, busy in enumerate(self._slots):
            claimed = None if busy else self._study.claim()
            if claimed is None:
                continue
            trial = RunningTrial(self._config, self.directory, self._study, claimed)
            self._slots[slot] = trial
            trial.begin(self._options.environment, self._devices(slot), self._options.start)
            self._write_status()

    def _devices(self, slot: int) -> Mapping[str, str]:
        devices = self._options.devices
        return dict.fromkeys(_DEVICE_VARIABLES, devices[slot % len(devices)]) if devices else {}

    def _tell(self, trial: RunningTrial, ending: Ending) -> None:
        number, output = trial.claimed.number, self.directory.output(trial.claimed.number)
        what = f"{ending.state}: {ending.text}" if ending.text else ending.state
        self._options.say(f"trial {number} {what} ({trial.text})")
        if ending.state in ("complete", "pruned", "stopped"):
            self._failures = 0 if ending.state != "stopped" else self._failures
        else:
            self._failures += 1
            self._problem = f"trial {number} {what}"
            if self._failures >= self._options.max_failures:
                lines = "\n".join(f"  {line}" for line in trial.last_lines()) or "  it printed nothing"
                self._problem = f"{self._failures} trials failed in a row, the last because {ending.text}"
                raise SweepFailedError(f"{self._problem}; see {output}, which ends with:\n{lines}")
        self._write_status()

    def _end_all(self) -> None:
        """End the trials that run; a second Ctrl-C kills them at once."""
        for trial in filter(None, self._slots):
            trial.end()
        while any(self._slots):
            try:
                self._look_at_last()
                time.sleep(_LOOK_S)
            except KeyboardInterrupt:
                for trial in filter(None, self._slots):
                    trial.end(grace_s=0.0)

    def _look_at_last(self) -> None:
        for slot, trial in enumerate(self._slots):
            if trial is not None and (ending := trial.poll()) is not None:
                self._slots[slot] = None
                self._options.say(f"trial {trial.claimed.number} {ending.state}: {ending.text}")
        self._worker.beat()

    def _write_status(self) -> None:
        with self.directory.locked():
            self.directory.write_status(self._status())

    def _status(self) -> SweepStatus:
        options = self._options
        return replace(
            self._study.status(self._problem), workers=options.workers, devices=",".join(options.devices),
            executor=options.executor, gpus=options.gpus,
        )  # fmt: skip

    @property
    def is_stopped(self) -> bool:
        """Whether the page stopped the sweep."""
        return self._is_stopped
