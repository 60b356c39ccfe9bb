# SPDX-License-Identifier: Apache-2.0
"""Texts of a run, one value at a time."""

from __future__ import annotations

from typing import Any

from mindscope.analysis.stored_values import find_values
from mindscope.ingest import Catalog
from mindscope.server.texts.schema import TextAnswer
from mindscope.types import Kind


def find_value(catalog: Catalog, run: str, kind: Kind, tag: str, id: str) -> Any:
    """The decoded value that ``/api/values`` calls ``id``; None if the log has no such value.

    Raises RunNotFoundError, TagNotFoundError, FormatError if the value can't be read.
    """
    found = find_values(catalog.run(run), kind, tag)
    located = found.locate(id)
    return None if located is None else found.read(*located)


def read_text(texts: tuple[str, ...]) -> TextAnswer:
    """The recorded texts. Invalid Unicode becomes backslash escapes."""
    return TextAnswer(texts=[text.encode("utf-8", "backslashreplace").decode() for text in texts])
