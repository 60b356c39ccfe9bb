# SPDX-License-Identifier: Apache-2.0
"""The number of parameters of frozen, lazy and wrapped networks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from digits import SmallNet
from recorded_row import recorded
from torch import distributed, nn

from mindscope.torch.core.parameter_count import count_parameters

pytestmark = pytest.mark.framework


def test_shared_frozen_meta_and_lazy_parameters_are_counted(tmp_path: Path) -> None:
    tied = nn.Sequential(nn.Linear(8, 8, bias=False), nn.Linear(8, 8, bias=False))
    tied[1].weight = tied[0].weight
    assert count_parameters(tied) == (64, 64)
    frozen = SmallNet().requires_grad_(False)
    assert count_parameters(frozen) == (750, 0)
    with torch.device("meta"):
        assert count_parameters(nn.Linear(1 << 20, 1 << 13, bias=False)) == (1 << 33, 1 << 33)
    lazy = nn.Sequential(nn.LazyLinear(3), nn.Linear(3, 2))
    assert count_parameters(lazy) is None
    row = recorded(tmp_path / "lazy", network=lazy)
    assert "model/parameters" not in row
    assert row["fact/world_size"] == 1
    lazy(torch.zeros(1, 5))
    assert recorded(tmp_path / "known", network=lazy)["model/parameters"] == 26
    assert recorded(tmp_path / "meta", network=SmallNet().to("meta"))["model/parameters"] == 750


@pytest.fixture
def process_group(tmp_path: Path) -> Iterator[None]:
    distributed.init_process_group("gloo", init_method=f"file://{tmp_path / 'store'}", rank=0, world_size=1)
    yield
    distributed.destroy_process_group()


@pytest.mark.usefixtures("process_group")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["fully_shard", "original", "flat", "ddp", "compiled"])
def test_wrapped_networks_have_the_size_of_the_network(kind: str, tmp_path: Path) -> None:
    from torch.distributed.fsdp import FullyShardedDataParallel, fully_shard

    network: Any = SmallNet()
    if kind == "fully_shard":
        fully_shard(network, mesh=distributed.init_device_mesh("cpu", (1,)))
    elif kind == "ddp":
        network = nn.parallel.DistributedDataParallel(network)
    elif kind == "compiled":
        network = torch.compile(network)
    else:
        network.conv1 = FullyShardedDataParallel(network.conv1, use_orig_params=kind == "original", device_id="cpu")
    row = recorded(tmp_path / "run", network=network)
    assert (row["model/parameters"], row["model/trainable_parameters"]) == (750, 750)
