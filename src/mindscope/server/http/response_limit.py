# SPDX-License-Identifier: Apache-2.0
"""Limits the size and the computing time of a response."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextvars import ContextVar
from typing import NamedTuple, TypeVar

from starlette.types import ASGIApp, Receive, Scope, Send

from mindscope.errors import MindscopeError
from mindscope.reasons import Reason

MAX_ANSWER_BYTES = 128 << 20
"""Limit of the columns in a response: more than 1,000 curves of 5,000 rows."""
MAX_ENTRIES = 500_000
"""Limit of the entries of a list in a JSON response, each of about 200 bytes."""
MAX_SECONDS = 30.0
"""Time limit for computing a response."""

Entry = TypeVar("Entry")


class Deadline(NamedTuple):
    """The time at which a response must be computed."""

    at: float  # by time.monotonic
    seconds: float  # the limit of the request


_DEADLINE: ContextVar[Deadline] = ContextVar("deadline")
"""The deadline of the current request. The thread that computes the response inherits it."""
_NEVER = Deadline(float("inf"), float("inf"))


class AnswerTooLargeError(MindscopeError):
    """The response has more bytes or entries than the limit."""


class AnswerTooSlowError(MindscopeError):
    """The response takes longer than the limit."""


class DeadlineMiddleware:
    """Gives each request a deadline in ``max_seconds``."""

    def __init__(self, app: ASGIApp, max_seconds: float = MAX_SECONDS) -> None:
        self._app = app
        self._max_seconds = max_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        deadline = Deadline(time.monotonic() + self._max_seconds, self._max_seconds)
        token = _DEADLINE.set(min(deadline, _DEADLINE.get(_NEVER)))
        try:
            await self._app(scope, receive, send)
        finally:
            _DEADLINE.reset(token)


def check_deadline() -> None:
    """Raises AnswerTooSlowError after the deadline of the current request."""
    deadline = _DEADLINE.get(_NEVER)
    if time.monotonic() > deadline.at:
        raise AnswerTooSlowError(Reason("answer_too_slow", most=deadline.seconds))


def check_size(size: int, most: int = MAX_ANSWER_BYTES) -> None:
    """Raises AnswerTooLargeError for more than ``most`` bytes."""
    if size > most:
        raise AnswerTooLargeError(Reason("answer_too_large", size=size, most=most))


def limited(entries: Iterable[Entry], most: int = MAX_ENTRIES) -> Iterator[Entry]:
    """Yield the entries one by one. Raises AnswerTooLargeError at the first beyond ``most``."""
    for number, entry in enumerate(entries):
        if number >= most:
            raise AnswerTooLargeError(Reason("answer_too_many", most=most))
        yield entry
