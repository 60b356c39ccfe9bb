# SPDX-License-Identifier: Apache-2.0
"""Recording what happens inside of a training: statistics of all tensors."""

from __future__ import annotations

from mindscope.torch.debugging.debugger import Debugger as Debugger

__all__ = ["Debugger"]
