# SPDX-License-Identifier: Apache-2.0
"""Bounds the size of an answer and the time that it takes, so that no request takes the memory or the processor."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from typing import NamedTuple, TypeVar

from pydantic import BaseModel
from starlette.types import ASGIApp, Receive, Scope, Send

from mindscope.errors import MindscopeError
from mindscope.reasons import Reason

MAX_ANSWER_BYTES = 128 << 20
"""Of columns in one answer: 1,000 curves of 5,000 rows and more."""
MAX_ENTRIES = 500_000
"""Entries of a list in a JSON answer, each of some 200 bytes."""
MAX_SECONDS = 30.0
"""Until the parts of an answer are computed."""

Name = TypeVar("Name", bound=BaseModel)
Part = TypeVar("Part")
Entry = TypeVar("Entry")


class Deadline(NamedTuple):
    """When an answer must be computed."""

    at: float  # by time.monotonic
    seconds: float  # that the request was given


_DEADLINE: ContextVar[Deadline] = ContextVar("deadline")
"""Of the request that is being answered; also seen in the thread that does so."""
_NEVER = Deadline(float("inf"), float("inf"))


class AnswerTooLargeError(MindscopeError):
    """The answer has more bytes or entries than this viewer sends at once."""


class AnswerTooSlowError(MindscopeError):
    """The answer takes more seconds than this viewer spends on a request."""


class DeadlineMiddleware:
    """Gives every request at most ``max_seconds`` to be computed in."""

    def __init__(self, app: ASGIApp, max_seconds: float = MAX_SECONDS) -> None:
        self._app = app
        self._max_seconds = max_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        own = Deadline(time.monotonic() + self._max_seconds, self._max_seconds)
        token = _DEADLINE.set(min(own, _DEADLINE.get(_NEVER)))
        try:
            await self._app(scope, receive, send)
        finally:
            _DEADLINE.reset(token)


def check_deadline() -> None:
    """Raises AnswerTooSlowError when the time of the request that is being answered is over."""
    deadline = _DEADLINE.get(_NEVER)
    if time.monotonic() > deadline.at:
        raise AnswerTooSlowError(Reason("answer_too_slow", most=deadline.seconds))


def check_size(size: int, most: int = MAX_ANSWER_BYTES) -> None:
    """Raises AnswerTooLargeError for more than ``most`` bytes."""
    if size > most:
        raise AnswerTooLargeError(Reason("answer_too_large", size=size, most=most))


def limited(entries: Iterable[Entry], most: int = MAX_ENTRIES) -> Iterator[Entry]:
    """The entries one by one. Raises AnswerTooLargeError at the first beyond ``most``."""
    for number, entry in enumerate(entries):
        if number >= most:
            raise AnswerTooLargeError(Reason("answer_too_many", most=most))
        yield entry


def each_once(names: Iterable[Name], compute: Callable[[Name], Part]) -> Iterator[Part]:
    """What ``compute`` makes of each name, in their order; equal names are computed once."""
    known: dict[str, Part] = {}
    for name in names:
        key = name.model_dump_json()
        if key not in known:
            known[key] = compute(name)
        yield known[key]
