# SPDX-License-Identifier: Apache-2.0
"""JSON texts inside messages."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any, cast

from mindscope.errors import FormatError
from mindscope.reasons import Reason

MAX_NESTING = 100
"""Limit of nesting: recursive code crashes on deeper values."""
ESCAPED_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
"""Half of a pair, or a half without the other."""


def parse_json(text: str) -> Any:
    """Return the value of a JSON text; unpaired surrogates become backslash escapes.

    Raises JSONDecodeError when it is not JSON, FormatError when it is nested deeper than ``MAX_NESTING``.
    """
    try:
        value: Any = json.loads(text)
    except RecursionError:
        raise _too_deep() from None
    level: list[Any] = [value]
    for _ in range(MAX_NESTING + 1):
        level = [inner for each in level for inner in _children(each)]
    if level:
        raise _too_deep()
    return as_unicode(value) if ESCAPED_SURROGATE.search(text) else value


def _too_deep() -> FormatError:
    return FormatError(Reason("value_malformed", kind="JSON", why=f"it is nested deeper than {MAX_NESTING}"))


def _children(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return cast("dict[str, Any]", value).values()
    return cast("list[Any]", value) if isinstance(value, list) else ()


def as_unicode(value: Any) -> Any:
    """Return a text, or a list or object of JSON, with unpaired surrogates as backslash escapes: UTF-8 can't encode
    them.
    """
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {as_unicode(key): as_unicode(each) for key, each in cast("dict[str, Any]", value).items()}
    return [as_unicode(each) for each in cast("list[Any]", value)] if isinstance(value, list) else value
