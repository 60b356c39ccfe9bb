# SPDX-License-Identifier: Apache-2.0
"""The process of a trial on a worker of a Ray cluster."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mindscope.sweep.trial_process import GRACE_S, StartProcess, TrialLostError, TrialProcess

_LOOK_S = 0.1
_OF_THE_WORKER = ("CUDA_VISIBLE_DEVICES", "ASCEND_RT_VISIBLE_DEVICES")
"""Ray sets these variables of a worker to the devices of its task."""


def ray_starter(ray: Any, gpus: float) -> StartProcess:
    """Return what starts a process in a task of Ray, which takes one CPU and ``gpus``. ``ray`` is connected.

    A task is never repeated by Ray: a trial that is lost is queued again by its study, as after any other kill.
    """
    task = ray.remote(num_cpus=1, num_gpus=gpus, max_retries=0)(run_in_task)
    return lambda command, environment, output, folder: RayTrialProcess(
        ray, task.remote(command, dict(environment), output, folder)
    )


def run_in_task(command: list[str], environment: Mapping[str, str], output: Path, folder: Path) -> int:
    """Run a process to its end; returns its exit code. KeyboardInterrupt ends it. Raises OSError."""
    devices = {name: os.environ[name] for name in _OF_THE_WORKER if name in os.environ}
    process = TrialProcess(command, {**environment, **devices}, output, folder)
    while True:
        try:
            if (code := process.poll()) is not None:
                return code
            time.sleep(_LOOK_S)
        except KeyboardInterrupt:  # what a task that is canceled gets
            process.end()


class RayTrialProcess:
    """A task of Ray that runs a process. Its worker, and so the process, ends with the driver."""

    def __init__(self, ray: Any, result: Any) -> None:
        self._ray, self._result = ray, result
        self._kill_at: float | None = None

    @property
    def is_ending(self) -> bool:
        """Whether ``end`` was called."""
        return self._kill_at is not None

    def end(self, grace_s: float = GRACE_S) -> None:
        """Cancel the task, which sends SIGTERM, and after the time of grace kill its worker."""
        if self._kill_at is None:
            self._ray.cancel(self._result)
            self._kill_at = time.monotonic() + 2 * grace_s  # the task itself kills after the time of grace
        elif grace_s == 0:
            self._kill_at = time.monotonic()

    def poll(self) -> int | None:
        """Return the exit code, negative for a signal; None while the task waits or runs.

        Raises OSError if the process could not start, TrialLostError if its worker ended.
        """
        if self._kill_at is not None and time.monotonic() >= self._kill_at:
            self._ray.cancel(self._result, force=True)
            self._kill_at = float("inf")
        if not self._ray.wait([self._result], timeout=0)[0]:
            return None
        errors = self._ray.exceptions
        try:
            return self._ray.get(self._result)
        except errors.TaskCancelledError:
            return -signal.SIGTERM
        except errors.RayTaskError as error:  # what the task raised
            raise OSError(str(error.cause)) from None
        except errors.RayError as error:
            raise TrialLostError(f"its worker of Ray ended: {type(error).__name__}") from None
