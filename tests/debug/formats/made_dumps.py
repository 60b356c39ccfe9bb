# SPDX-License-Identifier: Apache-2.0
"""Dumps as MindSpore's versions write them, from the documented names and tables."""

from __future__ import annotations

import json
import tarfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

REAL = Path(__file__).parents[2] / "data" / "mindspore" / "dump_e2e.tar.xz"
"""Written by MindSpore 2.10 on the CPU: a convolutional network, iterations 0 and 2."""
NET = "Default/network-WithLossCell/_backbone-Net"
CONV = f"{NET}/conv1-Conv2d/Conv2D-op1"
RELU = f"{NET}/relu-ReLU/ReLU-op2"
RELU_GRAD = f"Gradients/{NET}/relu-ReLU/Grad_ReLU/ReluGrad-op3"
MOMENTUM = "Default/optimizer-Momentum/ApplyMomentum-op4"
ORDER = (CONV, RELU, RELU_GRAD, MOMENTUM)
TIME = 1_600_000_000_000_000
FIXED = "Op Type,Op Name,Task ID,Stream ID,Timestamp,IO,Slot,Data Size,Data Type,Shape"
COUNTS = (
    "Count,Negative Zero Count,Positive Zero Count,NaN Count,Negative Inf Count,Positive Inf Count,Zero Count"
)  # fmt: skip


def real_dump(directory: Path) -> Path:
    """The unpacked dump of MindSpore 2.10."""
    with tarfile.open(REAL) as archive:
        archive.extractall(directory, filter="data")
    return directory / "dump_e2e"


def numbers(place: int) -> np.ndarray:
    """An array of its own for each place."""
    return (np.arange(6, dtype=np.float32) - place).reshape(2, 3)


def save(directory: Path, name: str, array: Any) -> Path:
    """An npy file."""
    directory.mkdir(parents=True, exist_ok=True)
    with (directory / name).open("wb") as file:
        np.save(file, array)
    return directory / name


def npy_name(
    type: str, name: str, time: int, role: str = "output", slot: int = 0, dtype: str = "", format: str = "NCHW"
) -> str:
    """As from r1.3 on, with a dtype as from r2.4 on."""
    return f"{type}.{name}.0.0.{time}.{role}.{slot}.{format}{f'.{dtype}' if dtype else ''}.npy"


def type_of(full_name: str) -> str:
    return full_name.rpartition("/")[2].partition("-op")[0]


def save_graph(rank: Path, order: Sequence[str] = ORDER, ir: str = "", iterations: Sequence[int] = (0, 1)) -> None:
    """What is beside the tensors of a rank."""
    orders = rank / "execution_order"
    orders.mkdir(parents=True, exist_ok=True)
    (orders / "ms_execution_order_graph_0.csv").write_text("\n".join(["NodeExecutionOrder-FullNameWithScope", *order]))
    (orders / "ms_global_execution_order_graph_0.csv").write_text("".join(f"{each}\n" for each in iterations))
    if ir:
        (rank / "graphs").mkdir(exist_ok=True)
        (rank / "graphs" / "ms_output_trace_code_graph_0.ir").write_text(ir)
    metadata = rank / ".dump_metadata"
    metadata.mkdir(exist_ok=True)
    (metadata / "config.json").write_text('{"device_target": "GPU", "ms_version": "1.9.0"}')


def save_settings(rank: Path, **e2e: Any) -> None:
    (rank / ".dump_metadata").mkdir(parents=True, exist_ok=True)
    content = {"common_dump_settings": {"dump_mode": 0}, "e2e_dump_settings": {"enable": True, **e2e}}
    (rank / ".dump_metadata" / "data_dump.json").write_text(json.dumps(content))


def short_dump(root: Path, rank: int = 0, steps: Sequence[int] = (0, 1), with_graph: bool = True) -> Path:
    """r1.3 to r2.2: names hold the last part of the scope only. The order of times is not that of the graph."""
    directory = root / f"rank_{rank}"
    for step in steps:
        for place, name in enumerate(reversed(ORDER)):
            short = name.rpartition("/")[2]
            path = directory / "Net" / "0" / str(step)
            save(path, npy_name(type_of(name), short, TIME + place * 10, "input"), numbers(place))
            save(path, npy_name(type_of(name), short, TIME + place * 10 + 1), numbers(place + 1))
    save(directory / "Net" / "0" / "constants", npy_name("Parameter", "data-7", TIME - 5), np.float32(3))
    if with_graph:
        save_graph(directory)
    return root


def raw_name(full_name: str, role: str, slot: int, array: Any, dtype: str, format: str = "DefaultFormat") -> str:
    """As r1.0 to r1.2 write."""
    shape = "".join(f"{size}_" for size in array.shape)
    return f"{full_name.replace('/', '--')}_{role}_{slot}_shape_{shape}{dtype}_{format}.bin"


def raw_dump(root: Path, device: int | None = 1) -> Path:
    """r1.0 to r1.2, synchronous: bare arrays; on the CPU without a directory of the device."""
    net = root / "net" if device is None else root / "net" / f"device_{device}"
    path = net / "iteration_3"
    path.mkdir(parents=True)
    for place, name in enumerate(ORDER):
        array = numbers(place).astype(np.float16)
        (path / raw_name(name, "output", 0, array, "Float16", "NC1HWC0")).write_bytes(array.tobytes())
    scalar = np.float32(7)
    (path / raw_name(CONV, "input", 1, scalar, "Float32")).write_bytes(scalar.tobytes())
    return root


def statistics(path: Path, columns: str, *rows: str) -> Path:
    """A ``statistic.csv`` with further columns."""
    path.mkdir(parents=True, exist_ok=True)
    file = path / "statistic.csv"
    file.write_text("\n".join([f"{FIXED},{columns}", *rows, ""]))
    return file


def row(values: str, name: str = "Conv2D-op1", io: str = "output", slot: int = 0, time: int = TIME) -> str:
    """One line of it, of a float32 tensor of six elements."""
    return f'{name.partition("-op")[0]},{name},0,0,{time},{io},{slot},24,float32,"(2,3)",{values}'
