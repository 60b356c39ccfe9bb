# SPDX-License-Identifier: Apache-2.0
"""Encoded videos of a run: where they are, what they are, and whether they are whole."""

from __future__ import annotations

from dataclasses import dataclass

from mindscope.analysis.stored_values import find_values
from mindscope.formats.kinds.video import gif_outline
from mindscope.ingest import Catalog
from mindscope.reasons import Reason, Value
from mindscope.server.http.schema import ReasonEntry
from mindscope.server.video.schema import VideoAnswer
from mindscope.types import Kind


@dataclass(frozen=True, slots=True)
class FoundVideo:
    """``encoded`` holds the bytes in the log; ``place`` holds run, tag, step, file and byte offset."""

    encoded: bytes
    place: dict[str, Value]


def find_video(catalog: Catalog, run: str, tag: str, id: str) -> FoundVideo | None:
    """None when the log has no such value.

    Raises RunNotFoundError, TagNotFoundError, FormatError when the value can't be read.
    """
    found = find_values(catalog.run(run), Kind.VIDEO, tag)
    located = found.locate(id)
    if located is None:
        return None
    value = found.stored(*located)
    encoded: bytes = value.decoded.encoded
    return FoundVideo(encoded, value.place(encoded))


def describe_video(video: FoundVideo) -> VideoAnswer:
    outline = gif_outline(video.encoded)
    damage = None if outline.is_whole else Reason("image_truncated", size=len(video.encoded), **video.place)
    return VideoAnswer(
        width=outline.width,
        height=outline.height,
        durations_ms=list(outline.durations_ms),
        size_bytes=len(video.encoded),
        step=int(video.place["step"]),
        file=str(video.place["file"]),
        offset=int(video.place["offset"]),
        damage=None if damage is None else ReasonEntry.of(damage),
    )
