# SPDX-License-Identifier: Apache-2.0
"""Encoded pictures of a run: where they are, and their bytes as they stand in the log."""

from __future__ import annotations

import math

from mindscope.errors import FormatError
from mindscope.ingest import Catalog
from mindscope.server.cursor import cursor_of, kept_rows
from mindscope.server.image_schema import ImagesAnswer
from mindscope.server.references import References, find_references
from mindscope.server.value_ids import row_of, value_ids
from mindscope.types import Image, Kind


def list_images(catalog: Catalog, run: str, tag: str, since: str | None = None) -> ImagesAnswer:
    """Every value of an image tag but those that the sender of ``since`` has.

    Raises RunNotFoundError, TagNotFoundError.
    """
    found = find_references(catalog, run, Kind.IMAGE, tag)
    places = found.places
    columns = [places.step, places.wall_time, places.file, places.offset]
    kept = kept_rows(columns, since)
    new = places.take(slice(kept, None))
    pictures = _newest(found)
    first = pictures[0] if pictures else None
    return ImagesAnswer(
        run=run,
        tag=tag,
        version=found.version,
        pictures=None if pictures is None else len(pictures),
        width=first.width if first else None,
        height=first.height if first else None,
        values=len(places),
        cursor=cursor_of(columns),
        kept=kept,
        step=new.step.tolist(),
        wall_time=[time if math.isfinite(time) else None for time in new.wall_time.tolist()],
        id=value_ids(new),
    )


def find_picture(catalog: Catalog, run: str, tag: str, id: str, picture: int) -> bytes | None:
    """The encoded bytes of a picture; None when the log has no such value, or the value no such picture.

    Raises RunNotFoundError, TagNotFoundError, FormatError when the value can't be read.
    """
    found = find_references(catalog, run, Kind.IMAGE, tag)
    for places in (found.places, found.written()):
        row = row_of(places, id)
        if row is not None:
            pictures: tuple[Image, ...] = found.read(places, row)
            return pictures[picture].encoded if picture < len(pictures) else None
    return None


def media_type(encoded: bytes) -> str | None:
    """What the bytes are, of the four formats that every browser shows and that can hold no program; None else."""
    if encoded.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if encoded.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if encoded.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    return "image/webp" if encoded[:4] == b"RIFF" and encoded[8:12] == b"WEBP" else None


def _newest(found: References) -> tuple[Image, ...] | None:
    if len(found.places) == 0:
        return None
    try:
        return found.read(found.places, len(found.places) - 1)
    except FormatError:
        return None
