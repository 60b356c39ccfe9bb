# SPDX-License-Identifier: Apache-2.0
"""What the messages of the API share. The OpenAPI is made of them, a model a message, and of it the client's types."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, FiniteFloat, Strict, model_validator

from mindscope.reasons import TEXTS, reason_of


def _number(given: object) -> object:
    if isinstance(given, str | bool):
        raise ValueError(f"{given!r} is no number")
    return given


Coordinate = Annotated[FiniteFloat, Strict()]
Whole = Annotated[int, BeforeValidator(_number)]
"""A whole number; 400.0 is one in JSON, "400" is not."""

_HALF_PAIR = re.compile("[\ud800-\udfff]")

MAX_RUNS = 100_000
MAX_SERIES = 10_000
MAX_PIXELS = 8192


class Answer(BaseModel):
    """A message from the server; all its fields are always there. Its validator is built at its first use."""

    model_config = ConfigDict(json_schema_serialization_defaults_required=True, defer_build=True)


class Query(BaseModel):
    """A message to the server; a field that we don't know is a mistake, never ignored."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _is_unicode(cls, given: object) -> object:
        """JSON may hold halves of surrogate pairs, which are no text: they could not be sent back."""
        for each in _texts(given):
            if not each.isascii() and _HALF_PAIR.search(each):
                raise ValueError(f"{each!r} is no Unicode")
        return given


def _texts(given: object) -> Iterator[str]:
    """The texts that stand directly in a message, or in a list in it; messages in it look at theirs."""
    fields = cast("dict[object, object]", given).values() if isinstance(given, dict) else ()
    for field in fields:
        several = cast("list[object]", field) if isinstance(field, list) else (field,)
        yield from (each for each in several if isinstance(each, str))


class ReasonEntry(Answer):
    """Why something could not be done. ``code`` is stable, ``values`` are what a text about it names.

    ``message`` is that text in English.
    """

    code: str = Field(json_schema_extra={"enum": [*sorted(TEXTS)]})
    values: dict[str, str | int | float]
    message: str

    @staticmethod
    def of(error: object) -> ReasonEntry:
        """Why an error was raised, or what a text says."""
        reason = reason_of(error)
        return ReasonEntry(code=reason.code, values=dict(reason.values), message=str(reason))

    @staticmethod
    def of_text(text: str | None) -> ReasonEntry | None:
        """What a text says; null for none."""
        return None if text is None else ReasonEntry.of(text)


class Failure(ReasonEntry):
    """Why a request was not answered, and what to do."""

    remedy: str


class FailureAnswer(Answer):
    """The body of every answer with a status of 400 and above."""

    error: Failure


class SeriesName(Query):
    """One scalar series: a tag of a run.

    ``since`` is the cursor of an answer whose rows the sender still has: when the new answer begins with them, only the
    rest is sent. Null, or a cursor that doesn't fit any more: all rows are sent.
    """

    run: str
    tag: str
    since: str | None = None


class Column(Answer):
    """Where a column stands: ``offset`` in bytes from the start of the data, ``length`` in numbers, little endian."""

    dtype: str
    offset: int
    length: int
