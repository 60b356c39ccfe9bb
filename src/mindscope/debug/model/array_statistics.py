# SPDX-License-Identifier: Apache-2.0
"""The statistics of an array on the host, as reference and for formats that hold only arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.debug.model.fields import FIELDS, Field

FLOAT_LIMITS = {
    "float16": (65504.0, 2.0**-14),
    "bfloat16": (float(2.0**128 - 2.0**120), 2.0**-126),
    "float32": (float(np.finfo(np.float32).max), 2.0**-126),
    "float64": (float(np.finfo(np.float64).max), float(np.finfo(np.float64).tiny)),
    "float8_e4m3fn": (448.0, 2.0**-6),
    "float8_e5m2": (57344.0, 2.0**-14),
}
"""The largest finite number and the smallest normal one of each dtype."""


def array_statistics(array: NDArray[Any], dtype: str = "") -> NDArray[np.float64]:
    """Return the fields of an array of real numbers or bools; those of updates are NaN.

    Args:
        array: of any shape.
        dtype: of the tensor, where the array has a wider one, as that of bfloat16. It decides what is near its limits.
    """
    flat = np.ravel(array)
    found = dict.fromkeys(FIELDS, np.nan)
    values = flat.astype(np.float64)
    is_finite = np.isfinite(values)
    finite = values if is_finite.all() else values[is_finite]
    magnitudes = np.abs(finite)
    with np.errstate(over="ignore"):
        found |= {
            Field.COUNT: values.size,
            Field.NAN: np.isnan(values).sum(),
            Field.POSITIVE_INF: np.isposinf(values).sum(),
            Field.NEGATIVE_INF: np.isneginf(values).sum(),
            Field.ZERO: (finite == 0).sum(),
            Field.BELOW_ZERO: (finite < 0).sum(),
            Field.ABOVE_ZERO: (finite > 0).sum(),
            Field.MIN: finite.min() if finite.size else np.nan,
            Field.MAX: finite.max() if finite.size else np.nan,
            Field.SUM: finite.sum(),
            Field.SUM_ABS: magnitudes.sum(),
            Field.SUM_SQUARES: np.square(finite).sum(),
            Field.NEAR_MAX: 0,
            Field.SUBNORMAL: 0,
        }
        if flat.dtype.kind in "iu" and dtype in ("", str(flat.dtype)):
            found[Field.NEAR_MAX] = (magnitudes >= float(np.iinfo(flat.dtype).max)).sum()
        limits = FLOAT_LIMITS.get(dtype or str(array.dtype))
        if limits:
            largest, tiny = limits
            found[Field.NEAR_MAX] = (magnitudes >= largest / 2).sum()
            found[Field.SUBNORMAL] = ((magnitudes < tiny) & (magnitudes > 0)).sum()
    return np.array([found[field] for field in FIELDS], np.float64)
