# SPDX-License-Identifier: Apache-2.0
"""The device of a network, and moving data there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn


def device_of(network: nn.Module) -> torch.device:
    """Return the device of the first parameter or buffer; the CPU for a network without any."""
    for parameter in network.parameters():
        return parameter.device
    for buffer in network.buffers():
        return buffer.device
    return torch.device("cpu")


def autocast_dtype() -> torch.dtype | None:
    """Return the type of ``torch.autocast`` where this is called; None outside of it."""
    for device in ("cuda", "cpu"):
        if torch.is_autocast_enabled(device):
            return torch.get_autocast_dtype(device)
    return None


def to_device(data: Any, device: torch.device) -> Any:
    """Return ``data`` with its tensors on the device and NumPy arrays as tensors; nothing waits for the copy.

    Lists, tuples and dicts are followed; anything else stays what it is.
    """
    if isinstance(data, np.ndarray):
        return _array_to_device(cast("NDArray[Any]", data), device)
    if isinstance(data, Tensor):
        return data if data.device == device else data.to(device, non_blocking=True)
    if isinstance(data, Mapping):
        entries = cast("Mapping[Any, Any]", data)
        return {key: to_device(value, device) for key, value in entries.items()}
    if isinstance(data, (list, tuple)):
        columns = cast("list[Any]", data)
        moved = [to_device(column, device) for column in columns]
        kind: Any = type(columns)
        return kind(*moved) if hasattr(kind, "_fields") else kind(moved)
    if hasattr(data, "to") and callable(data.to):  # a batch object, as tokenizers give
        return data.to(device)
    return data


def _array_to_device(array: NDArray[Any], device: torch.device) -> Any:
    is_numeric = array.dtype.kind in "biufc"
    return torch.from_numpy(np.ascontiguousarray(array)).to(device, non_blocking=True) if is_numeric else array


def batch_length(data: Any) -> int | None:
    """Return the first dimension of the first tensor in ``data``; None without a tensor."""
    if isinstance(data, (Tensor, np.ndarray)):
        array = cast("NDArray[Any]", data)
        return int(array.shape[0]) if array.ndim else None
    inner: Any = list(cast("Mapping[Any, Any]", data).values()) if isinstance(data, Mapping) else data
    if isinstance(inner, (list, tuple)):
        for each in cast("list[Any]", inner):
            length = batch_length(each)
            if length is not None:
                return length
    return None
