# SPDX-License-Identifier: Apache-2.0
"""Equal questions for an importance share one computation, whose answer is cached."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextvars import Context
from functools import partial
from threading import Event

from anyio import CapacityLimiter
from anyio.to_thread import run_sync

from mindscope.lru import LRU
from mindscope.server.http.disconnect import ClientDisconnectedError, check_connected

MOST_ANSWERS = 32
"""An answer for 2,000 columns has about a megabyte."""
CHECK_INTERVAL_S = 0.1

Compute = Callable[[Callable[[], None]], str]
"""Computes an answer. Calls its argument now and then; an exception in it ends the computation."""


class ImportanceCache:
    """LRU cache of answers by key. For the threads of one event loop.

    Computes one answer at a time in a thread outside the pool of the other requests, because each takes seconds of a
    core. A computation ends early when all clients that wait for it have left.
    """

    def __init__(self, most_answers: int = MOST_ANSWERS) -> None:
        self._limiter = CapacityLimiter(1)
        self._answers: LRU[str, str] = LRU(most_answers)
        self._running: dict[str, _Computation] = {}

    async def get(self, key: str, compute: Compute) -> str:
        """Return the answer of a key.

        Raises what ``compute`` raises, ClientDisconnectedError if the client has disconnected, AnswerTooSlowError after
        the deadline of the request.
        """
        answer = self._answers.get(key)
        if answer is not None:
            return answer
        running = self._running.get(key) or self._start(key, compute)
        running.waiting += 1
        try:
            while not (await asyncio.wait({running.task}, timeout=CHECK_INTERVAL_S))[0]:
                check_connected()
            return running.task.result()
        finally:
            running.waiting -= 1
            if running.waiting == 0:
                running.left.set()
                self._forget(key, running)

    def _start(self, key: str, compute: Compute) -> _Computation:
        left = Event()
        work = run_sync(_compute, compute, left, limiter=self._limiter)
        task = Context().run(asyncio.ensure_future, work)  # the request of the first client has a deadline of its own
        running = self._running[key] = _Computation(task, left)
        task.add_done_callback(partial(self._ended, key, running))
        return running

    def _ended(self, key: str, running: _Computation, task: asyncio.Future[str]) -> None:
        self._forget(key, running)
        if not task.cancelled() and task.exception() is None:
            self._answers.add(key, task.result())

    def _forget(self, key: str, running: _Computation) -> None:
        if self._running.get(key) is running:
            del self._running[key]


class _Computation:
    """A computation, and the number of clients that wait for it; ``left`` is set when all have left."""

    def __init__(self, task: asyncio.Future[str], left: Event) -> None:
        self.task = task
        self.left = left
        self.waiting = 0


def _compute(compute: Compute, left: Event) -> str:
    def check() -> None:
        if left.is_set():
            raise ClientDisconnectedError("all clients closed their connections before the response")

    check()
    return compute(check)
