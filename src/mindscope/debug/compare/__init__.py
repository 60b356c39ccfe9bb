# SPDX-License-Identifier: Apache-2.0
"""Where two trainings part: the first differing step and operator."""

from __future__ import annotations

from mindscope.debug.compare.divergence import Divergence as Divergence
from mindscope.debug.compare.divergence import compare_sources as compare_sources
from mindscope.debug.compare.divergence import operator_table as operator_table
from mindscope.debug.compare.matching import TensorMatching as TensorMatching
from mindscope.debug.compare.matching import match_tensors as match_tensors
from mindscope.debug.compare.result import Difference as Difference
from mindscope.debug.compare.result import DivergenceCause as DivergenceCause

__all__ = [
    "Difference", "Divergence", "DivergenceCause", "TensorMatching", "compare_sources", "match_tensors",
    "operator_table",
]  # fmt: skip
