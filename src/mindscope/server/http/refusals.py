# SPDX-License-Identifier: Apache-2.0
"""Answers errors of files: a resource has a table of them."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import NamedTuple

from mindscope.errors import RunNotFoundError
from mindscope.reasons import Reason, reason_of
from mindscope.server.http.errors import RefusedError


class Refusal(NamedTuple):
    """The response to an error."""

    errors: tuple[type[Exception], ...]
    status: int
    remedy: str
    code: str = ""
    """Of a reason whose detail is the text of the error; empty for the reason of the error itself."""


@contextmanager
def refusing(*refusals: Refusal) -> Generator[None]:
    """Raises RefusedError by the first row for an error of the body. RunNotFoundError has an answer of its own."""
    try:
        yield
    except RunNotFoundError:
        raise
    except Exception as error:
        for refusal in refusals:
            if isinstance(error, refusal.errors):
                reason = Reason(refusal.code, detail=str(error)) if refusal.code else reason_of(error)
                raise RefusedError(refusal.status, reason, refusal.remedy) from error
        raise
