# SPDX-License-Identifier: Apache-2.0
"""Recognizes what else PyTorch's profilers write: files without times of single events, a trace in another format."""

from __future__ import annotations

import re

_TRACE = "profiler.export_chrome_trace('trace.json')"
_STACK = re.compile(rb"[^\n]+ \d+\s*")
_RAW_MEMORY = re.compile(rb"\s*\[\s*\[\s*-?\d+\s*,\s*[0-3]\s*,\s*-?\d+\s*,\s*(\d+|null)\s*\]")
_PLOT = re.compile(rb"\s*\[\s*\[\s*-?\d+(\.\d+)?\s*[,\]]")
_PERFETTO_NAMES = (".pftrace", ".perfetto-trace", ".perfetto_trace", ".perfetto")
_MOST_PACKETS = 8


def torch_export(name: str, head: bytes) -> str:
    """Say what a file is, by its name and beginning, and what to open instead; empty for anything else."""
    if name.endswith(_PERFETTO_NAMES) or _is_perfetto(head):
        return f"is a trace of Perfetto in protobuf: convert it with 'traceconv json {name} trace.json'"
    if b'"schema"' in head and b'"nodes"' in head and (b'"rf_id"' in head or b"chakra" in head):
        return f"is an execution trace of PyTorch, which has no times: open the trace of {_TRACE} instead"
    if _RAW_MEMORY.match(head) or _PLOT.match(head):
        return (
            "is a memory timeline of export_memory_timeline: record with profile_memory=True, and open the trace of "
            f"{_TRACE}, or what torch.cuda.memory._dump_snapshot writes"
        )
    lines = head.split(b"\n")[:-1] or [head]
    if b";" in head and all(_STACK.fullmatch(line) for line in lines[:20]):
        return f"has stacks of export_stacks, which say no times: record with with_stack=True, and open {_TRACE}"
    return ""


def _is_perfetto(head: bytes) -> bool:
    """Return whether a file is a sequence of packets (field 1), each with a field of a packet of Perfetto."""
    offset = packets = 0
    while offset < len(head) and packets < _MOST_PACKETS:
        if head[offset] != 0x0A:
            return False
        size, offset = _varint(head, offset + 1)
        if size < 2 or (offset < len(head) and head[offset] & 7 not in (0, 2)):
            return False
        offset += size
        packets += 1
    return packets >= 2


def _varint(data: bytes, offset: int) -> tuple[int, int]:
    value = shift = 0
    while offset < len(data) and shift < 35:
        value |= (data[offset] & 0x7F) << shift
        offset, shift = offset + 1, shift + 7
        if data[offset - 1] < 0x80:
            break
    return value, offset
