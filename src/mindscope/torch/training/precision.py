# SPDX-License-Identifier: Apache-2.0
"""Mixed precision by level."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from mindscope.torch.core.arguments import check_choice, check_flag
from mindscope.torch.training.amp_wrapper import AmpWrapper

LEVELS = ("O0", "O1", "O2", "O3", "auto")
_WITH_AUTOCAST = ("O1", "auto")
_OF_HALF = ("O2", "O3")


class Precision:
    """The precision of steps. Half precision is float16 on CUDA and bfloat16 elsewhere; weights stay as they are.

    | level      | network                                       | loss scale with float16 |
    |------------|-----------------------------------------------|-------------------------|
    | O0         | in its own types                              | none                    |
    | O1, auto   | under ``torch.autocast``, with torch's lists  | dynamic                 |
    | O2         | half precision, normalization layers float32  | dynamic                 |
    | O3         | half precision                                | none                    |

    Args:
        amp_level: the level.
        device_type: ``cpu``, ``cuda``, ...
        keep_batchnorm_fp32: at O2 and O3, whether normalization layers stay in float32; None for what the level says.

    Raises:
        TypeError, ValueError: no such level or flag.
    """

    def __init__(self, amp_level: str, device_type: str, keep_batchnorm_fp32: bool | None = None) -> None:
        self._level = check_choice("amp_level", amp_level, LEVELS)
        self._is_norm_kept = amp_level == "O2"
        if keep_batchnorm_fp32 is not None:
            self._is_norm_kept = check_flag("keep_batchnorm_fp32", keep_batchnorm_fp32)
        self._device_type = device_type
        self._dtype = torch.float16 if device_type == "cuda" else torch.bfloat16
        is_scaled = self._dtype is torch.float16 and self._level not in ("O0", "O3")
        self._scaler: Any = torch.amp.GradScaler(device_type) if is_scaled else None

    @property
    def level(self) -> str:
        """The value of ``amp_level``."""
        return self._level

    @property
    def compute_dtype(self) -> torch.dtype | None:
        """The type in which layers compute; None where it is their own."""
        return None if self._level == "O0" else self._dtype

    def wrap(self, network: nn.Module) -> nn.Module:
        """Return the module to call in place of the network."""
        return AmpWrapper(network, self._dtype, self._is_norm_kept) if self._level in _OF_HALF else network

    def cast(self) -> AbstractContextManager[Any]:
        """Return the context in which a network and its loss compute."""
        if self._level not in _WITH_AUTOCAST:
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
