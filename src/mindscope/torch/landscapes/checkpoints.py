# SPDX-License-Identifier: Apache-2.0
"""Checkpoints of a network as vectors of its trainable parameters."""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, cast

from torch import Tensor, nn

from mindscope.collector.landscape_file import LandscapeFile, read_landscape_file
from mindscope.errors import FormatError
from mindscope.landscape.blocks import Vector
from mindscope.landscape.stored_states import stored_states
from mindscope.torch.core.naming import plain_network
from mindscope.torch.core.serialization import load_checkpoint
from mindscope.torch.core.trained_weights import trained_weights
from mindscope.torch.landscapes.network_loss import NetworkLoss, Tensors
from mindscope.torch.landscapes.plane_weights import flat_vector
from mindscope.torch.landscapes.statistics import statistics_names

Given = str | PathLike[str] | Mapping[str, Tensor]
_NUMBER = re.compile(r"_(\d+)_(step|epoch)$")


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The source of a state of the weights."""

    number: int
    """The step or epoch after which it was kept; its position from 1 if nothing says it."""
    source: Given

    @property
    def name(self) -> str:
        """Name in messages: the path, or ``checkpoint`` for weights in memory."""
        return "checkpoint" if isinstance(self.source, Mapping) else str(self.source)

    def read(self) -> Mapping[str, Any]:
        """Return the tensors by name. Raises OSError and FormatError."""
        if isinstance(self.source, Mapping):
            return self.source
        file = Path(self.source)
        if file.suffix == ".safetensors":
            from mindscope.torch.core.weight_files import read_weights

            return read_weights(file)
        return _load(file)


@dataclass(frozen=True, slots=True)
class Checkpoints:
    """Checkpoints in their order, and what is known of their run."""

    checkpoints: tuple[Checkpoint, ...]
    unit: str = "step"
    step_per_epoch: int = 0
    run: Path | None = None
    num_samples: int | None = None

    @property
    def numbers(self) -> tuple[int, ...]:
        """Steps or epochs of the checkpoints."""
        return tuple(checkpoint.number for checkpoint in self.checkpoints)

    def step(self, index: int = -1) -> int:
        """Return the step of one of them."""
        number = self.checkpoints[index].number
        return number * (self.step_per_epoch or 1) if self.unit == "epoch" else number


def find_checkpoints(given: Any, network: nn.Module, interval: int | None = None) -> Checkpoints:
    """Return the checkpoints of a run directory, of files or state dicts; None for the network's weights as they are.

    ``interval`` is the number of an interval of the run directory, from 1; None for all checkpoints.

    Raises:
        FileNotFoundError: there are none.
        TypeError: another kind of value.
        ValueError: the run directory has no such interval, or ``given`` is none.
    """
    if given is None and interval is None:
        return Checkpoints((Checkpoint(1, dict(trained_weights(network))),))
    if isinstance(given, (str, PathLike)) and Path(cast(str, given)).is_dir():
        return of_run(file := read_landscape_file(Path(cast(str, given))), choose_interval(file, interval))
    if interval is not None:
        raise ValueError(f"interval is {interval}, want None where checkpoints is no run directory")
    listed: list[Any] = [given] if isinstance(given, (str, PathLike, Mapping)) else [*cast("Sequence[Any]", given)]
    for each in listed:
        if not isinstance(each, (str, PathLike, Mapping)):
            raise TypeError(f"a checkpoint is {type(each).__name__}, want a file or a state dict")
    if not listed:
        raise ValueError("checkpoints is empty, want files or state dicts")
    found = [_NUMBER.search(Path(cast(str, each)).stem) if not isinstance(each, Mapping) else None for each in listed]
    numbers = [int(each[1]) if each else 0 for each in found]
    are_known = all(found) and numbers == sorted(set(numbers))
    return Checkpoints(
        tuple(
            Checkpoint(numbers[index] if are_known else index + 1, each) for index, each in enumerate(listed)
        ),
        cast(Any, found[0])[2] if are_known else "step",
    )  # fmt: skip


def choose_interval(file: LandscapeFile, number: int | None) -> tuple[int, ...] | None:
    """Return the steps or epochs of the interval of this number, from 1; None for all. Raises ValueError."""
    if number is None:
        return None
    intervals = file.kept_intervals()
    if type(number) is not int or not 1 <= number <= len(intervals):
        names = ", ".join(f"{position}: {steps[0]} to {steps[-1]}" for position, steps in enumerate(intervals, 1))
        wanted = f"want one of {len(intervals)} ({names or 'none was kept'})"
        raise ValueError(f"{file.run}: interval is {number!r}, {wanted}")
    return intervals[number - 1]


def of_run(file: LandscapeFile, interval: Sequence[int] | None = None) -> Checkpoints:
    """Return the checkpoints that a collector kept: of an interval, or all."""
    numbers = sorted(file.checkpoints) if interval is None else interval
    return Checkpoints(
        tuple(Checkpoint(number, file.checkpoint(number)) for number in numbers),
        file.settings.unit, file.step_per_epoch, file.run, file.settings.num_samples,
    )  # fmt: skip


def _load(file: Path) -> Mapping[str, Any]:
    """Return a file of ``torch.save``. Raises OSError and FormatError."""
    try:
        checkpoint: Any = load_checkpoint(file)
    except OSError:
        raise
    except Exception as error:  # of pickle, of zip files, of PyTorch
        remedy = "; SummaryLandscape of mindscope.mindspore reads those of MindSpore" if file.suffix == ".ckpt" else ""
        wanted = f"want a state dict of torch.save, or safetensors{remedy}"
        raise FormatError(f"{file}: {type(error).__name__}; {wanted}") from error
    if not isinstance(checkpoint, Mapping):
        raise FormatError(f"{file}: {type(checkpoint).__name__}; want a state dict of torch.save, or safetensors")
    return cast("Mapping[str, Any]", checkpoint)


class StateReader:
    """Reads checkpoints of one network."""

    def __init__(self, loss: NetworkLoss) -> None:
        self._loss = loss
        network: Any = plain_network(loss.network)
        kept = trained_weights(network)
        names = {id(each): name for name, each in [*network.named_parameters(), *network.named_buffers()]}
        self._kept_names = {names[id(value)]: name for name, value in kept.items()}
        """Name in the network -> name in checkpoints of collectors."""

    @contextmanager
    def vectors(self, checkpoints: Sequence[Checkpoint]) -> Generator[list[Vector]]:
        """Yield the trainable parameters of each, in the order of the network.

        Raises ValueError for another network.
        """
        with stored_states(flat_vector(self._trainable(checkpoint)) for checkpoint in checkpoints) as states:
            yield states

    def statistics(self, checkpoint: Checkpoint) -> Tensors:
        """Return the running statistics of normalization layers; those that it doesn't have are the network's."""
        kept, found = checkpoint.read(), dict[str, Tensor]()
        for name in statistics_names(self._loss.network):
            own = self._loss.constants[name]
            tensor: Any = kept.get(self._kept_names.get(name, name), kept.get(name, own))
            if tuple(tensor.shape) != tuple(own.shape):
                raise ValueError(
                    f"{checkpoint.name}: {name} is {list(tensor.shape)}, but {list(own.shape)} in the network"
                )
            found[name] = tensor.to(own.device, own.dtype)
        return found

    def _trainable(self, checkpoint: Checkpoint) -> Tensors:
        kept = checkpoint.read()
        found: dict[str, Any] = {
            name: kept.get(self._kept_names.get(name, name), kept.get(name)) for name in self._loss.trainable
        }
        missing = [name for name, value in found.items() if value is None]
        if missing:
            extra = [name for name in kept if name not in self._loss.trainable and name not in self._loss.constants]
            raise ValueError(
                f"{checkpoint.name}: it is of another network, and doesn't have {_some(missing)}; it has "
                f"{_some(extra) if extra else 'no other parameters'} instead"
            )
        others = [
            f"{name} {list(value.shape)} instead of {list(self._loss.trainable[name].shape)}"
            for name, value in found.items() if value.shape != self._loss.trainable[name].shape
        ]  # fmt: skip
        if others:
            raise ValueError(f"{checkpoint.name}: it is of another network, and has {_some(others)}")
        if any(each.is_complex() for each in found.values()):
            raise ValueError(f"{checkpoint.name}: it is of another network, and has complex parameters")
        return found


def _some(names: list[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
