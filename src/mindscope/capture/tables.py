# SPDX-License-Identifier: Apache-2.0
"""Tables from dicts and lists, NumPy, pandas, polars and Arrow, without importing any of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from mindscope.capture.array_conversion import Array, to_array
from mindscope.capture.audio import DEFAULT_RATE, check_audio, check_rate, wave_of
from mindscope.capture.figures import figure_pixels
from mindscope.capture.images import as_batch, brightness, check_image, encode_png
from mindscope.errors import TypeRejectedError, ValueRejectedError
from mindscope.types import RecordedTable, TableColumn

MAX_CELLS = 1 << 22
_SAFE_INTEGER = 1 << 53  # a page reads larger ones as rounded floats
_WANT = "want a dict of columns, a list of dicts, a frame of pandas or polars, or an Arrow table"


def recorded_table(value: Any) -> RecordedTable:
    """Return a copy of a table.

    ``value`` is a dict of columns, a list of dicts, ``{"columns": names, "data": rows}``, a frame of pandas or polars,
    an Arrow table, or an array of NumPy with one or two axes. A cell is a number, a text, a bool, None, an image of
    Pillow, a figure, an array of shape (H, W) or (H, W, C), or ``{"samples": array, "sample_rate": 44100}``; anything
    else becomes its text. Raises ValueRejectedError.
    """
    columns = {str(name): list(cells) for name, cells in _columns(value).items()}
    lengths = {len(cells) for cells in columns.values()}
    if len(lengths) > 1:
        raise ValueRejectedError(f"columns of a table have {sorted(lengths)} rows, want as many in each")
    if sum(map(len, columns.values())) > MAX_CELLS:
        raise ValueRejectedError(f"table has more than {MAX_CELLS} cells; record a part of its rows")
    media: list[tuple[str, bytes]] = []
    return RecordedTable(tuple(_column(name, cells, media) for name, cells in columns.items()), tuple(media))


def _columns(value: Any) -> Mapping[Any, Iterable[Any]]:
    if isinstance(value, RecordedTable):
        return {column.name: column.values for column in value.columns}
    if hasattr(value, "column_names") and hasattr(value, "to_pydict"):  # Arrow
        return dict(zip(value.column_names, (column.to_pylist() for column in value.columns), strict=True))
    if hasattr(value, "iter_columns"):  # polars
        return {column.name: column.to_list() for column in value.iter_columns()}
    if hasattr(value, "columns") and hasattr(value, "iloc"):  # pandas
        return {name: value.iloc[:, number].tolist() for number, name in enumerate(value.columns)}
    if isinstance(value, np.ndarray):
        return _of_array(cast("np.ndarray[Any, Any]", value))
    if isinstance(value, Mapping):
        given = cast("Mapping[Any, Any]", value)
        if set(given) == {"columns", "data"}:
            return _of_rows(list(given["columns"]), list(given["data"]))
        return {name: _cells(name, cells) for name, cells in given.items()}
    if isinstance(value, (list, tuple)) and all(isinstance(row, Mapping) for row in cast("list[Any]", value)):
        rows = cast("list[Mapping[Any, Any]]", value)
        names = dict.fromkeys(name for row in rows for name in row)
        return {name: [row.get(name) for row in rows] for name in names}
    raise TypeRejectedError(f"table is {type(cast(Any, value)).__name__}, {_WANT}")


def _cells(name: Any, cells: Any) -> list[Any]:
    if isinstance(cells, (str, bytes)) or not isinstance(cells, Iterable):
        raise TypeRejectedError(f"column {name!r} of a table is {type(cells).__name__}, want a list of its cells")
    if hasattr(cast(Any, cells), "tolist") and len(getattr(cast(Any, cells), "shape", ())) == 1:
        return cast(Any, cells).tolist()
    return list(cast("Iterable[Any]", cells))


def _of_rows(names: Sequence[Any], rows: Sequence[Any]) -> Mapping[Any, list[Any]]:
    if any(len(row) != len(names) for row in rows):
        raise ValueRejectedError(f"rows of a table have other lengths than its {len(names)} columns")
    return {name: [row[number] for row in rows] for number, name in enumerate(names)}


def _of_array(array: np.ndarray[Any, Any]) -> Mapping[Any, list[Any]]:
    if array.dtype.names:
        return {name: array[name].tolist() for name in array.dtype.names}
    if array.ndim != 2:
        raise ValueRejectedError(f"table is an array of shape {array.shape}, want (rows, columns)")
    return {number: array[:, number].tolist() for number in range(array.shape[1])}


def _column(name: str, cells: list[Any], media: list[tuple[str, bytes]]) -> TableColumn:
    plain = [_cell(cell, media) for cell in cells]
    kinds = {kind for kind, _ in plain if kind}
    if len(kinds) > 1:  # such as numbers and texts: all become texts
        texts = [None if kind == "" else str(value) for kind, value in plain]
        return TableColumn(name, "text", tuple(texts))
    return TableColumn(name, kinds.pop() if kinds else "text", tuple(value for _, value in plain))


def _cell(cell: Any, media: list[tuple[str, bytes]]) -> tuple[str, Any]:
    """Return the type and the value of a cell; the type is empty for None."""
    if cell is None or type(cell).__name__ in ("NaTType", "NAType"):
        return "", None
    if isinstance(cell, (bool, np.bool_)):
        return "bool", bool(cast(Any, cell))
    if isinstance(cell, (int, np.integer)):
        number = int(cast(Any, cell))
        return ("number", number) if abs(number) <= _SAFE_INTEGER else ("text", str(number))
    if isinstance(cell, (float, np.floating)):
        return "number", float(cast(Any, cell))
    if isinstance(cell, str):
        return "text", cell
    file = _media(cell)
    if file is None:
        return _of_tensor(cell)
    media.append(file)
    return "media", len(media) - 1


def _of_tensor(cell: Any) -> tuple[str, Any]:
    """Return the number of a tensor of one element; the text of another object."""
    if math.prod(getattr(cell, "shape", (0,))) == 1 and hasattr(cell, "item"):
        item = cell.item()
        return _cell(item, []) if isinstance(item, (bool, int, float)) else ("text", str(item))
    return "text", str(cell)


def _media(cell: Any) -> tuple[str, bytes] | None:
    if isinstance(cell, Mapping) and "samples" in cell and set(cast("Mapping[str, Any]", cell)) <= {
        "samples", "sample_rate",
    }:  # fmt: skip
        return "audio/wav", _wave(cast("Mapping[str, Any]", cell))
    other: Any = cast(Any, cell)
    if hasattr(other, "getbands") or hasattr(other, "savefig") or hasattr(other, "to_plotly_json"):
        return "image/png", encode_png(figure_pixels(other))
    if len(getattr(other, "shape", ())) in (2, 3) and math.prod(other.shape) > 1:
        return "image/png", encode_png(_pixels(to_array(other, check=_check_picture)))
    return None


def _check_picture(array: Array) -> None:
    if array.ndim != 3 or array.shape[2] not in (1, 3, 4):
        check_image(array)


def _pixels(array: Array) -> NDArray[np.uint8]:
    """Return pixels (H, W, C); the channels are the last axis if that is possible."""
    is_last = array.ndim == 3 and array.shape[2] in (1, 3, 4)
    with np.errstate(all="ignore"):
        return brightness(array[np.newaxis] if is_last else as_batch(array))[0][0]


def _wave(cell: Mapping[str, Any]) -> bytes:
    array = to_array(cell["samples"], check=check_audio)
    return wave_of(array, check_rate(cell.get("sample_rate", DEFAULT_RATE))).encoded
