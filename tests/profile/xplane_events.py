# SPDX-License-Identifier: Apache-2.0
"""Hand-made profiles of XLA. Times are microseconds."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mindscope.formats.wire import encode, parse_schemas

EPOCH = 1_800_000_000_000_000_000
SCHEMAS = parse_schemas("""
XSpace: 1 repeated XPlane planes, 2 repeated string errors, 3 repeated string warnings, 4 repeated string hostnames
XPlane: 1 int64 id, 2 string name, 3 repeated XLine lines, 4 repeated EventEntry event_metadata, \
5 repeated StatEntry stat_metadata, 6 repeated XStat stats
EventEntry: 1 int64 key, 2 XEventMetadata value
StatEntry: 1 int64 key, 2 XStatMetadata value
XLine: 1 int64 id, 2 string name, 3 int64 timestamp_ns, 4 repeated XEvent events
XEvent: 1 int64 metadata_id, 2 int64 offset_ps, 3 int64 duration_ps, 4 repeated XStat stats
XStat: 1 int64 metadata_id, 2 double double_value, 3 uint64 uint64_value, 4 int64 int64_value, 5 string str_value, \
6 bytes bytes_value, 7 uint64 ref_value
XEventMetadata: 1 int64 id, 2 string name, 5 repeated XStat stats
XStatMetadata: 1 int64 id, 2 string name
HloProto: 1 HloModule module
HloModule: 1 string name, 3 repeated HloComputation computations
HloComputation: 1 string name, 2 repeated HloInstruction instructions
HloInstruction: 1 string name, 2 string opcode, 7 OpMetadata metadata
OpMetadata: 2 string op_name
""")


class Plane:
    """Collects lines of a plane."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._events: dict[str, tuple[int, list[dict[str, Any]]]] = {}
        self._stats: dict[str, int] = {}
        self._lines: dict[str, tuple[int, list[dict[str, Any]]]] = {}
        self.stats: dict[str, Any] = {}

    def event(self, line: str, name: str, start: float, duration: float, *, zero: int = EPOCH, **stats: Any) -> None:
        """Texts are references to names of stats, as XLA writes them."""
        found = {
            "metadata_id": self.metadata(name), "offset_ps": round(start * 1_000_000),
            "duration_ps": round(duration * 1_000_000), "stats": [self._stat(*each) for each in stats.items()],
        }  # fmt: skip
        self._lines.setdefault(line, (zero, []))[1].append(found)

    def metadata(self, name: str, **stats: Any) -> int:
        """The number of an event's name; stats that all such events share."""
        known = self._events.setdefault(name, (len(self._events) + 1, []))
        known[1].extend(self._stat(*each, by_reference=False) for each in stats.items())
        return known[0]

    def encoded(self) -> dict[str, Any]:
        stats = [self._stat(*each, by_reference=False) for each in self.stats.items()]
        return {
            "name": self.name,
            "lines": [
                {"id": number, "name": name, "timestamp_ns": zero, "events": events}
                for number, (name, (zero, events)) in enumerate(self._lines.items(), 1)
            ],
            "event_metadata": [
                {"key": number, "value": {"id": number, "name": name, "stats": shared}}
                for name, (number, shared) in self._events.items()
            ],
            "stat_metadata": [
                {"key": number, "value": {"id": number, "name": name}} for name, number in self._stats.items()
            ],
            "stats": stats,
        }

    def _number(self, name: str) -> int:
        return self._stats.setdefault(name, len(self._stats) + 1)

    def _stat(self, name: str, value: Any, *, by_reference: bool = True) -> dict[str, Any]:
        field = {int: "int64_value", float: "double_value", bytes: "bytes_value", str: "str_value"}[type(value)]
        if field == "str_value" and by_reference:
            return {"metadata_id": self._number(name), "ref_value": self._number(value)}
        return {"metadata_id": self._number(name), field: value}


def write(path: Path, *planes: Plane, **fields: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(encode(SCHEMAS["XSpace"], {"planes": [each.encoded() for each in planes], **fields}))
    return path


def hlo(paths: Mapping[str, str]) -> bytes:
    instructions = [{"name": name, "opcode": "fusion", "metadata": {"op_name": path}} for name, path in paths.items()]
    computations = [{"name": "main", "instructions": instructions}]
    return encode(SCHEMAS["HloProto"], {"module": {"name": "jit_step", "computations": computations}})


FORWARD = "jit(step)/jit(main)/jvp(Net)/Dense_0/dot_general"
BACKWARD = "jit(step)/jit(main)/transpose(jvp(Net))/Dense_0/dot_general"


def on_gpu(steps: int = 3) -> list[Plane]:
    """Steps of 1 ms on a GPU: two products of 200 us, a reduction of 100 us, half of it beside a product, a copy."""
    host, gpu = Plane("/host:CPU"), Plane("/device:GPU:0")
    environment = Plane("Task Environment")
    environment.stats = {"profile_start_time": EPOCH, "jax_version": "0.10"}
    for step in range(steps):
        begin, first = 1000.0 * step, 10 * step + 1
        host.event("python", "train", begin, 900, step_num=step + 7, _r=1)
        host.event("python", "$train.py:12 step", begin + 1, 890)
        host.event("python", "load", begin + 5, 60)
        for place, at in enumerate((100, 120, 140, 160)):
            host.event("python", "cuLaunchKernel", begin + at, 5, correlation_id=first + place)
        details = "regs:64 static_shared:0 dynamic_shared:49152 grid:132,1,1 block:256,1,1 occ_pct:25"
        gpu.event(
            "Stream #13(Compute)", "gemm_fusion_dot_1", begin + 200, 200, correlation_id=first, hlo_op="fusion.1",
            tf_op=FORWARD, kernel_details=details, hlo_module="jit_step", flops=1000, bytes_accessed=64,
        )  # fmt: skip
        gpu.event("Stream #13(Compute)", "gemm_fusion_dot_2", begin + 400, 200, correlation_id=first + 1,
                  hlo_op="fusion.2", tf_op=BACKWARD, kernel_details=details)  # fmt: skip
        gpu.event("Stream #14(Comm)", "ncclDevKernel_AllReduce_Sum", begin + 550, 100, correlation_id=first + 2,
                  hlo_op="all-reduce.1")  # fmt: skip
        gpu.event("Stream #13(Compute)", "MemcpyD2H", begin + 700, 50, correlation_id=first + 3,
                  memcpy_details="kind_src:device kind_dst:pinned size:4096 dest:0 async:1")  # fmt: skip
        gpu.event("XLA Ops", "fusion.1", begin + 200, 200, hlo_op="fusion.1")
        gpu.event("XLA Modules", "jit_step(1)", begin + 200, 550)
        gpu.event("Steps", str(step + 7), begin + 200, 550)
    return [host, gpu, environment]
