# SPDX-License-Identifier: Apache-2.0
"""Networks whose ``forward`` changes something beside its output, and most of which no tracer follows."""

from __future__ import annotations

import collections
import functools
import itertools
import logging
import os
import queue
import random
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from mindscope.torch import Print, ScalarSummary

CALLS: list[str] = []
"""One entry for each call of a ``forward`` in this process."""
GLOBALS: dict[str, Any] = {}
"""What networks keep in their module."""


class Stateful(nn.Module):
    """Two layers, between which ``change`` does what the network is here for."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.last = nn.Linear(4, 3), nn.Linear(3, 2)
        self.tau, self.count, self.seen = 1.0, 0, []  # type: float, int, list[Any]
        self.set_up()

    def set_up(self) -> None:
        """Make the state."""

    def forward(self, x: Tensor) -> Tensor:
        CALLS.append(type(self).__name__)
        return self.last(self.change(self.first(x)))

    def change(self, y: Tensor) -> Tensor:
        """Change the state; returns what the last layer gets."""
        return y


class Untraceable(Stateful):
    """Also has a branch on a value, which ``torch.export`` and ``torch.fx`` refuse."""

    def forward(self, x: Tensor) -> Tensor:
        y = super().forward(x)
        return y * 2 if float(y.detach().mean()) > 1e6 else y


class LastOutput(Untraceable):
    def set_up(self) -> None:
        self.h = torch.zeros(3)

    def change(self, y: Tensor) -> Tensor:
        y = y + self.h
        self.h = y.detach().mean(0)
        return y


class LastOutputWithHistory(Untraceable):
    def change(self, y: Tensor) -> Tensor:
        self.h = y.tanh()
        return self.h


class Temperature(Untraceable):
    def change(self, y: Tensor) -> Tensor:
        self.tau *= 0.5
        return y / (1 + self.tau)


class Counter(Stateful):
    def change(self, y: Tensor) -> Tensor:
        self.count += 1
        return y * self.count


class CounterOfClass(Stateful):
    total = 0

    def change(self, y: Tensor) -> Tensor:
        type(self).total += 1
        return y + type(self).total


class GrowingList(Stateful):
    def change(self, y: Tensor) -> Tensor:
        self.seen.append(y.detach().mean())
        return y


class ListOfValues(Untraceable):
    def change(self, y: Tensor) -> Tensor:
        self.seen.append(y.sum().item())
        return y


class Dictionary(Untraceable):
    def set_up(self) -> None:
        self.state: dict[str, Tensor] = {}

    def change(self, y: Tensor) -> Tensor:
        y = y + self.state.get("h", torch.zeros(3))
        self.state["h"] = y.detach().mean(0)
        return y


class Deque(Stateful):
    def set_up(self) -> None:
        self.window: collections.deque[Any] = collections.deque(maxlen=2)

    def change(self, y: Tensor) -> Tensor:
        self.window.append(y.detach())
        return y + sum(self.window)


class DefaultDictionary(Stateful):
    def set_up(self) -> None:
        self.shapes: dict[Any, list[int]] = collections.defaultdict(list)

    def change(self, y: Tensor) -> Tensor:
        self.shapes[tuple(y.shape)].append(len(self.shapes))
        return y


class GlobalList(Stateful):
    def change(self, y: Tensor) -> Tensor:
        GLOBALS.setdefault("outputs", []).append(y.detach())
        return y


class GlobalCounter(Untraceable):
    def change(self, y: Tensor) -> Tensor:
        GLOBALS["steps"] = GLOBALS.get("steps", 0) + 1
        return y * GLOBALS["steps"]


class Closure(Stateful):
    def set_up(self) -> None:
        count = 0

        def scale(y: Tensor) -> Tensor:
            nonlocal count
            count += 1
            return y * count

        self.scale: Callable[[Tensor], Tensor] = scale

    def change(self, y: Tensor) -> Tensor:
        return self.scale(y)


class Numpy(Stateful):
    def change(self, y: Tensor) -> Tensor:
        self.seen.append(y.detach().numpy().mean())
        return y


class Assertion(Stateful):
    def change(self, y: Tensor) -> Tensor:
        self.h = y.detach()
        assert y.detach().mean() < 1e6
        return y


class Printing(Stateful):
    def change(self, y: Tensor) -> Tensor:
        print("mean", type(y).__name__, tuple(y.shape))
        return y


class PrintingValues(Untraceable):
    def set_up(self) -> None:
        self.print = Print()

    def change(self, y: Tensor) -> Tensor:
        self.print("mean", y.mean())
        print(y.sum().item())
        return y


class Logging(Stateful):
    def change(self, y: Tensor) -> Tensor:
        logging.getLogger("network").warning("called with %s", tuple(y.shape))
        return y


class Summaries(Untraceable):
    def set_up(self) -> None:
        self.scalar = ScalarSummary()

    def change(self, y: Tensor) -> Tensor:
        self.scalar("mean", y.mean())
        self.scalar("count", self.count)
        return y


class Buffer(Stateful):
    def set_up(self) -> None:
        self.register_buffer("mean", torch.zeros(3))

    def change(self, y: Tensor) -> Tensor:
        self.mean.lerp_(y.detach().mean(0), 0.1)
        return y - self.mean


class BufferByData(Untraceable):
    def set_up(self) -> None:
        self.register_buffer("mean", torch.zeros(3))

    def change(self, y: Tensor) -> Tensor:
        self.mean.data.add_(y.detach().mean(0))
        return y - self.mean


class NewBuffer(Stateful):
    def set_up(self) -> None:
        self.register_buffer("mean", torch.zeros(3))

    def change(self, y: Tensor) -> Tensor:
        self.mean = self.mean * 0.9 + y.detach().mean(0)
        return y - self.mean


class ClippedWeights(Untraceable):
    def change(self, y: Tensor) -> Tensor:
        with torch.no_grad():
            self.last.weight.clamp_(-0.1, 0.1)
        return y


class Normalized(Stateful):
    def set_up(self) -> None:
        self.norm, self.dropout = nn.BatchNorm1d(3), nn.Dropout(0.5)

    def change(self, y: Tensor) -> Tensor:
        return self.dropout(self.norm(y))


class SpectralNorm(Untraceable):
    def set_up(self) -> None:
        self.last = nn.utils.parametrizations.spectral_norm(self.last)


class RandomTensor(Untraceable):
    def change(self, y: Tensor) -> Tensor:
        return y + torch.randn_like(y)


class RandomModule(Stateful):
    def change(self, y: Tensor) -> Tensor:
        return y * random.random() * float(np.random.rand())


class Generators(Stateful):
    def set_up(self) -> None:
        self.generator = torch.Generator().manual_seed(3)
        self.python, self.numpy = random.Random(3), np.random.default_rng(3)

    def change(self, y: Tensor) -> Tensor:
        return y + torch.rand(3, generator=self.generator) + self.python.random() + self.numpy.random()


class Hooks(Stateful):
    def set_up(self) -> None:
        self.first.register_forward_hook(lambda module, args, output: self.seen.append(type(output).__name__))
        self.last.register_forward_pre_hook(self.see)

    def see(self, module: nn.Module, args: Any) -> None:
        self.count += 1


class Lock(Untraceable):
    def set_up(self) -> None:
        self.lock, self.queue = threading.Lock(), queue.Queue[Any]()

    def change(self, y: Tensor) -> Tensor:
        with self.lock:
            self.queue.put(y.detach())
        return y + self.queue.qsize()


class Iterators(Stateful):
    def set_up(self) -> None:
        self.numbers = itertools.count()
        self.schedule: Iterator[float] = (0.5**number for number in range(100))

    def change(self, y: Tensor) -> Tensor:
        return y * next(self.schedule) + next(self.numbers)


class CachedMethod(Stateful):
    @functools.lru_cache(maxsize=8)  # noqa: B019 - as people write it
    def scale(self, size: int) -> int:
        self.count += 1
        return size

    def change(self, y: Tensor) -> Tensor:
        return y * self.scale(y.shape[1])


class Environment(Stateful):
    def change(self, y: Tensor) -> Tensor:
        os.environ["NETWORK_CALLS"] = str(int(os.environ.get("NETWORK_CALLS", "0")) + 1)
        return y * int(os.environ["NETWORK_CALLS"])


class File(Stateful):
    path = Path("calls.txt")

    def change(self, y: Tensor) -> Tensor:
        with self.path.open("a") as file:
            file.write("called\n")
        return y


class OpenFile(Stateful):
    path = Path("open.txt")

    def set_up(self) -> None:
        self.file = self.path.open("w", buffering=1)

    def change(self, y: Tensor) -> Tensor:
        self.file.write("called\n")
        return y


class SavedTensor(Stateful):
    def change(self, y: Tensor) -> Tensor:
        self.count += 1
        torch.save(torch.full((2,), self.count), "saved.pt")
        return y


class NewModule(Untraceable):
    def change(self, y: Tensor) -> Tensor:
        self.count += 1
        if self.count == 1:
            self.act = nn.Tanh()
        return self.act(y)


class Lazy(Stateful):
    def set_up(self) -> None:
        self.lazy = nn.LazyBatchNorm1d()

    def change(self, y: Tensor) -> Tensor:
        return self.lazy(y)


class OtherObject(Untraceable):
    class Meter:
        def __init__(self) -> None:
            self.sum, self.values = 0.0, []  # type: float, list[Any]

    def set_up(self) -> None:
        self.meter = self.Meter()

    def change(self, y: Tensor) -> Tensor:
        self.meter.sum += y.shape[0]
        self.meter.values.append(y.detach())
        return y + self.meter.sum


class Modes(Stateful):
    def change(self, y: Tensor) -> Tensor:
        self.count += 1
        self.first.weight.requires_grad_(self.count % 2 == 0)
        torch.manual_seed(self.count)
        return y


class Everything(Untraceable):
    """Has the state of all others."""

    def set_up(self) -> None:
        self.parts = nn.ModuleList(kind() for kind in networks() if kind is not Everything)

    def change(self, y: Tensor) -> Tensor:
        for part in self.parts:
            y = part.change(y).clamp(-1, 1)
        return y


def networks(base: type[Stateful] = Stateful) -> list[type[Stateful]]:
    """All of them."""
    return [each for kind in base.__subclasses__() for each in (kind, *networks(kind)) if each is not Untraceable]


def state_of(value: Any, known: frozenset[int] = frozenset()) -> Any:
    """All that an object refers to, as values that can be compared: tensors and arrays bit by bit."""
    if id(value) in known:
        return "again"
    inner = known | {id(value)}
    if isinstance(value, Tensor):
        gradient = None if not value.is_leaf or value.grad is None else state_of(value.grad, inner)
        bits = value.detach().contiguous().numpy().tobytes()
        return type(value).__name__, str(value.dtype), tuple(value.shape), bits, value.requires_grad, gradient
    if isinstance(value, np.ndarray):
        return str(value.dtype), value.shape, value.tobytes()
    if isinstance(value, dict):
        hooks = [name for name in value if "hooks" in str(name)]  # whose keys count up in a process
        held = {str(key): list(part.values()) if key in hooks else part for key, part in value.items()}
        return [(key, state_of(part, inner)) for key, part in held.items()]
    if isinstance(value, (list, tuple, collections.deque, set)):
        return [state_of(held, inner) for held in value]
    if isinstance(value, torch.Generator):
        return value.get_state().tolist()
    if isinstance(value, random.Random):
        return value.getstate()
    if isinstance(value, np.random.Generator):
        return str(value.bit_generator.state)
    if isinstance(value, queue.Queue):
        return state_of(list(value.queue), inner)
    if isinstance(value, itertools.count):
        return repr(value)
    if callable(value) and getattr(value, "__closure__", None):
        return [state_of(cell.cell_contents, inner) for cell in value.__closure__]
    if hasattr(value, "__dict__"):
        return type(value).__name__, state_of(vars(value), inner)
    return value if isinstance(value, (int, float, str, bytes, type(None))) else type(value).__name__
