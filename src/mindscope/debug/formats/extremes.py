# SPDX-License-Identifier: Apache-2.0
"""Derives NaN and infinities from the extremes of a tensor, where a format does not count those."""

from __future__ import annotations

import math

from mindscope.debug.model.fields import Field


def counts_from_extremes(least: float, largest: float) -> dict[Field, float]:
    """Return counts of what is not finite, from extremes over all elements, which a single NaN makes NaN.

    Finite extremes prove that there are none. Otherwise a count is 1, which means at least one.
    """
    if math.isnan(least) or math.isnan(largest):
        return {Field.NAN: 1.0}
    return {
        Field.NAN: 0.0,
        Field.POSITIVE_INF: float(largest == math.inf),
        Field.NEGATIVE_INF: float(least == -math.inf),
    }
