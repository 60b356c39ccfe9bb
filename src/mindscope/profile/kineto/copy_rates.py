# SPDX-License-Identifier: Apache-2.0
"""Whether copies last as long as their bytes and bandwidth say: where not, a tool has scaled the times of the trace."""

from __future__ import annotations

import numpy as np

from mindscope.profile.kineto.analysis import KinetoAnalysis
from mindscope.profile.kineto.categories import SliceRole
from mindscope.profile.trace.argument_columns import ArgumentNames
from mindscope.reasons import Reason

_BANDWIDTH = "memory bandwidth (GB/s)"
_MOST_COPIES = 1_000
_LEAST_FACTOR = 30
"""Copies in traces of whole microseconds may last several times as long as they say."""


def copy_rate_problem(analysis: KinetoAnalysis) -> Reason | None:
    """Return by which factor copies last too long or too short; None if they don't. Raises OSError."""
    rows = np.flatnonzero(analysis.roles == SliceRole.MEMCPY)[:_MOST_COPIES]
    arguments = analysis.source.of_slices(rows, ArgumentNames(integers=("bytes",), numbers=(_BANDWIDTH,)))
    size, rate = arguments.integers["bytes"], arguments.numbers[_BANDWIDTH]
    duration = analysis.trace.slices.duration[rows]
    is_sure = (size > 0) & (rate > 0) & np.isfinite(rate) & (duration > 0)
    if not is_sure.any():
        return None
    factor = float(np.median(duration[is_sure] * rate[is_sure] / size[is_sure]))  # 1 GB/s is 1 byte in a nanosecond
    if 1 / _LEAST_FACTOR < factor < _LEAST_FACTOR:
        return None
    return Reason("profile_times_scaled", factor=f"{factor:.3g}" if factor < 1 else round(factor))
