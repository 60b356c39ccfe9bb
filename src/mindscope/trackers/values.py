# SPDX-License-Identifier: Apache-2.0
"""Values of other trackers as TensorBoard's Summary.Values, which all readers of values know."""

from __future__ import annotations

import io
import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, cast

import numpy as np

from mindscope.errors import FormatError
from mindscope.formats import wire
from mindscope.formats.audio_header import audio_type, read_audio_header
from mindscope.formats.kinds.audio import audio_to_tensorboard
from mindscope.formats.kinds.histogram import histogram_to_tensorboard
from mindscope.formats.kinds.table import html_to_tensorboard, table_to_tensorboard
from mindscope.formats.kinds.tensorboard_plugins import (
    FAILURE,
    HPARAMS,
    SUCCESS,
    experiment,
    session_end,
    session_start,
)
from mindscope.formats.kinds.text import text_to_tensorboard
from mindscope.formats.tensorboard_schemas import SUMMARY
from mindscope.formats.tensorboard_values import plugin_metadata, text_tensor
from mindscope.reasons import Reason
from mindscope.types import Audio, Message, RecordedTable, TableColumn

MOST_MEDIA_BYTES = 1 << 28
"""A larger file of media is not shown."""
_VALUE = next(field for field in SUMMARY.fields if field.name == "value").schema
assert _VALUE is not None
_VALUE_SCHEMA = _VALUE


def encoded(message: Message) -> bytes:
    """Return the bytes of a Summary.Value."""
    return wire.encode(_VALUE_SCHEMA, message)


def flat(value: Mapping[str, Any], separator: str, prefix: str = "", levels: int = 32) -> Iterator[tuple[str, Any]]:
    """Yield the leaves of nested objects of JSON; what lies deeper than ``levels`` is a leaf."""
    for name, inner in value.items():
        if isinstance(inner, dict) and inner and levels > 0:
            yield from flat(cast("dict[str, Any]", inner), separator, f"{prefix}{name}{separator}", levels - 1)
        else:
            yield f"{prefix}{name}", inner


def parameters(
    values: Mapping[str, Any], group: str | None = None, started_at: float | None = None
) -> bytes:  # fmt: skip
    """Return hyperparameters: texts, numbers and bools; other values of JSON are texts."""
    return encoded(session_start({name: _parameter(value) for name, value in values.items()}, group, started_at))


def experiment_of(start: bytes) -> bytes:
    """Return the experiment of the start of a session: its parameters in their order, and no metric."""
    content: Message = HPARAMS.tensorboard.decode(start) if HPARAMS.tensorboard else {}
    names: Message = content.get("session_start_info", {}).get("hparams", {})
    return encoded(experiment({"hparam_infos": [{"name": name} for name in names]}))


def facts(values: Mapping[str, Any], group: str | None = None, started_at: float | None = None) -> bytes:
    """Return facts of a run, such as its name and its notes, without those that are empty."""
    return parameters({f"env/{name}": value for name, value in values.items() if value}, group, started_at)


def end(*, has_failed: bool, ended_at: float | None = None) -> bytes:
    """Return the end of a run."""
    return encoded(session_end(FAILURE if has_failed else SUCCESS, ended_at))


def text(tag: str, value: str) -> bytes:
    """Return a text."""
    return encoded(text_to_tensorboard(tag, value))


def html(tag: str, page: str) -> bytes:
    """Return a page of HTML."""
    return encoded(html_to_tensorboard(tag, page))


def images(tag: str, pictures: Sequence[bytes], width: int, height: int) -> bytes:
    """Return encoded pictures of one size."""
    texts = [str(width).encode(), str(height).encode(), *pictures]
    return encoded({"tag": tag, "tensor": text_tensor(texts), "metadata": plugin_metadata("images")})


def picture_size(picture: bytes) -> tuple[int, int]:
    """Return the width and the height of an encoded picture. Raises FormatError."""
    from PIL import Image

    try:
        with cast(Any, Image).open(BytesIO(picture)) as image:
            return int(image.width), int(image.height)
    except (OSError, ValueError, SyntaxError) as error:
        raise FormatError(Reason("value_malformed", kind="image", why=str(error))) from error


def video(tag: str, animation: bytes, width: int, height: int) -> bytes:
    """Return an animated GIF."""
    image = {"height": height, "width": width, "colorspace": 3, "encoded_image_string": animation}
    return encoded({"tag": tag, "image": image})


def audio(tag: str, clip: bytes) -> bytes:
    """Return an encoded sound."""
    header = read_audio_header(clip)
    sound = Audio(header.sample_rate, header.channels, header.frames, clip, audio_type(clip) or "audio/wav")
    return encoded(audio_to_tensorboard(tag, sound))


def histogram(tag: str, edges: Sequence[float], counts: Sequence[float]) -> bytes:
    """Return a histogram of ``n`` counts between ``n + 1`` edges. Raises FormatError for other numbers."""
    limits, heights = np.asarray(edges, np.float64), np.asarray(counts, np.float64)
    if limits.size != heights.size + 1 or not heights.size or not np.isfinite(limits).all():
        raise FormatError(Reason("value_malformed", kind="histogram", why="its edges and counts do not fit"))
    middle = (limits[1:] + limits[:-1]) / 2
    total = float(heights.sum())
    sums = float((middle * heights).sum()), float((middle * middle * heights).sum())
    statistics = float(limits[0]), float(limits[-1]), total, *sums
    upper, filled = np.concatenate([limits[:1], limits[1:]]), np.concatenate([[0.0], heights])
    return encoded(histogram_to_tensorboard(tag, statistics, upper, filled))


def table(tag: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> bytes:
    """Return a table; a column with anything but numbers, or but bools, is one of texts."""
    width = len(columns)
    cells = [[row[number] if number < len(row) else None for row in rows] for number in range(width)]
    made = tuple(_column(name, values) for name, values in zip(columns, cells, strict=True))
    return encoded(table_to_tensorboard(tag, RecordedTable(made, ())))


def media_file(directory: str, name: str) -> bytes:
    """Return the bytes of a file below ``directory``.

    Raises FormatError for a name that leads out of it or a file that is too large, OSError.
    """
    root = Path(os.path.realpath(directory))
    path = Path(os.path.realpath(root / name))
    if not path.is_relative_to(root) or not path.is_file():
        raise FormatError(Reason("tracker_file_missing", file=name))
    if path.stat().st_size > MOST_MEDIA_BYTES:
        raise FormatError(Reason("value_malformed", kind="file", why=f"it has {path.stat().st_size} bytes"))
    return path.read_bytes()


def size_of(picture: bytes) -> tuple[int, int]:
    """Return width and height of an encoded picture. Raises FormatError."""
    from PIL import Image

    try:
        opened: Any = Image.open(io.BytesIO(picture))
        with opened:
            return int(opened.width), int(opened.height)
    except Exception as error:  # Pillow raises OSError, SyntaxError, struct.error and others, by format
        why = f"{type(error).__name__}: {error}"
        raise FormatError(Reason("value_malformed", kind="image", why=why)) from error


def _column(name: str, values: Sequence[Any]) -> TableColumn:
    present = [value for value in values if value is not None]
    if present and all(type(value) is bool for value in present):
        return TableColumn(name, "bool", tuple(values))
    if present and all(type(value) in (int, float) for value in present):
        return TableColumn(name, "number", tuple(values))
    return TableColumn(name, "text", tuple(None if value is None else _cell(value) for value in values))


def _cell(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _parameter(value: Any) -> str | float:
    if isinstance(value, (str, bool)):
        return value
    if isinstance(value, (int, float)):
        return value if math.isfinite(value) and abs(value) <= 1 << 53 else str(value)
    return "None" if value is None else json.dumps(value, ensure_ascii=False)
