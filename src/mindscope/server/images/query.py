# SPDX-License-Identifier: Apache-2.0
"""Lists the encoded images of a run, and reads their bytes from the log."""

from __future__ import annotations

import math
from dataclasses import dataclass

from mindscope.analysis.stored_values import StoredValues, find_value, find_values
from mindscope.analysis.value_ids import value_ids
from mindscope.errors import FormatError
from mindscope.ingest import Catalog
from mindscope.reasons import Value
from mindscope.server.http.cursor import cursor_of, kept_rows
from mindscope.server.images.schema import ImagesAnswer
from mindscope.types import Image, Kind


@dataclass(frozen=True, slots=True)
class FoundImage:
    """The bytes of an image in the log; ``location`` has run, tag, step, file, and offset, the byte in the file."""

    encoded: bytes
    location: dict[str, Value]


def list_images(catalog: Catalog, run: str, tag: str, since: str | None = None) -> ImagesAnswer:
    """Return the values of an image tag, without those that the client with the cursor ``since`` has.

    Raises RunNotFoundError, TagNotFoundError.
    """
    values = find_values(catalog.run(run), Kind.IMAGE, tag)
    references = values.references
    columns = [references.step, references.wall_time, references.file, references.offset]
    kept = kept_rows(columns, since)
    new = references.take(slice(kept, None))
    pictures = _newest(values)
    first = pictures[0] if pictures else None
    return ImagesAnswer(
        run=run,
        tag=tag,
        version=values.version,
        pictures=None if pictures is None else len(pictures),
        width=first.width if first else None,
        height=first.height if first else None,
        values=len(references),
        cursor=cursor_of(columns),
        kept=kept,
        step=new.step.tolist(),
        wall_time=[time if math.isfinite(time) else None for time in new.wall_time.tolist()],
        id=value_ids(new),
    )


def find_image(catalog: Catalog, run: str, tag: str, id: str, picture: int) -> FoundImage | None:
    """Return an image of a value; None if the log has no such value, or the value no such image.

    Raises RunNotFoundError, TagNotFoundError, FormatError if the value can't be read.
    """
    value = find_value(catalog.run(run), Kind.IMAGE, tag, id)
    pictures: tuple[Image, ...] = () if value is None else value.decoded
    if value is None or picture >= len(pictures):
        return None
    encoded = pictures[picture].encoded
    return FoundImage(encoded, value.location(encoded))


def _newest(found: StoredValues) -> tuple[Image, ...] | None:
    if len(found.references) == 0:
        return None
    try:
        return found.read(found.references, len(found.references) - 1)
    except FormatError:
        return None
