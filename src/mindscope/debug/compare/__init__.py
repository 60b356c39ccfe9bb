# SPDX-License-Identifier: Apache-2.0
"""Finds where two trainings, or the ranks of one, part: the first differing step and operator."""

from __future__ import annotations

from mindscope.debug.compare.comparison import Comparison as Comparison
from mindscope.debug.compare.divergence import compare_sources as compare_sources
from mindscope.debug.compare.divergence import operator_table as operator_table
from mindscope.debug.compare.matching import TensorMatching as TensorMatching
from mindscope.debug.compare.matching import known_pairs as known_pairs
from mindscope.debug.compare.matching import match_tensors as match_tensors
from mindscope.debug.compare.ranks import RankDifference as RankDifference
from mindscope.debug.compare.ranks import compare_ranks as compare_ranks
from mindscope.debug.compare.result import Difference as Difference
from mindscope.debug.compare.result import Divergence as Divergence
from mindscope.debug.compare.result import DivergenceCause as DivergenceCause
from mindscope.debug.compare.tensor_differences import TensorDifferences as TensorDifferences
from mindscope.debug.compare.tensor_differences import tensor_differences as tensor_differences
from mindscope.debug.compare.whole_tensors import Tolerance as Tolerance

__all__ = [
    "Comparison", "Difference", "Divergence", "DivergenceCause", "RankDifference", "TensorDifferences",
    "TensorMatching", "Tolerance", "compare_ranks", "compare_sources", "known_pairs", "match_tensors",
    "operator_table", "tensor_differences",
]  # fmt: skip
