# SPDX-License-Identifier: Apache-2.0
"""Mixed precision by level."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch import Tensor
from torch.optim import Optimizer

from mindscope.torch.arguments import check_choice

LEVELS = ("O0", "O1", "O2", "O3", "auto")


class Precision:
    """How steps compute: O0 in the network's own types; O1, O2, O3 and auto under ``torch.autocast``.

    Autocast computes in float16 on CUDA, with gradients scaled so that small ones don't vanish, and in bfloat16
    elsewhere, which needs no scaling. The weights stay what they are at every level.

    Raises:
        TypeError, ValueError: no such level.
    """

    def __init__(self, amp_level: str, device_type: str) -> None:
        self._is_mixed = check_choice("amp_level", amp_level, LEVELS) != "O0"
        self._device_type = device_type
        self._dtype = torch.float16 if device_type == "cuda" else torch.bfloat16
        self._scaler: Any = None
        if self._is_mixed and self._dtype is torch.float16:
            self._scaler = torch.amp.GradScaler(device_type)

    def cast(self) -> AbstractContextManager[Any]:
        """The context in which a network and its loss compute."""
        if not self._is_mixed:
            return nullcontext()
        return torch.autocast(self._device_type, dtype=self._dtype)

    def backward(self, loss: Tensor) -> None:
        """Compute the gradients of ``loss``."""
        (loss if self._scaler is None else self._scaler.scale(loss)).backward()

    def step(self, optimizer: Optimizer) -> None:
        """Change the weights; a step whose scaled gradients overflowed is left out."""
        if self._scaler is None:
            optimizer.step()
        else:
            self._scaler.step(optimizer)
            self._scaler.update()
