# SPDX-License-Identifier: Apache-2.0
"""Finds the plain memory of a tensor of any kind, or says why it has none."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from mindscope.torch.debugging.element_types import ELEMENT_TYPES

_PLAIN = (Tensor, nn.Parameter, nn.Buffer) if hasattr(nn, "Buffer") else (Tensor, nn.Parameter)


class NotSummarizedError(Exception):
    """A tensor whose elements can't be read; the text is the reason."""


def plain_tensor(tensor: Tensor) -> Tensor:
    """Return a dense tensor of real elements with the elements of ``tensor``, which shares memory with it where it can.

    Of a sparse tensor these are the stored elements, of a complex one real and imaginary parts, of a distributed one
    the local part.

    Raises:
        NotSummarizedError: there is no such tensor.
    """
    if type(tensor) not in _PLAIN:
        tensor = _without_subclass(tensor)
    if tensor.layout is not torch.strided:
        tensor = _stored_elements(tensor)
    if tensor.is_quantized:
        raise NotSummarizedError("quantized tensor")
    if tensor.is_complex():
        tensor = torch.view_as_real(tensor.detach().resolve_conj())
    elif tensor.is_neg():
        tensor = tensor.detach().resolve_neg()
    if tensor.dtype not in ELEMENT_TYPES:
        raise NotSummarizedError(f"dtype {str(tensor.dtype)[6:]}")
    if tensor.device.type == "meta":
        raise NotSummarizedError("tensor of the device meta")
    return tensor


def is_of_torch_func(tensor: Tensor) -> bool:
    """Return whether a transform such as ``vmap`` wraps a tensor: it has no memory of its own."""
    return bool(torch._C._functorch.is_functorch_wrapped_tensor(tensor))  # pyright: ignore


def _without_subclass(tensor: Tensor) -> Tensor:
    local: Any = getattr(tensor, "_local_tensor", None)  # of torch.distributed
    if isinstance(local, Tensor):
        return local if type(local) in _PLAIN else _without_subclass(local)
    if tensor.is_nested and hasattr(tensor, "values"):
        return tensor.values()
    if hasattr(type(tensor), "__torch_dispatch__") and _is_wrapper(tensor):
        raise NotSummarizedError(f"tensor of the class {type(tensor).__name__}")
    return tensor.as_subclass(Tensor)


def _is_wrapper(tensor: Tensor) -> bool:
    """Return whether a subclass handles every operator itself, so that its own memory means nothing."""
    own: Any = type(tensor)
    plain: Any = Tensor
    return own.__torch_dispatch__ is not plain.__torch_dispatch__


def _stored_elements(tensor: Tensor) -> Tensor:
    if tensor.layout is torch.sparse_coo:
        return tensor.detach()._values()
    if tensor.layout in (torch.sparse_csr, torch.sparse_csc, torch.sparse_bsr, torch.sparse_bsc):
        return tensor.detach().values()
    raise NotSummarizedError(f"layout {str(tensor.layout)[6:]}")


def in_memory_order(tensor: Tensor) -> Tensor:
    """Return a contiguous tensor with the elements: the same memory where it is dense, in its order; else a copy."""
    if tensor.is_contiguous():
        return tensor
    pairs = sorted((stride, size) for stride, size in zip(tensor.stride(), tensor.shape, strict=True) if size != 1)
    expected = 1
    for stride, size in pairs:
        if stride != expected:
            return tensor.detach().contiguous()
        expected *= size
    return tensor.detach().as_strided((tensor.numel(),), (1,))
