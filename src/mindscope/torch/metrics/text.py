# SPDX-License-Identifier: Apache-2.0
"""Metrics of predicted words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from mindscope.torch.core.arguments import check_count, check_flag, check_optional_count
from mindscope.torch.metrics.computed import Computed, plain, torchmetrics
from mindscope.torch.metrics.metric import Metric, two_inputs

Tokens = Sequence[Any]


class BleuScore(Metric):
    """BLEU: how much of the n-grams of a translation is in its references.

    Source: Papineni et al., "BLEU: a method for automatic evaluation of machine translation" (2002).

    Args:
        n_gram: longest n-grams, 1 to 4.
        smooth: count each n-gram once more (Lin et al. 2004).

    Raises:
        TypeError, ValueError: arguments of another type or range.
    """

    packages = ("torchmetrics",)

    def __init__(self, n_gram: int = 4, smooth: bool = False) -> None:
        self.n_gram = check_count("n_gram", n_gram, 1)
        if self.n_gram > 4:
            raise ValueError(f"n_gram is {n_gram}, want 1 to 4")
        self.smooth = check_flag("smooth", smooth)
        self._engine: Any = None

    def clear(self) -> None:
        """Forget all batches."""
        self._engine = None

    def update(self, *inputs: Any) -> None:
        """Take a list of translations, each a list of words, and for each a list of references."""
        if len(inputs) != 2 or len(inputs[0]) != len(inputs[1]):
            raise ValueError("BleuScore.update wants as many lists of references as translations")
        if self._engine is None:
            self._engine = torchmetrics("text").BLEUScore(n_gram=self.n_gram, smooth=self.smooth)
        translations: Sequence[Tokens] = inputs[0]
        references: Sequence[Sequence[Tokens]] = inputs[1]
        self._engine.update(
            [_line(translation) for translation in translations], [[_line(each) for each in one] for one in references]
        )

    def eval(self) -> float:
        """Return the score between 0 and 1. Raises RuntimeError without any ``update``."""
        if self._engine is None:
            raise RuntimeError("BleuScore.eval() came before any update(), want at least one batch")
        return plain(self._engine.compute())


def _line(words: Tokens) -> str:
    """Return one text that is cut at blanks again; blanks inside of words become another sign."""
    return " ".join("\u2581".join(str(word).split()) for word in words)


class Perplexity(Computed):
    """The exponential of the mean negative log probability of the labels.

    Args:
        ignore_label: labels of this class don't count.

    Raises:
        TypeError, ValueError: arguments of another type or range.
    """

    def __init__(self, ignore_label: int | None = None) -> None:
        self.ignore_label = check_optional_count("ignore_label", ignore_label)

    def update(self, *inputs: Any) -> None:
        """Take probabilities (..., C) and labels (...). Raises ValueError if shapes don't fit."""
        probabilities, label = two_inputs("Perplexity", inputs)
        label = label.reshape(-1).long()
        if label.numel() != probabilities.numel() // probabilities.shape[-1]:
            shapes = f"probabilities of shape {tuple(probabilities.shape)} and {label.numel()} labels"
            raise ValueError(f"Perplexity got {shapes}, want one label for each row of probabilities")
        chosen = probabilities.reshape(-1, probabilities.shape[-1]).double().gather(1, label[:, None])[:, 0]
        if self.ignore_label is not None:
            chosen = chosen[label != self.ignore_label]
        if self._engine is None:
            self._engine = self._begin(chosen, label)
        self._engine.update(-torch.log(chosen.clamp_min(1e-10)))

    def eval(self) -> float:
        """Return the perplexity, at least 1. Raises RuntimeError without any ``update``."""
        return math.exp(float(self._compute()))

    def _begin(self, prediction: Tensor, label: Tensor) -> Any:
        return torchmetrics("").MeanMetric().set_dtype(torch.float64).to(prediction.device)
