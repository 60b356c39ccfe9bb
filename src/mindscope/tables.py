# SPDX-License-Identifier: Apache-2.0
"""Converts columns to tables of Arrow and pandas; imports the libraries only when needed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from mindscope.errors import MissingPackageError
from mindscope.reasons import Reason

if TYPE_CHECKING:
    import pandas


class Tabular(ABC):
    """Named columns of equal length, as tables of pandas and Arrow."""

    __slots__ = ()

    @abstractmethod
    def _columns(self) -> Mapping[str, Any]:
        """Return arrays or lists by the names of the columns."""

    def to_pandas(self) -> pandas.DataFrame:
        """Return the columns as a data frame. Raises MissingPackageError if pandas is not installed."""
        return pandas_table(self._columns())

    def to_arrow(self) -> Any:
        """Return the columns as a ``pyarrow.Table``. Raises MissingPackageError if pyarrow is not installed."""
        return arrow_table(self._columns())


def pyarrow_module(name: str = "pyarrow") -> Any:
    """Return a module of pyarrow, which has no type hints. Raises MissingPackageError if it is not installed."""
    try:
        return import_module(name)
    except ImportError as error:
        raise MissingPackageError(Reason("arrow_missing")) from error


def arrow_table(columns: Mapping[str, Any]) -> Any:
    """Return a ``pyarrow.Table`` of named columns of equal length: arrays or lists. Raises MissingPackageError."""
    pyarrow = pyarrow_module()
    return pyarrow.table({name: _arrow_array(pyarrow, column) for name, column in columns.items()})


def pandas_table(columns: Mapping[str, Any]) -> pandas.DataFrame:
    """Return a data frame of named columns of equal length. Raises MissingPackageError if pandas is not installed."""
    try:
        import pandas
    except ImportError as error:
        raise MissingPackageError(
            "pandas is not installed, to_pandas() needs it: pip install pandas, or use to_arrow()"
        ) from error
    # Copy read-only columns, because the owner of a frame may change it.
    return pandas.DataFrame(
        {name: np.array(column) if _is_array(column) else column for name, column in columns.items()}
    )


def columns_of_rows(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Converts rows to columns over all rows, None for missing cells; columns are in the order of first occurrence."""
    names = _in_order_of_first_sight(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


def _in_order_of_first_sight(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def _is_array(column: Any) -> bool:
    return isinstance(column, np.ndarray)


def _arrow_array(pyarrow: Any, column: Any) -> Any:
    if _is_array(column):
        return pyarrow.array(column)
    try:
        return pyarrow.array(column)
    except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError):
        # One column may hold numbers in one run and text in another.
        return pyarrow.array([None if value is None else str(value) for value in column])
