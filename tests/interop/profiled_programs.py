# SPDX-License-Identifier: Apache-2.0
"""Real trainings under ``torch.profiler``, and what torch's own tables say about them."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch import profiler as torch_profiler
from torch.autograd import profiler_util as torch_profiler_util
from torch.profiler import ProfilerActivity, profile
from torch.utils import checkpoint as torch_checkpoint
from torch.utils.data import DataLoader, Dataset, TensorDataset

STEPS = 4
profiler: Any = torch_profiler  # parts of torch without types
profiler_util: Any = torch_profiler_util
checkpoint: Any = torch_checkpoint
_FRAME = re.compile(r"\(\d+\): |^<built-in |^nn\.Module: ")
Step = Callable[[], None]
Row = tuple[int, float, float, int, int]
"""Runs, microseconds in total and without callees, operations, bytes."""


@dataclass(frozen=True)
class Profiled:
    """A trace, and torch's table by name, by name and shapes, by name and stack."""

    path: Path
    by_name: dict[tuple[str, ...], Row]
    by_shapes: dict[tuple[str, ...], Row]
    by_stack: dict[tuple[str, ...], Row]
    annotations: dict[str, tuple[int, float, float]]
    """Runs, microseconds in total and without what is in them, by name."""
    device: dict[str, tuple[float, float]]
    """Microseconds on devices in total and without callees, by name."""


@contextmanager
def _one_thread() -> Generator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def profiled(path: Path, step: Step, *, with_stack: bool = False, cuda: bool = False) -> Profiled:
    """Profiles ``STEPS`` steps after one to warm up."""
    found: list[Profiled] = []

    def ready(running: Any) -> None:
        tables = [running.key_averages(**each) for each in (
            {}, {"group_by_input_shape": True}, {"group_by_stack_n": 4},
        )]  # fmt: skip
        running.export_chrome_trace(str(path))
        name, shapes, stack = (_rows(*each) for each in zip(tables, ((), ("shapes",), ("stack",)), strict=True))
        annotations = {
            each.key: (each.count, each.cpu_time_total, each.self_cpu_time_total)
            for each in tables[0]
            if each.is_user_annotation and not each.key.startswith("ProfilerStep")
        }
        device = {each.key: (each.device_time_total, each.self_device_time_total) for each in tables[0]}
        found.append(Profiled(path, name, shapes, stack, annotations, device))

    activities = [ProfilerActivity.CPU, *([ProfilerActivity.CUDA] if cuda else [])]
    with (
        _one_thread(),
        profile(
            activities=activities,
            record_shapes=True,
            profile_memory=True,
            with_stack=with_stack,
            with_modules=with_stack,
            with_flops=True,
            schedule=profiler.schedule(wait=0, warmup=1, active=STEPS, repeat=1),
            on_trace_ready=ready,
            experimental_config=profiler._ExperimentalConfig(verbose=True) if with_stack else None,
        ) as running,
    ):
        for _ in range(STEPS + 1):
            step()
            running.step()
    return found[0]


def _rows(table: Any, columns: tuple[str, ...]) -> dict[tuple[str, ...], Row]:
    """Of operators; the table also has annotations and frames of Python."""
    found: dict[tuple[str, ...], list[Any]] = {}
    for event in table:
        if event.is_user_annotation or _FRAME.search(event.key):
            continue
        texts = {"shapes": str(event.input_shapes or "").replace(" ", ""), "stack": plain(";".join(event.stack))}
        size = event.self_cpu_memory_usage + event.self_device_memory_usage
        numbers = event.count, event.cpu_time_total, event.self_cpu_time_total, event.flops, size
        row = found.setdefault((event.key, *(texts[each] for each in columns)), [0, 0.0, 0.0, 0, 0])
        row[:] = [one + other for one, other in zip(row, numbers, strict=True)]
    return {key: (row[0], row[1], row[2], row[3], row[4]) for key, row in found.items()}


def is_shown(frame: str) -> bool:
    """Whether torch's tables keep a frame in stacks."""
    return bool(profiler_util._filter_stack_entry(frame))


def plain(stack: str) -> str:
    """A stack without the addresses of objects."""
    return re.sub(r" at 0x[0-9a-f]+", "", stack)


class Convolutions(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.Conv2d(8, 8, 3, stride=2, padding=1))
        self.head = nn.Linear(8 * 13 * 13, 10)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        return self.head(self.features(images).flatten(1))


def convolutional() -> Step:
    """A step of a CNN over a DataLoader."""
    network, loss = Convolutions(), nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(network.parameters())
    count = 16 * (STEPS + 2)
    batches = iter(DataLoader(TensorDataset(torch.randn(count, 1, 28, 28), torch.arange(count) % 10), batch_size=16))

    def step() -> None:
        images, labels = next(batches)
        optimizer.zero_grad()
        loss(network(images), labels).backward()
        optimizer.step()

    return step


def transformer() -> Step:
    """A step of a transformer without a DataLoader."""
    network = nn.TransformerEncoder(nn.TransformerEncoderLayer(32, 4, 64, 0.0, batch_first=True), 2)
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
    tokens = torch.randn(4, 16, 32)

    def step() -> None:
        optimizer.zero_grad()
        network(tokens).square().mean().backward()
        optimizer.step()

    return step


class Nested(nn.Module):
    """Calls itself, and a layer twice, with complex numbers, sparse and empty tensors."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(16, 16)

    def forward(self, rows: torch.Tensor, depth: int = 3) -> torch.Tensor:
        if depth:
            with profiler.record_function("层 naïve"):
                return self(self.layer(self.layer(rows)), depth - 1)
        waves: torch.Tensor = torch.fft.fft(rows).abs()
        chosen = torch.sparse_coo_tensor(torch.tensor([[0, 1], [1, 0]]), torch.ones(2), (4, 4), check_invariants=True)
        return torch.cat([torch.sparse.mm(chosen, waves), rows[:0]])


def nested() -> Step:
    """A step that computes its forward pass twice, beside a thread and a failure."""
    network = Nested()

    def deep(depth: int) -> None:
        with profiler.record_function("deep"):
            if depth:
                deep(depth - 1)
            else:
                torch.mm(torch.ones(4, 4), torch.ones(4, 4))

    def step() -> None:
        rows = torch.randn(4, 16, requires_grad=True)
        checkpoint.checkpoint(network, rows, use_reentrant=True).sum().backward()
        other = threading.Thread(target=lambda: network(torch.randn(4, 16)).sum().backward())
        other.start()
        other.join()
        with suppress(ValueError), profiler.record_function("fails"):
            network(rows)
            raise ValueError("in a step")
        deep(200)

    return step


class Slow(Dataset[torch.Tensor]):
    def __len__(self) -> int:
        return 100

    def __getitem__(self, place: int) -> torch.Tensor:
        time.sleep(0.01)
        return torch.ones(8)


def data_bound() -> Step:
    """A step that mostly waits for data."""
    batches, network = iter(DataLoader(Slow(), batch_size=2)), nn.Linear(8, 1)

    def step() -> None:
        network(next(batches)).sum().backward()

    return step


def leaking() -> Step:
    """A step that keeps a mebibyte, as by appending a loss with its graph to a list."""
    kept: list[torch.Tensor] = []
    network = nn.Linear(512, 512)
    rows = torch.randn(512, 512)

    def step() -> None:
        kept.append(torch.relu(network(rows)))

    return step


def on_cuda() -> Step:
    """A step on a CUDA device."""
    network = nn.Sequential(nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 10)).cuda()
    rows = torch.randn(64, 256)

    def step() -> None:
        network(rows.cuda()).sum().backward()
        torch.cuda.synchronize()

    return step
