# SPDX-License-Identifier: Apache-2.0
"""Jobs whose steps run on a thread beside the requests, which wait for them or look at their progress."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from mindscope.server.http.disconnect import ClientDisconnectedError, call_for_clients, check_connected
from mindscope.server.jobs.jobs import Job, Jobs, K, W, run_steps

CHECK_INTERVAL_S = 0.1


class Worker:
    """A thread that runs jobs one after the other."""

    def __init__(self, name: str) -> None:
        self.threads = ThreadPoolExecutor(1, name)
        self.is_closed = False

    def close(self) -> None:
        """End the job that runs, and forget those that wait."""
        self.is_closed = True
        self.threads.shutdown(wait=True, cancel_futures=True)


class BackgroundJobs(Jobs[K, W]):
    """The ``most`` jobs that were used last and don't run, and all that run. For any thread.

    A request waits for ``budget_s``. A job ends early when no request waits for it and another version is requested,
    or no request came for ``patience_s``; ``check_connected`` raises in its work then.
    """

    def __init__(self, most: int, worker: Worker, budget_s: float = 0, patience_s: float = math.inf) -> None:
        self.most = most
        super().__init__(budget_s)
        self._worker = worker
        self.patience_s = patience_s
        self._running: dict[K, Job[W]] = {}
        """Jobs that wait or run, and failed jobs whose error no request has got."""

    def get(self, key: K, version: object) -> W | None:
        """Return the work of a job; None without one. Raises what it raised."""
        with self._lock:
            job = self._find(key)
            if job is None or job.version != version:
                return None
            job.requested_at = time.monotonic()
        self._raise_error(key, job)
        return job.work

    def request(self, key: K, version: object, make: Callable[[], W]) -> W:
        """Return the work of a key when it is complete or the budget is over; the first request starts it.

        Raises what its steps raised, and as ``check_connected``. The request after an error starts another work.
        """
        with self._joined(key, version) as job:
            with job.lock:
                work = job.open(make)
                self._start(key, job, work)
            self._wait(job)
        self._raise_error(key, job)
        return work

    def close(self) -> None:
        """End all jobs of the worker."""
        self._worker.close()

    def _find(self, key: K) -> Job[W] | None:
        return self._running.get(key) or super()._find(key)

    def _replaced(self, key: K, version: object, earlier: Job[W] | None) -> Job[W]:
        if self._running.pop(key, None) is None:
            return super()._replaced(key, version, earlier)
        assert earlier is not None
        earlier.is_outdated = True
        return self._kept.add(key, Job(version))  # the worker may still change the earlier work

    def _start(self, key: K, job: Job[W], work: W) -> None:
        with self._lock:
            if job.is_started or work.is_complete:
                return
            job.is_started = True
            if not job.is_outdated:
                self._kept.drop(key)
                self._running[key] = job
            self._worker.threads.submit(self._run, key, job, work)

    def _run(self, key: K, job: Job[W], work: W) -> None:
        try:
            call_for_clients(partial(self._is_abandoned, key, job), partial(run_steps, work))
        except Exception as error:
            job.error = error
        with self._lock:
            if job.error is not None:
                self._is_abandoned(key, job)
            elif self._running.get(key) is job:
                self._forget(key, job)
                self._kept.add(key, job)
        job.ended.set()

    def _is_abandoned(self, key: K, job: Job[W]) -> bool:
        """Whether no client is left; later clients get another job."""
        with self._lock:
            is_late = time.monotonic() - job.requested_at >= self.patience_s
            if job.clients == 0 and (is_late or job.is_outdated or self._worker.is_closed):
                job.is_outdated = True
                self._forget(key, job)
                return True
            return self._worker.is_closed

    def _wait(self, job: Job[W]) -> None:
        deadline = time.monotonic() + self._budget_s
        while job.is_started and not job.ended.wait(min(CHECK_INTERVAL_S, max(0, deadline - time.monotonic()))):
            if self._worker.is_closed:
                raise ClientDisconnectedError("the viewer closes")
            check_connected()
            if time.monotonic() >= deadline:
                return

    def _raise_error(self, key: K, job: Job[W]) -> None:
        if job.error is not None:
            with self._lock:
                self._forget(key, job)
            raise job.error

    def _forget(self, key: K, job: Job[W]) -> None:
        if self._running.get(key) is job:
            del self._running[key]
