# SPDX-License-Identifier: Apache-2.0
"""Traces that ``torch.profiler`` writes: the JSON of Kineto."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from mindscope.profile.formats.json_file import bare_name, json_head
from mindscope.profile.formats.profile_format import ProfileFormat, Progress
from mindscope.profile.json_trace import read_json_trace
from mindscope.profile.kineto.analysis import KinetoAnalysis
from mindscope.profile.kineto.annotations import annotations_of
from mindscope.profile.kineto.batches import data_pipeline_of
from mindscope.profile.kineto.kernels import communication_of, kernels_of
from mindscope.profile.kineto.memory import memory_of
from mindscope.profile.kineto.operators import modules_of, operators_of
from mindscope.profile.kineto.step_selection import trace_of_steps
from mindscope.profile.kineto.steps import steps_of
from mindscope.profile.kineto.streams import streams_of
from mindscope.profile.profile import Device, Part, Profile, ProfileFacts

_SCHEMA = b'"schemaVersion"'
_STAMP = re.compile(r"\.\d{10,}$")
"""Time of writing: what follows the worker in the name of a file."""


def is_torch_trace(path: Path) -> bool:
    """Whether a file has a schema version before its events, or the name of a trace of torch. Raises OSError."""
    head = json_head(path)
    return bool(head) and (_SCHEMA in head.partition(b'"traceEvents"')[0] or ".pt.trace.json" in path.name)


def _read(path: Path, on_progress: Progress) -> Profile:
    trace = read_json_trace(path, on_progress)
    name = bare_name(path)
    facts = ProfileFacts(
        name=name,
        path=str(path),
        format=TORCH_TRACE.name,
        framework="torch",
        worker=_STAMP.sub("", name),
        rank=rank_of(trace.properties),
        devices=devices_of(trace.properties),
        origin_ns=trace.origin_ns,
        properties=trace.properties,
    )
    return _profile(facts, KinetoAnalysis(path, trace))


def _profile(facts: ProfileFacts, analysis: KinetoAnalysis) -> Profile:
    def select_steps(first: int, last: int) -> Profile:
        return _profile(facts, KinetoAnalysis(analysis.path, trace_of_steps(analysis, first, last)))

    return Profile(facts, analysis.trace, _parts(analysis), select_steps)


def _parts(analysis: KinetoAnalysis) -> dict[Part, Callable[[], Any]]:
    return {
        Part.STEPS: lambda: steps_of(analysis),
        Part.OPERATORS: lambda: operators_of(analysis),
        Part.KERNELS: lambda: kernels_of(analysis),
        Part.MODULES: lambda: modules_of(analysis),
        Part.MEMORY: lambda: memory_of(analysis),
        Part.DATA_PIPELINE: lambda: data_pipeline_of(analysis),
        Part.COMMUNICATION: lambda: communication_of(analysis),
        Part.ANNOTATIONS: lambda: annotations_of(analysis),
        Part.STREAMS: lambda: streams_of(analysis),
    }


def rank_of(properties: Mapping[str, Any]) -> int | None:
    """The rank that the trace names; ``mindscope.torch.Profiler`` also knows that of a launcher."""
    for field in ("distributedInfo", "mindscope"):
        facts = properties.get(field)
        rank = cast("dict[str, Any]", facts).get("rank") if isinstance(facts, dict) else None
        if isinstance(rank, int):
            return rank
    return None


def devices_of(properties: Mapping[str, Any]) -> Sequence[Device]:
    """The CPU, and the devices that the trace describes."""
    found = properties.get("deviceProperties")
    described = cast("list[Any]", found) if isinstance(found, list) else []
    return [Device("CPU", "cpu"), *map(_device, described)]


def _device(described: Any) -> Device:
    properties = cast("dict[str, Any]", described) if isinstance(described, dict) else {}
    memory = properties.get("totalGlobalMem")
    return Device(
        name=f"GPU {properties.get('id', 0)}",
        kind="cuda",
        model=str(properties.get("name", "")),
        memory=memory if isinstance(memory, int) else 0,
        properties=properties,
    )


TORCH_TRACE = ProfileFormat("torch_trace", "PyTorch trace", is_torch_trace, _read)
