# SPDX-License-Identifier: Apache-2.0
"""Converts columns to tables of Arrow and pandas; imports the libraries only when needed."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from mindscope.errors import MissingPackageError
from mindscope.reasons import Reason
from mindscope.table.cells import as_number, cell_text

if TYPE_CHECKING:
    import pandas

_LEAST_INT64, _MOST_INT64 = -(1 << 63), (1 << 63) - 1


def pyarrow_module(name: str = "pyarrow") -> Any:
    """Return a module of pyarrow, which has no type hints. Raises MissingPackageError if it is not installed."""
    try:
        return import_module(name)
    except ImportError as error:
        raise MissingPackageError(Reason("arrow_missing")) from error


def arrow_table(columns: Mapping[str, NDArray[Any]]) -> Any:
    """Return a ``pyarrow.Table`` of named columns of equal length, null for None. Raises MissingPackageError.

    Objects become int64, float64, bool, string or lists; those of mixed types, or integers beyond int64, text.
    """
    pyarrow = pyarrow_module()
    return pyarrow.table({name: _arrow_array(pyarrow, column) for name, column in columns.items()})


def pandas_table(columns: Mapping[str, NDArray[Any]]) -> pandas.DataFrame:
    """Return a data frame of named columns of equal length. Raises MissingPackageError if pandas is not installed.

    A column of objects becomes Int64 or boolean with NA, float64 with NaN for None, else objects.
    """
    try:
        import pandas
    except ImportError as error:
        raise MissingPackageError(
            "pandas is not installed, to_pandas() needs it: pip install pandas, or use to_arrow()"
        ) from error
    # Copy read-only columns, because the owner of a frame may change it.
    frame: Any = pandas.DataFrame({name: _as_floats(column).copy() for name, column in columns.items()})
    return frame.astype({name: dtype for name, column in columns.items() if (dtype := _pandas_dtype(column))})


def _as_floats(column: NDArray[Any]) -> NDArray[Any]:
    """Return a column of float64 for integers and floats that are Python objects, NaN for None."""
    types = _types(column)
    is_float = float in types and types <= {int, float}
    return np.fromiter(map(as_number, column), np.float64, len(column)) if is_float else column


def _types(column: NDArray[Any]) -> set[type]:
    return set(map(type, column)) - {type(None)} if column.dtype == object else set()


def _pandas_dtype(column: NDArray[Any]) -> str | None:
    types = _types(column)
    has_missing = types and any(cell is None for cell in column)
    if types == {int} and _fits_int64(column):
        return "Int64" if has_missing else "int64"
    return ("boolean" if has_missing else "bool") if types == {bool} else None


def _fits_int64(column: NDArray[Any]) -> bool:
    return all(cell is None or _LEAST_INT64 <= cell <= _MOST_INT64 for cell in column)


def _arrow_array(pyarrow: Any, column: NDArray[Any]) -> Any:
    types = _types(column)
    if float in types and types <= {int, float}:
        return pyarrow.array(_as_floats(column), mask=np.array([cell is None for cell in column]))
    is_text = len(types) > 1 or (types == {int} and not _fits_int64(column))
    if not is_text:
        try:
            return pyarrow.array(list(map(_plain, column)) if types & {str, tuple} else column)
        except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError):  # lists of different types
            pass
    return pyarrow.array([None if cell is None else cell_text(cell) for cell in column], pyarrow.string())


def _plain(cell: Any) -> Any:
    """Converts tuples to lists, and unpaired surrogates, which UTF-8 can't encode, to backslash escapes."""
    if isinstance(cell, tuple):
        return [_plain(each) for each in cast("tuple[Any, ...]", cell)]
    is_encodable = not isinstance(cell, str) or cell.isascii()
    return cell if is_encodable else cell.encode("utf-8", "backslashreplace").decode()
