# SPDX-License-Identifier: Apache-2.0
"""Statistics of normalization layers over a batch."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.nn.modules.batchnorm import _NormBase  # pyright: ignore[reportPrivateUsage]
from torch.nn.modules.instancenorm import _InstanceNorm  # pyright: ignore[reportPrivateUsage]


def layers_with_statistics(network: nn.Module) -> dict[str, Any]:
    """Return normalization layers with a running mean and variance, by name."""
    return {
        name: each
        for name, each in _modules(network)
        if isinstance(each, _NormBase) and cast(Any, each).running_mean is not None
    }


def statistics_names(network: nn.Module) -> list[str]:
    """Return names of their running means and variances in the state of the network."""
    return [name for layer in layers_with_statistics(network) for name in _names(layer)]


_NORMALIZATIONS = (_NormBase, nn.LayerNorm, nn.GroupNorm, nn.RMSNorm)


def normalization_names(network: nn.Module) -> set[str]:
    """Return names of all parameters and buffers of normalization layers."""
    layers = {name: each for name, each in _modules(network) if isinstance(each, _NORMALIZATIONS)}
    return {
        f"{layer}.{name}" if layer else name
        for layer, each in layers.items()
        for name in each.state_dict(keep_vars=True)
    }


def _modules(network: nn.Module) -> list[tuple[str, nn.Module]]:
    return list(cast(Any, network).named_modules())


@contextmanager
def estimating(layers: Mapping[str, Any]) -> Generator[dict[str, Tensor]]:
    """Let layers normalize by the batch; the result has its means and unbiased variances when it ends, by name."""
    calls: dict[str, list[tuple[Tensor, Tensor]]] = {name: [] for name in layers}
    found: dict[str, Tensor] = {}
    with ExitStack() as stack:
        for name, layer in layers.items():
            handle = layer.register_forward_pre_hook(_collect(calls[name]))
            stack.callback(handle.remove)
            stack.callback(_set_modes, layer, layer.training, layer.track_running_stats)
            _set_modes(layer, True, False)
        yield found
    for name, values in calls.items():
        for index, key in enumerate(_names(name)):
            if values:  # a layer that the network calls
                found[key] = torch.stack([value[index] for value in values]).mean(0)


def _names(layer: str) -> list[str]:
    return [f"{layer}.{part}" if layer else part for part in ("running_mean", "running_var")]


def _set_modes(layer: Any, is_training: bool, tracks: bool) -> None:
    layer.training, layer.track_running_stats = is_training, tracks


def _collect(values: list[tuple[Tensor, Tensor]]) -> Any:
    def hook(layer: nn.Module, inputs: tuple[Tensor, ...]) -> None:
        tensor = inputs[0].float() if inputs[0].dtype in (torch.bfloat16, torch.float16) else inputs[0]
        if isinstance(layer, _InstanceNorm):
            dims = list(range(2, tensor.ndim))
            values.append((tensor.mean(dims).mean(0), tensor.var(dims).mean(0)))
        else:
            dims = [dim for dim in range(tensor.ndim) if dim != 1]
            values.append((tensor.mean(dims), tensor.var(dims)))

    return hook
