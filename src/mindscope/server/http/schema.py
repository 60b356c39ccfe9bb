# SPDX-License-Identifier: Apache-2.0
"""Base classes and common fields of the messages. The OpenAPI document and the types of the page come from them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, FiniteFloat, Strict, model_validator

from mindscope.reasons import TEXTS, reason_of


def _number(given: object) -> object:
    if isinstance(given, str | bool):
        raise ValueError(f"{given!r} is not a number")
    return given


Coordinate = Annotated[FiniteFloat, Strict()]
IsNumber = BeforeValidator(_number)
"""Last in the annotation of an int that has limits and may be null: limits after it are missing in the document."""
Whole = Annotated[int, IsNumber]
"""A whole number; 400.0 is one in JSON, "400" is not."""

_HALF_PAIR = re.compile("[\ud800-\udfff]")

MAX_RUNS = 100_000
MAX_SERIES = 10_000
MAX_PIXELS = 8192


class Answer(BaseModel):
    """A message from the server, with all of its fields. Pydantic builds its validator at the first use."""

    model_config = ConfigDict(json_schema_serialization_defaults_required=True, defer_build=True)


class Query(BaseModel):
    """A message to the server. An unknown field is an error."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _is_unicode(cls, given: object) -> object:
        """Refuse halves of surrogate pairs. JSON can contain them, but a response can't."""
        for text in _texts(given):
            if not text.isascii() and _HALF_PAIR.search(text):
                raise ValueError(f"{text!r} is no Unicode")
        return given


def _texts(given: object) -> Iterator[str]:
    """Yield the texts in the fields of a message, and in their lists. Nested messages check their own."""
    fields = cast("dict[object, object]", given).values() if isinstance(given, dict) else ()
    for field in fields:
        several = cast("list[object]", field) if isinstance(field, list) else (field,)
        yield from (each for each in several if isinstance(each, str))


class ReasonEntry(Answer):
    """The reason of an error. ``code`` is stable, ``values`` are the placeholders of its text.

    ``message`` is the text in English.
    """

    code: str = Field(json_schema_extra={"enum": [*sorted(TEXTS)]})
    values: dict[str, str | int | float]
    message: str

    @staticmethod
    def of(error: object) -> ReasonEntry:
        """Return the reason of an error or of a text."""
        reason = reason_of(error)
        return ReasonEntry(code=reason.code, values=dict(reason.values), message=str(reason))

    @staticmethod
    def of_text(text: str | None) -> ReasonEntry | None:
        """Return the reason of a text; None without a text."""
        return None if text is None else ReasonEntry.of(text)


class Failure(ReasonEntry):
    """The reason why a request failed, and its remedy."""

    remedy: str


class FailureAnswer(Answer):
    """The body of a response with a status of 400 and above."""

    error: Failure


class SeriesName(Query):
    """One scalar series: a tag of a run.

    ``since`` is the cursor of a response whose rows the client still has. If the new response begins with these rows,
    it contains only the others. Without a matching cursor it contains all rows.
    """

    run: str
    tag: str
    since: str | None = None
