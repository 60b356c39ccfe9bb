# SPDX-License-Identifier: Apache-2.0
"""How losses are computed."""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass

import torch

NORMALIZATIONS = ("as_trained", "re_estimated")
DTYPES: dict[str | None, torch.dtype | None] = {
    None: None, "float32": torch.float32, "float64": torch.float64, "bfloat16": torch.bfloat16, "auto": None,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Options:
    """See ``mindscope.torch.landscape``. Raises ValueError."""

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
        if self.num_samples < 1:
            raise ValueError(f"num_samples is {self.num_samples}, want at least 1")
