# SPDX-License-Identifier: Apache-2.0
"""Print shows texts and tensors from inside a network.

python examples/torch_print.py
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from mindscope.torch import Print


class PrintDemo(nn.Module):
    """Shows what it is called with."""

    def __init__(self) -> None:
        super().__init__()
        self.print = Print()

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        """Show both, return the first."""
        self.print("print Tensor x and Tensor y:", x, y)
        return x


if __name__ == "__main__":
    x = torch.tensor(np.ones([2, 1]).astype(np.int32))
    y = torch.tensor(np.ones([2, 2]).astype(np.int32))
    net = PrintDemo()
    output = net(x, y)
