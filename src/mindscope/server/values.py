# SPDX-License-Identifier: Apache-2.0
"""Single values of a log: which there are of a tag, and texts one at a time."""

from __future__ import annotations

import math
from typing import Any

from mindscope.ingest import Catalog
from mindscope.server.references import find_references
from mindscope.server.value_ids import value_ids
from mindscope.server.value_messages import TextAnswer, ValuesAnswer
from mindscope.types import Kind


def list_values(catalog: Catalog, run: str, kind: Kind, tag: str) -> ValuesAnswer:
    """Every value of a tag of a kind other than scalar. Raises RunNotFoundError, TagNotFoundError."""
    found = find_references(catalog, run, kind, tag)
    return ValuesAnswer(
        run=run,
        tag=tag,
        kind=kind,
        version=found.version,
        step=found.places.step.tolist(),
        wall_time=[_finite(time) for time in found.places.wall_time.tolist()],
        id=value_ids(found.places),
    )


def find_value(catalog: Catalog, run: str, kind: Kind, tag: str, id: str) -> Any:
    """The decoded value that the list calls ``id``; None when the log has no such value.

    Raises RunNotFoundError, TagNotFoundError, FormatError when the value can't be read.
    """
    found = find_references(catalog, run, kind, tag)
    located = found.locate(id)
    return None if located is None else found.read(*located)


def read_text(texts: tuple[str, ...]) -> TextAnswer:
    """Texts as they were recorded; what is no Unicode is written with backslashes."""
    return TextAnswer(texts=[text.encode("utf-8", "backslashreplace").decode() for text in texts])


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None
