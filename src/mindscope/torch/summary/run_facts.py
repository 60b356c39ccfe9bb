# SPDX-License-Identifier: Apache-2.0
"""Lineage fields that PyTorch knows: seeds, processes, precision, sizes, devices."""

from __future__ import annotations

from collections import Counter
from typing import Any

import torch
from torch import nn
from torch.utils.data import DataLoader

from mindscope.collector.environment import environment
from mindscope.collector.lineage_fields import fact, model, parameter
from mindscope.torch.core import distributed
from mindscope.torch.core.devices import autocast_dtype, device_of
from mindscope.torch.core.optimizer_settings import optimizer_settings, scheduler_settings, schedulers_of
from mindscope.torch.core.parameter_count import count_parameters
from mindscope.torch.core.sharding import FULLY_SHARDED, sharding_of

Fields = dict[str, Any]


def seed_fields(params: Any) -> Fields:
    """Return the seed of torch; that of CUDA and that of the DataLoader where they have their own."""
    seed = torch.initial_seed()
    fields = {parameter("seed"): seed}
    if torch.cuda.is_initialized() and (cuda := torch.cuda.initial_seed()) != seed:
        fields[parameter("seed.cuda")] = cuda
    loader: Any = params.get("train_dataset")
    if isinstance(loader, DataLoader) and loader.generator is not None:
        fields[parameter("seed.data")] = loader.generator.initial_seed()
    return fields


def world_size_fields() -> Fields:
    """Return the number of processes that train together, and the rank of this one among several."""
    size = distributed.get_group_size()
    return {fact("world_size"): size} | ({fact("rank"): distributed.get_rank()} if size > 1 else {})


def precision_fields(params: Any) -> Fields:
    """Return the types of the parameters, the type in which layers compute, and the level of the trainer."""
    network: nn.Module | None = params.get("network")
    types = Counter(each.dtype for each in network.parameters()) if network is not None else Counter[torch.dtype]()
    return {
        parameter("precision"): "+".join(str(_name(dtype)) for dtype, _ in types.most_common()) or None,
        parameter("precision.compute"): _name(_compute_dtype(params)),
        parameter("precision.level"): params.get("precision_level"),
    }


def _compute_dtype(params: Any) -> torch.dtype | None:
    given = params.get("compute_dtype") or getattr(params.get("graph_probe"), "autocast_dtype", None)
    return given or autocast_dtype()


def _name(dtype: torch.dtype | None) -> str | None:
    return None if dtype is None else str(dtype).removeprefix("torch.")


def parameter_count_fields(params: Any) -> Fields:
    """Return the parameters of the network, and how many of them are trained."""
    network: nn.Module | None = params.get("network")
    count = None if network is None else count_parameters(network)
    if count is None:
        return {}
    return {model("parameters"): count.total, model("trainable_parameters"): count.trainable}


def histogram_fields(params: Any, is_gathering: bool) -> Fields:
    """Return which part of the parameters the histograms cover, where processes hold parts of them."""
    network: nn.Module | None = params.get("network")
    sharding = None if network is None else sharding_of(network)
    if sharding is None:
        return {}
    if is_gathering and FULLY_SHARDED not in sharding:
        return {model("histograms"): f"whole parameters, gathered from all processes ({sharding})"}
    return {model("histograms"): f"part of rank {distributed.get_rank()} ({sharding})"}


def optimizer_fields(params: Any) -> Fields:
    """Return the settings of the parameter groups."""
    optimizers = params.get("optimizers") or [params.get("optimizer")]
    settings = optimizer_settings(optimizer for optimizer in optimizers if optimizer is not None)
    return {parameter(name): value for name, value in settings.items()}


def scheduler_fields(params: Any) -> Fields:
    """Return the scheduler of the learning rate, and its settings."""
    return {parameter(name): value for name, value in scheduler_settings(schedulers_of(params)).items()}


def environment_fields(params: Any) -> Fields:
    """Return machine, Python, torch, and the accelerator if the training uses one; never initializes one."""
    facts: Fields = {"torch": torch.__version__, "cuda": torch.version.cuda, "rocm": torch.version.hip}
    facts["device"] = _device(params.get("network"))
    if torch.cuda.is_initialized():
        facts["gpu"] = torch.cuda.get_device_name()
        facts["gpus"] = torch.cuda.device_count()
    return environment() | {fact(name): value for name, value in facts.items()}


def _device(network: nn.Module | None) -> str | None:
    try:
        return None if network is None else device_of(network).type
    except Exception:  # of a class of the user
        return None
