# SPDX-License-Identifier: Apache-2.0
"""Numeric reductions of series: pure functions of arrays, no files and no runs."""

from __future__ import annotations

from mindscope.stats._reduce import Pyramid, fingerprint
from mindscope.stats.abscissa import Abscissa, arrange
from mindscope.stats.m4 import Line, Reduction, m4, reduce
from mindscope.stats.smooth import SmoothedColumn, smooth

__all__ = [
    "Abscissa",
    "Line",
    "Pyramid",
    "Reduction",
    "SmoothedColumn",
    "arrange",
    "fingerprint",
    "m4",
    "reduce",
    "smooth",
]
