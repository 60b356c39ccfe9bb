# SPDX-License-Identifier: Apache-2.0
"""Weights that a training keeps for loss landscapes."""

from __future__ import annotations

import json
import pickle
import resource
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import torch
from digits import SmallNet, batches, make_model
from torch import nn

import mindscope
from mindscope.collector.landscape_file import read_landscape_file
from mindscope.errors import FormatError, FrameworkError, RecorderClosedError
from mindscope.torch import Callback, LandscapeCollector, SummaryCollector
from mindscope.torch.core.trained_weights import trained_weights
from mindscope.torch.core.weight_files import read_weights
from mindscope.torch.summary.weight_copy import copy_weights

pytestmark = pytest.mark.framework

THREE = {"unit": "step", "intervals": [[1, 2, 3]]}


def kept(directory: Path) -> dict[int, dict[str, torch.Tensor]]:
    """The weights of each checkpoint."""
    file = read_landscape_file(directory)
    return {number: read_weights(file.checkpoint(number)) for number in file.checkpoints}


def assert_equal(got: dict[str, torch.Tensor], want: dict[str, torch.Tensor]) -> None:
    assert set(got) == set(want)
    for name in want:
        assert got[name].dtype == want[name].dtype
        assert torch.equal(got[name], want[name]), name


class States(Callback):
    """The state of the network after each step."""

    def __init__(self) -> None:
        self.after: dict[int, dict[str, torch.Tensor]] = {}

    def step_end(self, run_context: Any) -> None:
        params = run_context.original_args()
        state = params["network"].state_dict()
        self.after[params["cur_step_num"]] = {name: each.clone() for name, each in state.items()}


def test_weights_of_the_steps_are_kept_with_their_list(tmp_path: Path) -> None:
    states = States()
    wanted = {"collect_landscape": THREE | {"landscape_size": 5}}
    collector = SummaryCollector(tmp_path / "run", collect_specified_data=wanted)
    make_model().train(2, batches(48), callbacks=[collector, states])
    moved = tmp_path / "moved"
    shutil.move(tmp_path / "run", moved)
    metadata = json.loads((moved / "ckpt_dir" / "train_metadata.json").read_text("utf-8"))
    assert metadata == {
        "epoch_group": {"0": [1, 2, 3]}, "step_per_epoch": 3, "unit": "step", "num_samples": 128, "landscape_size": 5,
        "create_landscape": {"train": True, "result": True},
        "model_params_file_map": {str(number): f"SmallNet_{number}_step.safetensors" for number in (1, 2, 3)},
    }  # fmt: skip
    whole = kept(moved)
    for number in (1, 2, 3):
        assert_equal(whole[number], states.after[number])
    assert sorted(file.name for file in (moved / "ckpt_dir").iterdir()) == sorted(
        ["train_metadata.json", *metadata["model_params_file_map"].values()]
    )


@pytest.mark.parametrize("unit", ["step", "epoch"])
def test_collector_in_callbacks(tmp_path: Path, unit: str) -> None:
    collector = LandscapeCollector(tmp_path, unit=unit, intervals=[[2, 3, 4]])
    states = States()
    make_model().train(4, batches(32), callbacks=[collector, states])
    whole, steps = kept(tmp_path), {"step": 1, "epoch": 2}[unit]
    assert list(whole) == [2, 3, 4]
    for number, weights in whole.items():
        assert_equal(weights, states.after[number * steps])
    assert not mindscope.open_runs(tmp_path)  # it is no run: nothing was recorded


def train_own(network: nn.Module, steps: int) -> Iterator[float]:
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
    data = [*batches(32)]
    for step in range(steps):
        images, labels = data[step % 2]
        loss = nn.functional.cross_entropy(network(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield loss.item()


@pytest.mark.parametrize("unit", ["step", "epoch"])
def test_loop_of_ones_own(tmp_path: Path, unit: str) -> None:
    landscape = {"unit": unit, "intervals": [[1, 2, 3]]}
    torch.manual_seed(0)
    network = SmallNet()
    with (
        LandscapeCollector(tmp_path / "alone", **landscape) as alone,  # type: ignore[arg-type]
        SummaryCollector(tmp_path / "all", collect_specified_data={"collect_landscape": landscape}) as every,
    ):
        for step, loss in enumerate(train_own(network, 6), 1):
            alone.step(network)
            every.step(loss, network=network, epoch=(step + 1) // 2)
            if step % 2 == 0:
                alone.end_epoch()
                every.end_epoch()
    ours, theirs = kept(tmp_path / "alone"), kept(tmp_path / "all")
    assert list(ours) == list(theirs) == [1, 2, 3]
    for number in ours:
        assert_equal(ours[number], theirs[number])
    if unit == "epoch":
        assert_equal(ours[3], dict(network.state_dict()))


def test_misuse_is_said(tmp_path: Path) -> None:
    collector = LandscapeCollector(tmp_path)
    with pytest.raises(RecorderClosedError, match="not entered"):
        collector.step(SmallNet())
    with collector, pytest.raises(ValueError, match="network is not known"):
        collector.step()
    with SummaryCollector(tmp_path / "b") as other, pytest.raises(ValueError, match="number of the epoch"):
        other.end_epoch()
    with pytest.raises(ValueError, match=r"^landscape_size is 2, want a whole number from 3 to 256"):
        LandscapeCollector(tmp_path, landscape_size=2)
    with pytest.raises(TypeError, match=r"^keep is str '1 GB', want a whole number from 1 of bytes, or None"):
        LandscapeCollector(tmp_path, keep="1 GB")  # type: ignore[arg-type]
    both = [collector, SummaryCollector(tmp_path, collect_specified_data={"collect_landscape": THREE})]
    with pytest.raises(ValueError, match="a SummaryCollector beside this LandscapeCollector keeps weights in"):
        make_model().train(1, batches(16), callbacks=both)


def test_losses_are_the_same_with_and_without(tmp_path: Path) -> None:
    losses: list[list[float]] = []
    for is_kept in (True, False):
        torch.manual_seed(0)
        network = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.Dropout(), nn.Flatten(), nn.Linear(72, 10))
        collector = LandscapeCollector(tmp_path, intervals=[list(range(1, 9))])
        with collector:
            found: list[float] = []
            for loss in train_own(network, 8):
                found.append(loss)
                if is_kept:
                    collector.step(network)
            losses.append(found)
    assert losses[0] == losses[1]
    assert list(kept(tmp_path)) == list(range(1, 9))


class Odd(nn.Module):
    """Tied weights, a frozen one, normalization layers, other buffers, types and strides."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(5, 4)
        self.head = nn.Linear(4, 5, bias=False)
        self.head.weight = self.embedding.weight
        self.bf16 = nn.Parameter(torch.randn(3, dtype=torch.bfloat16))
        self.fp64 = nn.Parameter(torch.randn((), dtype=torch.float64))
        self.c64 = nn.Parameter(torch.randn(2, dtype=torch.complex64))
        self.turned = nn.Parameter(torch.randn(4, 3).T)
        self.empty = nn.Parameter(torch.empty(0, 3))
        self.frozen = nn.Parameter(torch.randn(2), requires_grad=False)
        self.norms = nn.ModuleList(
            [nn.BatchNorm1d(2), nn.InstanceNorm1d(2, affine=True, track_running_stats=True), nn.LayerNorm(2)]
        )
        self.spectral = nn.utils.parametrizations.spectral_norm(nn.Linear(2, 2))
        self.register_buffer("positions", torch.arange(7))
        both = torch.randn(4)
        self.first, self.second = nn.Parameter(both[:2]), nn.Parameter(both[2:])  # of one memory


def test_what_is_kept_of_an_odd_network(tmp_path: Path) -> None:
    network = Odd()
    with LandscapeCollector(tmp_path, **THREE) as collector:  # type: ignore[arg-type]
        for _ in range(3):
            collector.step(network)
    got = kept(tmp_path)[2]
    state = network.state_dict()
    left_out = {"head.weight", "frozen", "positions"}
    assert set(got) == set(state) - left_out
    assert_equal(got, {name: state[name] for name in got})
    assert {"norms.0.running_var", "norms.1.num_batches_tracked", "spectral.parametrizations.weight.0._u"} <= set(got)
    again = Odd()
    again.load_state_dict(got, strict=False)
    assert torch.equal(again.head.weight, network.head.weight)


def test_names_are_those_of_the_plain_network() -> None:
    class Parallel(nn.Module):
        def __init__(self, module: nn.Module) -> None:
            super().__init__()
            self.module = module

    Parallel.__name__ = "DistributedDataParallel"
    inner = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
    network = nn.ModuleDict(
        {"a": torch.compile(inner, backend="eager"), "module": nn.Linear(1, 1), "b": Parallel(nn.Linear(2, 1))}
    )
    names = [*trained_weights(torch.compile(Parallel(network), backend="eager"))]  # type: ignore[arg-type]
    assert names == [
        "a.0.weight", "a.0.bias", "a.1.weight", "a.1.bias", "module.weight", "module.bias", "b.weight", "b.bias",
        "a.1.running_mean", "a.1.running_var", "a.1.num_batches_tracked",
    ]  # fmt: skip


def sharded() -> nn.Module:
    network = nn.Linear(2, 2)
    network.weight.ds_id = 1  # type: ignore[attr-defined]
    return network


def fully_sharded() -> nn.Module:
    return type("FullyShardedDataParallel", (nn.Module,), {})()


def quantized() -> nn.Module:
    network = nn.Linear(2, 2)
    network.running_mean = nn.Buffer(torch.quantize_per_tensor(torch.ones(2), 1.0, 0, torch.qint8))
    return network


@pytest.mark.filterwarnings("ignore")  # torch's own about quantized tensors
@pytest.mark.parametrize(
    ("make", "message"),
    [
        (sharded, "sharded over processes .DeepSpeed ZeRO-3."),
        (fully_sharded, "sharded over processes .FSDP."),
        (quantized, "running_mean can't be kept: it is torch.qint8"),
        (lambda: nn.Linear(2, 2, device="meta"), "weight can't be kept: it is on the device meta"),
        (lambda: nn.Linear(2, 2, dtype=torch.complex128), "weight can't be kept: it is torch.complex128"),
    ],
)
def test_what_can_not_be_kept_is_said_and_never_ends_a_training(
    make: Any, message: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    network = make()
    with pytest.raises(FrameworkError, match=message):
        copy_weights(network)
    with LandscapeCollector(tmp_path, **THREE) as collector:  # type: ignore[arg-type]
        for _ in range(3):
            collector.step(network)
    said = [each.message for each in caplog.records if "kept for landscapes" in each.message]
    assert len(said) == 1
    assert "weights of step 1 were not kept for landscapes: FrameworkError" in said[0]
    assert not (tmp_path / "ckpt_dir").exists()


def test_memory_of_a_copy_is_used_again() -> None:
    network = SmallNet()
    first = copy_weights(network)
    places = {name: each.data_ptr() for name, each in first.tensors.items()}
    with torch.no_grad():
        network.fc1.weight += 1
    second = copy_weights(network, first)
    assert {name: each.data_ptr() for name, each in second.tensors.items()} == places
    assert torch.equal(second.tensors["fc1.weight"], network.fc1.weight)
    other = copy_weights(nn.Linear(3, 3), second)
    assert [*other.tensors] == ["weight", "bias"]


def test_keep_bounds_the_disk_and_thins_evenly(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    network = SmallNet()
    size = sum(each.nbytes for each in network.state_dict().values())
    with LandscapeCollector(tmp_path, intervals=[list(range(1, 10)), [10, 20, 30]], keep=size * 7) as collector:
        for step in range(1, 31):
            with torch.no_grad():
                network.fc1.bias.fill_(step)
            collector.step(network)
            if step == 8:
                mindscope.flush_all()
                assert len([*(tmp_path / "ckpt_dir").glob("*.safetensors")]) == 7
    file = read_landscape_file(tmp_path)
    assert list(file.checkpoints) == [1, 4, 6, 9, 10, 20, 30]
    assert file.settings.intervals == ((1, 4, 6, 9), (10, 20, 30))
    assert file.missing == []
    assert [float(each["fc1.bias"][0]) for each in kept(tmp_path).values()] == [1, 4, 6, 9, 10, 20, 30]
    assert len([*(tmp_path / "ckpt_dir").glob("*.safetensors")]) == 7
    assert sum("some between are removed" in each.message for each in caplog.records) == 1


def test_training_that_goes_on_or_begins_again_in_its_directory(tmp_path: Path) -> None:
    def train(steps: range) -> None:
        network = SmallNet()
        with LandscapeCollector(tmp_path, intervals=[[1, 2, 3, 4, 5, 6]]) as collector:
            for step in steps:
                with torch.no_grad():
                    network.fc1.bias.fill_(step + 0.25 * len(steps))
                collector.step(network, step=step)

    train(range(1, 5))
    (tmp_path / "ckpt_dir" / ".part-SmallNet_9_step.safetensors").touch()
    train(range(4, 7))
    assert [float(each["fc1.bias"][0]) for each in kept(tmp_path).values()] == [2, 3, 4, 4.75, 5.75, 6.75]
    assert not [*(tmp_path / "ckpt_dir").glob(".*")]
    train(range(1, 3))  # as a restart, whose later steps would be those of another training
    assert list(kept(tmp_path)) == [1, 2]
    assert len([*(tmp_path / "ckpt_dir").glob("*.safetensors")]) == 2


@contextmanager
def limited_files(size: int) -> Iterator[None]:
    """No file may be larger, which fails as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


def test_full_disk_is_said_once_and_the_training_goes_on(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    network = SmallNet()
    with LandscapeCollector(tmp_path, intervals=[list(range(1, 9))]) as collector:
        for step, _ in enumerate(train_own(network, 8), 1):
            with limited_files(1000 if step in (3, 4, 5) else resource.RLIM_INFINITY):
                collector.step(network)
                assert mindscope.flush_all()
    assert list(kept(tmp_path)) == [1, 2, 6, 7, 8]
    said = [each.message for each in caplog.records if each.levelname == "WARNING"]
    assert len(said) == 1
    assert "weights of step 3 were not written for landscapes: OSError" in said[0]
    assert "File too large" in said[0]
    assert not [*(tmp_path / "ckpt_dir").glob(".*")]


def test_pickled_collector_is_a_new_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    collector = LandscapeCollector(tmp_path, intervals=[[1, 2, 3]], keep=None)
    other: LandscapeCollector = pickle.loads(pickle.dumps(collector))
    with other:
        for _ in range(3):
            other.step(SmallNet())
    assert list(kept(tmp_path)) == [1, 2, 3]
    monkeypatch.setenv("RANK", "1")
    with LandscapeCollector(tmp_path / "second", intervals=[[1, 2, 3]]) as second:
        second.step(SmallNet())
    assert not (tmp_path / "second" / "ckpt_dir").exists()  # the first process keeps them


def test_damaged_checkpoint_is_said(tmp_path: Path) -> None:
    file = tmp_path / "a.safetensors"
    file.write_bytes(b"\x10\0\0\0\0\0\0\0{}")
    with pytest.raises(FormatError, match=r"a\.safetensors: .*; want a file of the format safetensors"):
        read_weights(file)
    with pytest.raises(FileNotFoundError):
        read_weights(tmp_path / "b.safetensors")


@pytest.mark.gpu
def test_copies_from_a_device_are_those_of_their_step(tmp_path: Path) -> None:
    network = nn.Linear(2000, 2000, device="cuda")
    with LandscapeCollector(tmp_path, intervals=[list(range(1, 9))]) as collector, torch.no_grad():
        for step in range(1, 9):  # each step changes the weights while the copy of the last one may be on its way
            network.weight.fill_(step)
            network.bias.fill_(-step)
            collector.step(network)
    for step, weights in kept(tmp_path).items():
        assert weights["weight"].unique().tolist() == [step]
        assert weights["bias"].unique().tolist() == [-step]
