# SPDX-License-Identifier: Apache-2.0
"""Checks a statement: one SELECT, EXPLAIN or DESCRIBE; says which tables it names."""

from __future__ import annotations

import re
from typing import Any

from mindscope.errors import QueryError
from mindscope.reasons import Reason

_SPACE = r"(?:\s|--[^\n]*(?:\n|$)|/\*.*?\*/)*"
_EXPLAIN = re.compile(rf"{_SPACE}explain\b(?:{_SPACE}analyze\b)?(?:{_SPACE}\([^)]*\))?", re.I | re.S)
MOST_CHARACTERS = 100_000


def check_statement(connection: Any, text: str) -> None:
    """Raises QueryError unless a text is one statement that only reads."""
    if len(text) > MOST_CHARACTERS:
        raise QueryError(Reason("query_too_long", most=MOST_CHARACTERS))
    statements = _extracted(connection, text)
    if not statements:
        raise QueryError(Reason("query_empty"))
    if len(statements) > 1:
        raise QueryError(Reason("query_several", count=len(statements)))
    kind = statements[0].type.name
    if kind == "EXPLAIN":
        _check_explained(connection, text)
    elif kind != "SELECT":
        raise QueryError(Reason("query_not_select", kind=kind))
    if statements[0].named_parameters:
        raise QueryError(Reason("query_parameters"))


def _check_explained(connection: Any, text: str) -> None:
    """EXPLAIN ANALYZE runs its statement, which must be a SELECT too."""
    match = _EXPLAIN.match(text)
    inner = _extracted(connection, text[match.end() :]) if match else []
    kinds = [statement.type.name for statement in inner]
    if kinds != ["SELECT"]:
        raise QueryError(Reason("query_not_select", kind=f"EXPLAIN {kinds[0] if kinds else ''}".strip()))


def _extracted(connection: Any, text: str) -> list[Any]:
    try:
        return list(connection.extract_statements(text))
    except Exception as error:
        raise failure_of(error) from None


def failure_of(error: Exception) -> QueryError:
    """Return the error of a statement that the engine refused."""
    import duckdb

    text = str(error)
    if isinstance(error, duckdb.PermissionException) or "extension" in text.partition("\n")[0]:
        return QueryError(Reason("query_reads_outside", detail=_first_lines(text)))
    if isinstance(error, duckdb.OutOfMemoryException):
        return QueryError(Reason("query_memory", detail=text.partition("\n")[0]))
    return QueryError(Reason("query_failed", detail=text))


def _first_lines(text: str) -> str:
    return text.partition("\n\n")[0]
