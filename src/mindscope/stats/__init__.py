# SPDX-License-Identifier: Apache-2.0
"""Numeric reductions of series: pure functions of arrays, no files and no runs."""

from __future__ import annotations

from mindscope.stats.m4 import m4
from mindscope.stats.smooth import smooth

__all__ = ["m4", "smooth"]
