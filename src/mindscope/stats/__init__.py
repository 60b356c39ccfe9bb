# SPDX-License-Identifier: Apache-2.0
"""Numeric reductions of series: pure functions of arrays, no files and no runs."""

from __future__ import annotations

from mindscope.stats._fingerprint import fingerprint
from mindscope.stats._pyramid import Pyramid
from mindscope.stats.abscissa import Abscissa, arrange
from mindscope.stats.curve import Columns, GrowingCurve, Task, XName, one_by_one
from mindscope.stats.histograms import group_steps, merge_histograms
from mindscope.stats.m4 import Line, Reduction, m4, reduce
from mindscope.stats.parted import Parted
from mindscope.stats.smooth import SmoothedColumn, smooth

__all__ = [
    "Abscissa",
    "Columns",
    "GrowingCurve",
    "Line",
    "Parted",
    "Pyramid",
    "Reduction",
    "SmoothedColumn",
    "Task",
    "XName",
    "arrange",
    "fingerprint",
    "group_steps",
    "m4",
    "merge_histograms",
    "one_by_one",
    "reduce",
    "smooth",
]
