# SPDX-License-Identifier: Apache-2.0
"""Options of the computation of losses."""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass

import torch

from mindscope.collector.landscape import check_whole

NORMALIZATIONS = ("as_trained", "re_estimated")
DTYPES: dict[str | None, torch.dtype | None] = {
    None: None, "float32": torch.float32, "float64": torch.float64, "bfloat16": torch.bfloat16, "auto": None,
}  # fmt: skip

LARGEST_SEED = 2**63 - 1
"""Largest seed that the event file holds."""


@dataclass(frozen=True, slots=True)
class Options:
    """The options of ``mindscope.torch.landscape``. Raises TypeError and ValueError."""

    num_samples: int = 2048
    seed: int = 0
    normalization: str = "as_trained"
    dtype: str | None = None
    evaluation: str = "auto"
    executor: Executor | None = None
    full: bool = False

    def __post_init__(self) -> None:
        if self.normalization not in NORMALIZATIONS:
            raise ValueError(f"normalization is {self.normalization!r}, want {' or '.join(NORMALIZATIONS)}")
        if self.dtype not in DTYPES:
            raise ValueError(f"dtype is {self.dtype!r}, want {', '.join(map(str, DTYPES))}")
        check_whole("num_samples", self.num_samples, 1, None)
        check_whole("seed", self.seed, 0, LARGEST_SEED)
        if self.executor is not None and not hasattr(self.executor, "submit"):
            raise TypeError(f"executor is {self.executor!r}, want one of concurrent.futures, or None")
