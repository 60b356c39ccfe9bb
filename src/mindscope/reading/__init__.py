# SPDX-License-Identifier: Apache-2.0
"""Logs in Python, without a server: open a run or all runs, look into them, export them."""

from __future__ import annotations

from mindscope.reading.open import open_run, open_runs
from mindscope.reading.run import Run
from mindscope.reading.runs import LineageTable, Runs
from mindscope.reading.scalars import ScalarPoint, Scalars
from mindscope.reading.values import Sample, Values

__all__ = ["LineageTable", "Run", "Runs", "Sample", "ScalarPoint", "Scalars", "Values", "open_run", "open_runs"]
