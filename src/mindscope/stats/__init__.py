# SPDX-License-Identifier: Apache-2.0
"""Numeric reductions of series: pure functions of arrays, no files and no runs."""

from __future__ import annotations

from mindscope.stats._fingerprint import fingerprint
from mindscope.stats._pyramid import Pyramid
from mindscope.stats.chunked_array import ChunkedArray
from mindscope.stats.curve import Columns, GrowingCurve, Task, XName, run_serially
from mindscope.stats.histograms import group_steps, merge_histograms
from mindscope.stats.m4 import Line, Reduction, m4, reduce
from mindscope.stats.quantiles import quantiles
from mindscope.stats.smooth import SmoothedColumn, smooth
from mindscope.stats.x_axis import XAxis, sort_x

__all__ = [
    "ChunkedArray",
    "Columns",
    "GrowingCurve",
    "Line",
    "Pyramid",
    "Reduction",
    "SmoothedColumn",
    "Task",
    "XAxis",
    "XName",
    "fingerprint",
    "group_steps",
    "m4",
    "merge_histograms",
    "quantiles",
    "reduce",
    "run_serially",
    "smooth",
    "sort_x",
]
