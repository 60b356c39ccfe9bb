# SPDX-License-Identifier: Apache-2.0
"""Copies of tensors for a dump, as arrays that NumPy has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from numpy.typing import NDArray
from torch import Tensor

from mindscope.debug.dump.statistic_columns import NULL, number_text

_NUMPY = frozenset((
    torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.uint16, torch.uint32,
    torch.uint64, torch.float16, torch.float32, torch.float64, torch.complex64, torch.complex128,
))  # fmt: skip
_ON_DEVICE: dict[str, Callable[[Tensor], Tensor]] = {
    "max": lambda flat: flat.max(),
    "min": lambda flat: flat.min(),
    "avg": lambda flat: flat.mean(),
    "l2norm": torch.linalg.vector_norm,
}


def why_not(tensor: Tensor) -> str:
    """Return the reason why a tensor has no elements to write; empty if it has."""
    if tensor.is_meta or type(tensor).__name__ == "FakeTensor":
        return "meta"
    if tensor.layout != torch.strided or tensor.is_nested:
        return "nested" if tensor.is_nested else str(tensor.layout).removeprefix("torch.")
    return "" if tensor.numel() else "empty"


def fetched(tensor: Tensor, is_copied: bool, sample: int | None) -> Callable[[], NDArray[Any]]:
    """Return the array of a tensor, for a thread that calls the result later.

    Args:
        tensor: on any device; bfloat16, float8 and quantized tensors become float32.
        is_copied: copy now, without waiting for the device; else the caller fetches before the tensor changes.
        sample: copy only that many elements, if there are more.
    """
    if sample is not None and tensor.numel() > sample:
        tensor = tensor.reshape(-1)[:sample]
    tensor = tensor.detach()
    if tensor.device.type == "cpu":
        copy = tensor.clone() if is_copied else tensor
        return lambda: _to_array(copy)
    if not is_copied or tensor.device.type != "cuda":
        host = tensor.cpu()
        return lambda: _to_array(host)
    pinned = tensor.to("cpu", non_blocking=True)
    event: Any = torch.cuda.Event()
    event.record(torch.cuda.current_stream(tensor.device))

    def fetch() -> NDArray[Any]:
        event.synchronize()
        return _to_array(pinned)

    return fetch


def fetched_cells(tensor: Tensor, categories: Sequence[str], is_low_precision: bool) -> Callable[[], list[str]]:
    """Return statistics that the device computes; ``null`` for those that it does not."""
    flat = tensor.detach().reshape(-1)
    if flat.dtype.is_complex:
        return lambda: [NULL] * len(categories)
    if not flat.dtype.is_floating_point or flat.dtype not in _NUMPY or not is_low_precision:
        flat = flat.to(torch.float64 if flat.dtype in (torch.int64, torch.float64) else torch.float32)
    names = [name for name in categories if name in _ON_DEVICE]
    if not names:
        return lambda: [NULL] * len(categories)
    values = torch.stack([_ON_DEVICE[name](flat) for name in names])
    fetch = fetched(values, is_copied=True, sample=None)

    def rows() -> list[str]:
        found = dict(zip(names, fetch().tolist(), strict=True))
        return [number_text(found[name]) if name in found else NULL for name in categories]

    return rows


def _to_array(tensor: Tensor) -> NDArray[Any]:
    if tensor.is_quantized:
        tensor = tensor.dequantize()
    if tensor.dtype not in _NUMPY:
        tensor = tensor.to(torch.complex64 if tensor.dtype.is_complex else torch.float32)
    return tensor.resolve_conj().resolve_neg().numpy()
