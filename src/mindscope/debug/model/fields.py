# SPDX-License-Identifier: Apache-2.0
"""The statistics that are kept of each tensor, in the order of their columns."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from mindscope.table.schema import MAX, MIN, SUM, UNKNOWN, ColumnField, Unit


class Field(str, Enum):
    """One statistic of a tensor. NaN where a format does not record it.

    Elements that are NaN or infinite count in ``COUNT``, ``NAN``, ``POSITIVE_INF`` and ``NEGATIVE_INF`` only; all other
    fields are of the finite elements. The sums are of float64, or of float32 where a device has no float64.
    """

    COUNT = "count"
    NAN = "nan"
    POSITIVE_INF = "positive_inf"
    NEGATIVE_INF = "negative_inf"
    ZERO = "zero"
    BELOW_ZERO = "below_zero"
    ABOVE_ZERO = "above_zero"
    MIN = "min"
    """NaN if no element is finite, as is ``MAX``."""
    MAX = "max"
    SUM = "sum"
    SUM_ABS = "sum_abs"
    SUM_SQUARES = "sum_squares"
    NEAR_MAX = "near_max"
    """Elements at the ends of the range of their dtype, where the next larger result overflows or saturates.

    Of floats, those whose magnitude is at least a half of the largest finite number. Of integers, those whose magnitude
    is at least the largest number: 255 of uint8; 127, -127 and -128 of int8, since symmetric quantization ends at -127.
    Magnitudes of 64 bits are compared as float64. None of bool.
    """
    SUBNORMAL = "subnormal"
    """Elements other than zero that are smaller than the smallest normal number of their dtype."""
    MEAN_ABS_UPDATE = "mean_abs_update"
    """Mean of |now - before| of a parameter, over one step of the optimizer."""
    MEAN_ABS_BEFORE = "mean_abs_before"
    """Mean of |before| of a parameter."""

    def __str__(self) -> str:
        return self.value

    @property
    def column(self) -> ColumnField:
        """Unit and merge rule of its column in a table."""
        return _COLUMNS.get(self, ColumnField(Unit.COUNT, SUM))


FIELDS = tuple(Field)
"""All fields, in the order of the columns."""
COLUMN = {field: column for column, field in enumerate(FIELDS)}
"""The column of each field."""
_COLUMNS: Mapping[Field, ColumnField] = {
    Field.MIN: ColumnField(Unit.NUMBER, MIN),
    Field.MAX: ColumnField(Unit.NUMBER, MAX),
    **dict.fromkeys((Field.SUM, Field.SUM_ABS, Field.SUM_SQUARES), ColumnField(Unit.NUMBER, SUM)),
    **dict.fromkeys((Field.MEAN_ABS_UPDATE, Field.MEAN_ABS_BEFORE), UNKNOWN),
}
"""Those of the other fields are counts."""
