# SPDX-License-Identifier: Apache-2.0
"""Hand-made traces in the format of Kineto. Times are microseconds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mindscope.profile.open import read_profile
from mindscope.profile.profile import Profile

HOST, AUTOGRAD, DEVICE = 900, 901, 0
"""The process and thread of the training, the thread of the backward pass, the device."""


class Events:
    """Collects events of a trace."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []

    def add(self, cat: str, name: str, ts: float, dur: float, tid: Any = HOST, pid: Any = HOST, **args: Any) -> None:
        named = {key.replace("_", " "): value for key, value in args.items()}
        self.events.append(
            {"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur, "args": named}
        )

    def step(self, number: int, ts: float, dur: float) -> None:
        self.add("user_annotation", f"ProfilerStep#{number}", ts, dur)

    def op(self, name: str, ts: float, dur: float, tid: Any = HOST, **args: Any) -> None:
        self.add("cpu_op", name, ts, dur, tid, **args)

    def launch(self, ts: float, dur: float, correlation: int, **args: Any) -> None:
        self.add("cuda_runtime", "cudaLaunchKernel", ts, dur, correlation=correlation, **args)

    def kernel(self, name: str, ts: float, dur: float, correlation: int = 0, stream: int = 7, **args: Any) -> None:
        links = {"correlation": correlation} if correlation else {}
        cat = args.pop("cat", "kernel")
        self.add(cat, name, ts, dur, stream, args.pop("device", DEVICE), stream=stream, **links, **args)

    def memory(self, ts: float, size: int, address: int, total: int, *, device: int = -1, tid: Any = HOST) -> None:
        args = {
            "Device Type": 0 if device < 0 else 1, "Device Id": device, "Addr": address, "Bytes": size,
            "Total Allocated": total, "Total Reserved": 0 if device < 0 else 4096,
        }  # fmt: skip
        self.events.append(
            {"ph": "i", "cat": "cpu_instant_event", "name": "[memory]", "s": "t", "pid": HOST, "tid": tid, "ts": ts,
             "args": args}
        )  # fmt: skip

    def text(self, **properties: Any) -> str:
        head = {"schemaVersion": 1, "baseTimeNanoseconds": 1_000_000_000, **properties}
        head = {key: value for key, value in head.items() if value is not None}
        return json.dumps({**head, "traceEvents": self.events})

    def write(self, path: Path, **properties: Any) -> Path:
        path.write_text(self.text(**properties))
        return path

    def read(self, directory: Path, **properties: Any) -> Profile:
        return read_profile(self.write(directory / "hand_made.pt.trace.json", **properties))
