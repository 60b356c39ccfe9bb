# SPDX-License-Identifier: Apache-2.0
"""Media under the names and arguments of other libraries."""

from __future__ import annotations

from typing import Any

from mindscope.capture.array_conversion import to_array
from mindscope.redirect.ignored import unknown
from mindscope.tracking import media


class _Lenient:
    """Takes methods and attributes that the class of the other library has."""

    def __getattr__(self, name: str) -> Any:
        return unknown(f"{type(self).__name__}.{name}")


class Image(_Lenient, media.Image):
    """An image; one of this class is taken as it is."""

    def __init__(self, data_or_path: Any = None, mode: Any = None, caption: Any = None, **others: Any) -> None:
        data = others.pop("value", data_or_path)  # the name that Trackio has
        overlays = {name: others[name] for name in ("boxes", "masks") if name in others}
        if isinstance(data, media.Image):
            overlays = {"boxes": data.boxes, "masks": data.masks, **overlays}
            data, caption = data.data, data.caption if caption is None else caption
        super().__init__(data, None, caption, **overlays)


class Audio(_Lenient, media.Audio):
    """Sound."""

    def __init__(self, data_or_path: Any = None, sample_rate: Any = None, caption: Any = None, **others: Any) -> None:
        super().__init__(others.get("value", data_or_path), sample_rate, caption)


class Video(_Lenient, media.Video):
    """Frames, or the path of an animated GIF."""

    def __init__(
        self, data_or_path: Any = None, caption: Any = None, fps: Any = None, format: Any = None, **others: Any
    ) -> None:
        super().__init__(others.get("value", data_or_path), caption, fps, format)


class Html(_Lenient, media.Html):
    """An HTML page."""

    def __init__(self, data: Any, inject: bool = True, data_is_not_path: bool = False, **others: Any) -> None:
        super().__init__(data, inject)
        self._is_text = data_is_not_path

    def content(self) -> Any:
        """Return the text."""
        return self.data if self._is_text else super().content()


class Histogram(_Lenient, media.Histogram):
    """How often values occur."""


class Table(_Lenient, media.Table):
    """A table; arguments stand in the order of W&B."""

    def __init__(
        self, columns: Any = None, data: Any = None, rows: Any = None, dataframe: Any = None, *_: Any, **others: Any
    ) -> None:
        super().__init__(columns, data, rows, dataframe)

    def add_data(self, *row: Any, **columns: Any) -> None:
        """Add a row, by position or by the names of columns."""
        super().add_data(*row, *(columns.get(name) for name in self.columns[len(row) :]) if columns else ())

    add_row = add_data

    def get_column(self, name: str, convert_to: Any = None) -> Any:
        """Return the cells of a column."""
        at = self.columns.index(name)
        return [row[at] for row in self.data]


class Figure(_Lenient, media.Figure):
    """A figure of Plotly or Matplotlib."""

    def __init__(self, figure: Any, *_: Any, **others: Any) -> None:
        super().__init__(figure)


class Text(_Lenient, media.Media):
    """A text."""

    plugin = "text"

    def __init__(self, content: Any = "", caption: Any = None, **others: Any) -> None:
        self.text, self.caption = str(others.get("text", content)), caption

    def content(self) -> Any:
        """Return the text."""
        return self.text


class Object3D(_Lenient, media.Media):
    """Points (n, 3), or (n, 6) with colors from 0 to 255; a file or another shape is refused when it is logged."""

    plugin = "mesh"

    def __init__(self, data_or_path: Any = None, caption: Any = None, **others: Any) -> None:
        self.data, self.caption = data_or_path, caption

    @classmethod
    def from_numpy(cls, data: Any, **others: Any) -> Object3D:
        """Return the points of an array."""
        return cls(data)

    def content(self) -> Any:
        """Return the vertices, and the colors if there are some."""
        array = to_array(self.data)
        colors = {"colors": array[:, 3:6]} if array.ndim == 2 and array.shape[1] == 6 else {}
        return {"vertices": array[..., :3], **colors}
