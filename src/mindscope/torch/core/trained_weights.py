# SPDX-License-Identifier: Apache-2.0
"""Finds the tensors of a network that training changes, by the names that its author gave."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from torch import Tensor, nn
from torch.nn.modules.batchnorm import _NormBase  # pyright: ignore[reportPrivateUsage]

from mindscope.errors import FrameworkError
from mindscope.torch.core.naming import plain_names, plain_network
from mindscope.torch.core.sharding import is_fully_sharded

_STATISTICS = frozenset({"running_mean", "running_var", "num_batches_tracked", "_u", "_v", "weight_u", "weight_v"})
"""Buffers of normalization layers of other packages, and of spectral normalization, new and old."""


def trained_weights(network: nn.Module) -> dict[str, Tensor]:
    """Return the parameters that are trained, and the statistics of normalization layers.

    They share memory with the network.

    A parameter with several names has its first one. Names have no part of ``torch.compile``, data parallelism and
    activation checkpointing, whether these are around the network or inside of it.

    Raises:
        FrameworkError: this process has a part of them only, as with FSDP, DeepSpeed ZeRO-3 and tensor parallelism.
    """
    plain: Any = plain_network(network)
    shards = "FSDP" if any(is_fully_sharded(module) for module in plain.modules()) else None
    weights = [*_parameters(plain), *_statistics(plain)]
    shards = shards or next((kind for _, each in weights if (kind := _sharding_tensor(each))), None)
    if shards is not None:
        raise FrameworkError(
            f"weights are sharded over processes ({shards}), and this one has a part; landscapes need networks that "
            "fit one process, as with DistributedDataParallel"
        )
    names = plain_names(plain, (name for name, _ in weights))
    return dict(zip(names, (each for _, each in weights), strict=True))


def _parameters(network: Any) -> Iterator[tuple[str, Tensor]]:
    return ((name, each) for name, each in network.named_parameters() if each.requires_grad)


def _statistics(network: Any) -> Iterator[tuple[str, Tensor]]:
    for path, module in network.named_modules():
        for name, each in module.named_buffers(path, recurse=False):
            if isinstance(module, _NormBase) or name.rpartition(".")[2] in _STATISTICS:
                yield name, each


def _sharding_tensor(tensor: Any) -> str | None:
    if type(tensor).__name__ == "DTensor":
        return "DTensor, as of FSDP"
    return "DeepSpeed ZeRO-3" if hasattr(tensor, "ds_id") else None
