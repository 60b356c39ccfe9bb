# SPDX-License-Identifier: Apache-2.0
"""Copies of the weights of a network, and MindSpore's checkpoints of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import mindspore
import numpy as np

_STATISTICS = ("moving_mean", "moving_variance")
"""Ends of the names of what normalization layers keep, which MindSpore has as parameters that are not trained."""


class CheckpointCopy:
    """A copy of the weights of a network, as a ``WeightCopy``.

    Args:
        network: what is trained of it is copied, and the statistics of its normalization layers.
    """

    def __init__(self, network: Any) -> None:
        self._tensors = {
            get_parameter.name: cast(Any, mindspore.Tensor).from_numpy(np.array(get_parameter.asnumpy(), order="C"))
            for get_parameter in network.get_parameters()
            if get_parameter.requires_grad or get_parameter.name.endswith(_STATISTICS)
        }
        self.size = sum(tensor.nbytes for tensor in self._tensors.values())
        """Size in bytes."""

    def write(self, file: Path) -> None:
        """Write the parameters as ``save_checkpoint`` does. Raises OSError."""
        entries = [{"name": name, "data": tensor} for name, tensor in self._tensors.items()]
        mindspore.save_checkpoint(entries, str(file))
