# SPDX-License-Identifier: Apache-2.0
"""Metrics of the similarity of rows."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from mindscope.torch.core.arguments import check_choice, check_flag
from mindscope.torch.metrics.computed import torchmetrics
from mindscope.torch.metrics.metric import Metric, to_tensor


class CosineSimilarity(Metric):
    """The similarity of every row of the data with every other, shape (N, N).

    Args:
        similarity: ``cosine``, or ``dot`` for products.
        reduction: ``none``, or ``sum`` or ``mean`` of each row, shape (N,).
        zero_diagonal: a row with itself is 0.

    Raises:
        TypeError, ValueError: arguments of another type or value.
    """

    packages = ("torchmetrics",)

    def __init__(self, similarity: str = "cosine", reduction: str = "none", zero_diagonal: bool = True) -> None:
        self.similarity = check_choice("similarity", similarity, ("cosine", "dot"))
        self.reduction = check_choice("reduction", reduction, ("none", "sum", "mean"))
        self.zero_diagonal = check_flag("zero_diagonal", zero_diagonal)
        self.clear()

    def clear(self) -> None:
        """Forget all batches."""
        self._rows: list[Tensor] = []

    def update(self, *inputs: Any) -> None:
        """Take rows, shape (N, D). Raises ValueError for another shape."""
        rows = to_tensor(inputs[0]).double() if len(inputs) == 1 else torch.empty(0)
        if rows.ndim != 2:
            raise ValueError("CosineSimilarity.update wants one input of shape (N, D)")
        self._rows.append(rows)

    def eval(self) -> Any:
        """Return an array. Raises RuntimeError without any ``update``."""
        if not self._rows:
            raise RuntimeError("CosineSimilarity.eval() came before any update(), want at least one batch")
        pairwise = torchmetrics("functional")
        compute = (
            pairwise.pairwise_cosine_similarity if self.similarity == "cosine" else pairwise.pairwise_linear_similarity
        )
        reduction = None if self.reduction == "none" else self.reduction
        return compute(torch.cat(self._rows), reduction=reduction, zero_diagonal=self.zero_diagonal).cpu().numpy()
