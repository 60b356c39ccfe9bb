# SPDX-License-Identifier: Apache-2.0
"""The loss in what a network gives."""

from __future__ import annotations

import numbers
from typing import Any, cast

import numpy as np
from mindspore import Tensor

from mindscope.capture.array_conversion import to_array


def loss_of(outputs: Any) -> float | None:
    """Return the mean of the first output; None if that is no number or tensor."""
    first: Any = outputs
    if isinstance(outputs, (list, tuple)) and outputs:
        first = cast("list[Any]", outputs)[0]
    if isinstance(first, Tensor):
        array = to_array(first)
        return float((array.astype(np.float32) if array.dtype.kind not in "iuf" else array).mean())
    if isinstance(first, numbers.Real):
        return float(first)
    return None
