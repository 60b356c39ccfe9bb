# SPDX-License-Identifier: Apache-2.0
"""Values that are more than a number, with the names that other trackers have for them."""

from __future__ import annotations

import sys
import wave
from collections.abc import Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, cast

import numpy as np

from mindscope.capture.event_stream import EventStream
from mindscope.capture.figures import figure_pixels
from mindscope.capture.images import PIXELS
from mindscope.capture.pending import PendingValue, from_bytes
from mindscope.errors import ValueRejectedError
from mindscope.formats.kinds.histogram import histogram_to_tensorboard
from mindscope.formats.tensorboard_values import value_field
from mindscope.tracking.overlays import boxes_of, painted, pixels_of, with_boxes


class Media:
    """A value for ``log``. It is copied when it is logged, not before."""

    plugin = ""
    caption: str | None = None

    def content(self) -> Any:
        """Return what ``EventStream.add`` takes. Raises whatever a bad value raises."""
        raise NotImplementedError

    def add(self, stream: EventStream, tag: str, step: int) -> None:
        """Record the value, and its caption as the text ``{tag}/caption``."""
        stream.add_prepared(self.plugin, tag, lambda: self.prepared(stream, tag), step)
        if self.caption:
            stream.add("text", f"{tag}/caption", str(self.caption), step)

    def prepared(self, stream: EventStream, tag: str) -> PendingValue:
        """Return a copy for the queue."""
        return stream.prepared(self.plugin, tag, self.content())


class Image(Media):
    """An image: an array (H, W), (H, W, C) or (C, H, W), N of them, an image of Pillow, a figure, or a path.

    Args:
        data_or_path: the image.
        mode: accepted and ignored.
        caption: a text beside the image.
        boxes: an array (n, 4) of left, top, right and bottom in pixels; or ``{name: {"box_data": [{"position":
            {"minX", "maxX", "minY", "maxY"}, "domain": "pixel", "class_id", "box_caption"}], "class_labels": {0:
            "cat"}}}``, whose positions are shares of the width and the height without ``"domain": "pixel"``.
        masks: ``{name: {"mask_data": array (H, W) of classes, "class_labels": {...}}}``, painted over the image; class
            0 stays as it is.
    """

    plugin = "image"

    def __init__(
        self, data_or_path: Any, mode: str | None = None, caption: str | None = None, boxes: Any = None,
        masks: Mapping[str, Any] | None = None, **others: Any,
    ) -> None:  # fmt: skip
        self.data, self.caption, self.boxes, self.masks = data_or_path, caption, boxes, masks

    def content(self) -> Any:
        """Return the array, or the pixels (H, W, C) of a file, a figure or an image with masks."""
        if self.masks:
            return painted(pixels_of(self.data), self.masks)
        is_array = not isinstance(self.data, (str, PathLike)) and not hasattr(self.data, "getbands")
        data: Any = cast(Any, self.data)
        return data if is_array and not hasattr(data, "savefig") else pixels_of(data)

    def prepared(self, stream: EventStream, tag: str) -> PendingValue:
        """Return a copy, with the boxes drawn."""
        content = self.content()
        if self.boxes is None or len(self.boxes) == 0:
            if content is not self.data:
                return stream.prepared_array("image", tag, content.transpose(2, 0, 1), PIXELS)
            return stream.prepared(self.plugin, tag, content)
        pixels = pixels_of(content) if content is self.data else content
        edges, labels = boxes_of(self.boxes, pixels.shape)
        return stream.prepared_array("image", tag, pixels, with_boxes(edges, labels))


class Figure(Media):
    """A figure of Matplotlib or Plotly, or an image of Pillow, as it is when it is logged."""

    plugin = "figure"

    def __init__(self, figure: Any, caption: str | None = None) -> None:
        self.figure, self.caption = figure, caption

    def content(self) -> Any:
        """Return the figure."""
        return self.figure


class Histogram(Media):
    """How often values occur: ``sequence``, or ``np_histogram`` as ``numpy.histogram`` returns it."""

    plugin = "histogram"

    def __init__(self, sequence: Any = None, np_histogram: Any = None, num_bins: int = 64) -> None:
        self.sequence, self.np_histogram, self.num_bins = sequence, np_histogram, num_bins

    def prepared(self, stream: EventStream, tag: str) -> PendingValue:
        """Return a copy."""
        from mindscope.capture.limit_histograms import histogram_kind

        if self.np_histogram is None:
            return stream.prepared_array("histogram", tag, self.sequence, histogram_kind(int(self.num_bins)))
        counts, edges = (np.asarray(array, np.float64) for array in self.np_histogram)
        if counts.ndim != 1 or edges.shape != (counts.size + 1,) or counts.size == 0:
            raise ValueRejectedError(f"np_histogram has {counts.shape} counts and {edges.shape} edges, want one more")
        centers = (edges[:-1] + edges[1:]) / 2
        sums = (float(edges[0]), float(edges[-1]), float(counts.sum()), float(counts @ centers))
        message = histogram_to_tensorboard(tag, (*sums, float(counts @ centers**2)), edges[1:], counts)
        return from_bytes("histogram", tag, value_field(message))


class Table(Media):
    """A table: names of columns and rows, or a frame of pandas or polars, or an Arrow table.

    Cells are numbers, texts, bools, None, arrays of images, figures, and ``Image``, ``Audio`` or ``Html``, as its text;
    other media leave their name.
    """

    plugin = "table"

    def __init__(
        self, columns: Sequence[Any] | None = None, data: Any = None, rows: Any = None, dataframe: Any = None,
        **others: Any,
    ) -> None:  # fmt: skip
        self.frame = dataframe
        given = data if data is not None else rows
        if given is not None and not isinstance(given, (list, tuple)) and columns is None:
            self.frame, given = given, None
        self.data: list[list[Any]] = [list(row) for row in cast("list[Any]", given or [])]
        width = max(map(len, self.data), default=0)
        self.columns: list[str] = [str(name) for name in (range(width) if columns is None else columns)]

    def add_data(self, *row: Any) -> None:
        """Add a row. A wrong number of cells is refused when the table is logged."""
        self.data.append(list(row))

    def add_column(self, name: str, data: Sequence[Any]) -> None:
        """Add a column, with a cell for each row."""
        cells = list(data)
        self.data = [[*row, cell] for row, cell in zip(self.data or [[] for _ in cells], cells, strict=True)]
        self.columns.append(str(name))

    def content(self) -> Any:
        """Return the frame, or the columns and the rows."""
        if self.frame is not None:
            return self.frame
        return {"columns": self.columns, "data": [[_cell(cell) for cell in row] for row in self.data]}


class Video(Media):
    """Frames (T, C, H, W) or (T, H, W, C), N videos with N in front, or the path of an animated GIF."""

    plugin = "video"

    def __init__(
        self, data_or_path: Any, caption: str | None = None, fps: float | None = None, format: str | None = None
    ) -> None:
        self.data, self.caption, self.fps, self.format = data_or_path, caption, fps, format

    def content(self) -> Any:
        """Return the frames and their rate."""
        if not isinstance(self.data, (str, PathLike)):
            return {"frames": self.data, "fps": 4 if self.fps is None else self.fps}
        from PIL import Image as Pillow
        from PIL import ImageSequence

        path = Path(cast("str | PathLike[str]", self.data))
        if path.suffix.lower() not in (".gif", ".webp", ".png"):
            raise ValueRejectedError(f"video {path.name!r} is no GIF; give its frames as an array (T, C, H, W)")
        opened: Any = Pillow.open(str(path))
        with opened as file:
            delay_ms = float(file.info.get("duration", 0)) or 250.0
            pages: Iterator[Any] = iter(cast(Any, ImageSequence.Iterator(file)))
            frames = np.stack([np.asarray(page.convert("RGB"), np.uint8) for page in pages])
        return {"frames": frames, "fps": min(1000 / delay_ms, 50.0) if self.fps is None else self.fps}


class Audio(Media):
    """Sound: samples (L,), (C, L) or (L, C) from -1 to 1 or int16, or the path of a WAV file of 8 or 16 bits."""

    plugin = "audio"

    def __init__(self, data_or_path: Any, sample_rate: float | None = None, caption: str | None = None) -> None:
        self.data, self.sample_rate, self.caption = data_or_path, sample_rate, caption

    def content(self) -> Any:
        """Return the samples and their rate."""
        if not isinstance(self.data, (str, PathLike)):
            return {"samples": self.data, "sample_rate": 44100 if self.sample_rate is None else self.sample_rate}
        with wave.open(str(cast(Any, self.data)), "rb") as file:
            width, channels, rate = file.getsampwidth(), file.getnchannels(), file.getframerate()
            encoded = file.readframes(file.getnframes())
        if width not in (1, 2):
            raise ValueRejectedError(f"audio {str(cast(Any, self.data))!r} has {8 * width} bits, want 8 or 16")
        samples = np.frombuffer(encoded, "<i2" if width == 2 else np.uint8)
        if width == 1:
            samples = ((samples.astype(np.int16) - 128) << 8).astype(np.int16)
        shape = samples.reshape(-1, channels)
        return {"samples": shape[:, 0] if channels == 1 else shape, "sample_rate": rate}


class Html(Media):
    """An HTML page: its text, a path that ends with ``.html``, or an open file."""

    plugin = "html"

    def __init__(self, data: Any, inject: bool = True) -> None:
        self.data = data

    def content(self) -> Any:
        """Return the text."""
        if hasattr(self.data, "read"):
            return self.data.read()
        is_path = isinstance(self.data, PathLike) or (isinstance(self.data, str) and self.data.endswith(".html"))
        return Path(cast(Any, self.data)).read_text("utf-8") if is_path else cast(Any, self.data)


def plugin_of(value: Any) -> str | None:
    """Return the kind of a plain value that is no number; None for a number or an array of one element.

    An array of uint8 with two axes or with channels is an image, another one a histogram.
    """
    if isinstance(value, str):
        return "text"
    if hasattr(value, "getbands") or hasattr(value, "savefig") or hasattr(value, "to_plotly_json"):
        return "figure"
    if hasattr(value, "column_names") or hasattr(value, "iloc") or hasattr(value, "iter_columns"):
        return "table"
    if isinstance(value, (list, tuple)):
        return "histogram"
    shape: tuple[int, ...] = tuple(getattr(value, "shape", ()))
    if not shape or all(side == 1 for side in shape):
        return None
    is_picture = str(getattr(value, "dtype", "")).endswith("uint8") and (
        len(shape) == 2 or (len(shape) == 3 and (shape[0] in (1, 3, 4) or shape[2] in (1, 3, 4)))
    )
    return "image" if is_picture else "histogram"


def close_figure(figure: Any) -> None:
    """Close a figure that pyplot keeps, as it is recorded: a training that draws each epoch would keep them all."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None and hasattr(figure, "savefig"):
        pyplot.close(figure)


def _cell(cell: Any) -> Any:
    if isinstance(cell, Figure):
        return figure_pixels(cell.figure)
    if isinstance(cell, (Image, Audio, Html)):
        return cell.content()
    return f"({type(cell).__name__})" if isinstance(cell, Media) else cell
