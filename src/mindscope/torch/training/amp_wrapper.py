# SPDX-License-Identifier: Apache-2.0
"""A network that computes in half precision while its weights stay what they are."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.func import functional_call
from torch.nn.modules.batchnorm import _NormBase  # pyright: ignore[reportPrivateUsage]
from torch.utils import _pytree as pytree

NORMS: tuple[type[nn.Module], ...] = (_NormBase, nn.LayerNorm, nn.GroupNorm, nn.RMSNorm, nn.LocalResponseNorm)
"""Layers that add up many squares: in half precision they overflow or lose digits."""


class AmpWrapper(nn.Module):
    """Computes with copies of the weights in ``dtype``; gradients flow back to the weights themselves.

    Floating inputs of each layer with weights are cast to their type, and the outputs of the network to float32. What
    batch normalization keeps of its batches comes back to the network.

    Args:
        network: keeps its weights, buffers and their names.
        dtype: ``torch.float16`` or ``torch.bfloat16``.
        is_norm_kept: whether normalization layers compute in their own type.
    """

    def __init__(self, network: nn.Module, dtype: torch.dtype, is_norm_kept: bool) -> None:
        super().__init__()
        self.network, self._dtype, self._is_norm_kept = network, dtype, is_norm_kept
        for module in network.modules():
            if any(parameter.is_floating_point() for parameter in module.parameters(recurse=False)):
                module.register_forward_pre_hook(_match_inputs, with_kwargs=True)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Return the outputs of the network, in float32."""
        state, statistics = self._state()
        args, kwargs = _cast((args, kwargs), self._dtype)
        outputs = functional_call(self.network, state, args, kwargs)
        for kept, changed in statistics:
            kept.copy_(changed)
        return _cast(outputs, torch.float32)

    def _state(self) -> tuple[dict[str, Tensor], list[tuple[Tensor, Tensor]]]:
        """Return the cast tensors by name, and the pairs of running statistics that a training changes."""
        state: dict[str, Tensor] = {}
        statistics: list[tuple[Tensor, Tensor]] = []
        for prefix, module in cast("Iterable[tuple[str, nn.Module]]", self.network.named_modules()):
            if self._is_norm_kept and isinstance(module, NORMS):
                continue
            buffers = dict(module.named_buffers(recurse=False))
            for name, tensor in {**dict(module.named_parameters(recurse=False)), **buffers}.items():
                if not tensor.is_floating_point():
                    continue
                half = state[f"{prefix}.{name}" if prefix else name] = tensor.to(self._dtype)
                if name in buffers and isinstance(module, _NormBase) and module.training:
                    statistics.append((tensor, half))
        return state, statistics


def _match_inputs(module: nn.Module, args: Any, kwargs: Any) -> tuple[Any, Any]:
    """Return the inputs in the type of the layer's weights.

    It converts where one of the two is float32 and the other half precision.
    """
    weights = next(parameter for parameter in module.parameters(recurse=False) if parameter.is_floating_point())
    return _cast((args, kwargs), weights.dtype)


def _cast(values: Any, dtype: torch.dtype) -> Any:
    def to_dtype(value: Any) -> Any:
        is_cast = isinstance(value, Tensor) and value.dtype in (torch.float32, torch.float16, torch.bfloat16)
        return value.to(dtype) if is_cast else value

    return pytree.tree_map(to_dtype, values)
