# SPDX-License-Identifier: Apache-2.0
"""Builds the logs that the benchmarks read: fixed seeds, the bytes that torch and MindSpore would write."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mindscope.formats import mindspore, mindspore_schemas, tensorboard, tensorboard_schemas, wire
from mindscope.formats.frames import frame

FIRST_WALL_TIME = 1_700_000_000.0
TORCH_NAME = "events.out.tfevents.1700000000.bench"
MINDSPORE_NAME = "events.out.events.summary.1700000000.0.bench_MS"
LONG_TAG = "train/loss"

Bytes2D = NDArray[np.uint8]


def write_torch_log(base: Path, runs: int = 100, tags: int = 20, steps: int = 5000) -> Path:
    """One scalar an event, as torch's SummaryWriter writes them; 10 M points in 511 MB by default."""
    directory = base / f"torch_{runs}x{tags}x{steps}"
    for run in range(runs):
        write_once(directory / f"run_{run:03d}" / TORCH_NAME, lambda run=run: _torch_records(run, tags, steps))
    return directory


def write_long_log(base: Path, steps: int) -> Path:
    """One curve of so many points in one event file of torch's kind; 2.3 GB at 50 M points."""
    directory = base / f"long_{steps}"
    write_once(directory / TORCH_NAME, lambda: _long_records(steps))
    return directory


def write_mindspore_log(base: Path, records: int = 140_000, tags: int = 5) -> Path:
    """So many records of so many scalars each in MindSpore's format, in one file."""
    directory = base / f"mindspore_{records}x{tags}"
    write_once(directory / MINDSPORE_NAME, lambda: _mindspore_records(records, tags))
    return directory


def write_once(path: Path, content: Callable[[], Iterable[bytes]]) -> None:
    """Write a file unless it is there; a half-written one never has its name."""
    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    with partial.open("wb") as file:
        file.writelines(content())
    partial.rename(path)


def torch_tag(tag: int) -> str:
    return f"group_{tag % 4}/metric_{tag:02d}"


def _torch_records(run: int, tags: int, steps: int) -> Iterator[bytes]:
    rng = np.random.default_rng(run)
    curves = np.exp(-np.arange(steps) / steps * rng.uniform(1, 4, (tags, 1))) + rng.normal(0, 0.05, (tags, steps))
    step = np.repeat(np.arange(steps), tags)
    wall_time = FIRST_WALL_TIME + step * 0.05 + np.tile(np.arange(tags) * 1e-4, steps)
    yield frame(tensorboard.version_event(FIRST_WALL_TIME))
    yield from scalar_records([torch_tag(tag) for tag in range(tags)], step, wall_time, curves.T.reshape(-1))


def _long_records(steps: int, stretch: int = 1 << 20) -> Iterator[bytes]:
    """A falling curve with noise and a single high spike, at 0.7 of its length."""
    yield frame(tensorboard.version_event(FIRST_WALL_TIME))
    for start in range(0, steps, stretch):
        step = np.arange(start, min(start + stretch, steps))
        noise = np.random.default_rng(start).normal(0, 0.05, step.size)
        values = np.exp(-3 * step / steps) + noise + 10 * (step == steps * 7 // 10)
        yield from scalar_records([LONG_TAG], step, FIRST_WALL_TIME + step * 0.001, values)


def scalar_records(
    tags: list[str], step: NDArray[np.int64], wall_time: NDArray[np.float64], value: NDArray[np.float64]
) -> Iterator[bytes]:
    """Records of one scalar each, the tags in turn. Arrays of shape (n,), steps ascending; tags equally long."""
    seven_bits = np.concatenate([[0], 1 << np.arange(7, 63, 7)])
    edges = [*np.searchsorted(step, seven_bits), step.size]
    for start, stop in itertools.pairwise(edges):  # numbers of one stretch take equally many bytes
        rows = slice(start, stop)
        if stop > start:
            turn = np.arange(start, stop) % len(tags)
            yield b"".join(map(frame, _payloads(tags, turn, step[rows], wall_time[rows], value[rows])))


def _payloads(
    tags: list[str], turn: NDArray[np.int64], step: NDArray[np.int64], wall_time: NDArray[np.float64],
    value: NDArray[np.float64],
) -> list[bytes]:  # fmt: skip
    """Events made from one that the encoder wrote, with other numbers in their places."""
    event = {"wall_time": 1.0, "step": int(step[0]), "summary": {"value": [{"tag": tags[0], "simple_value": 1.0}]}}
    template = wire.encode(tensorboard_schemas.EVENT, event)
    rows: Bytes2D = np.tile(np.frombuffer(template, np.uint8), (step.size, 1))
    names = np.array([list(tag.encode()) for tag in tags], np.uint8)
    digits = _varints(step)
    rows[:, 1:9] = _bytes_of(wall_time, "<f8")
    rows[:, 10 : 10 + digits.shape[1]] = digits
    rows[:, -5 - names.shape[1] : -5] = names[turn]
    rows[:, -4:] = _bytes_of(value, "<f4")
    return rows.view(f"V{rows.shape[1]}").reshape(-1).tolist()


def _bytes_of(numbers: NDArray[np.float64], dtype: str) -> Bytes2D:
    packed = np.ascontiguousarray(numbers.astype(dtype))
    return packed.view(np.uint8).reshape(numbers.size, -1)


def _varints(numbers: NDArray[np.int64]) -> Bytes2D:
    """Numbers that take equally many groups of seven bits."""
    groups = max(1, -(-int(numbers[0]).bit_length() // 7))
    digits = (numbers[:, None] >> (7 * np.arange(groups))) & 0x7F
    digits[:, :-1] |= 0x80
    return digits.astype(np.uint8)


def _mindspore_records(records: int, tags: int) -> Iterator[bytes]:
    rng = np.random.default_rng(5)
    yield frame(mindspore.version_event(FIRST_WALL_TIME))
    for step in range(1, records + 1):
        values = [{"tag": f"train/metric_{tag}", "scalar_value": rng.random()} for tag in range(tags)]
        event = {"wall_time": FIRST_WALL_TIME + step * 0.001, "step": step, "summary": {"value": values}}
        yield frame(wire.encode(mindspore_schemas.EVENT, event))
