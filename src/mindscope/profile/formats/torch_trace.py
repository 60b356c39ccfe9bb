# SPDX-License-Identifier: Apache-2.0
"""Traces that ``torch.profiler`` writes: the JSON of Kineto."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from mindscope.artifacts.format import Format, Progress
from mindscope.artifacts.problems import Problems
from mindscope.formats.json_trace_files import TraceKind, bare_name, json_head, trace_kind
from mindscope.profile.kineto.analysis import KinetoAnalysis
from mindscope.profile.kineto.completeness import problems_of, unmarked_operators
from mindscope.profile.kineto.copy_rates import copy_rate_problem
from mindscope.profile.kineto.devices import KINDS, device_kind_of
from mindscope.profile.kineto.merged_ranks import merged_ranks
from mindscope.profile.kineto.operator_times import operator_time_problem
from mindscope.profile.kineto.profile_parts import missing_parts, profile_of
from mindscope.profile.kineto.step_ranges import steps_of_run
from mindscope.profile.model.profile_data import Device, ProfileFacts
from mindscope.profile.profile import Profile
from mindscope.profile.trace.argument_columns import FileArguments
from mindscope.profile.trace.json_trace import read_json_trace
from mindscope.profile.trace.time_unit import time_unit_problem
from mindscope.reasons import Reason

_STAMP = re.compile(r"\.\d{10,}$")
"""Time of writing: what follows the worker in the name of a file."""
_FACTS = re.compile(rb'"mindscope"\s*:\s*(\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\})')


def is_torch_trace(path: Path) -> bool:
    """Return whether a file is a trace of PyTorch. Raises OSError."""
    return trace_kind(path) is TraceKind.TORCH


def _read(path: Path, on_progress: Progress) -> Profile:
    trace = read_json_trace(path, on_progress)
    name, kind = bare_name(path), device_kind_of(trace)
    analysis = KinetoAnalysis(trace, FileArguments(path, trace), device=kind)
    merged = merged_ranks(analysis)
    unit = time_unit_problem(trace, path) or copy_rate_problem(analysis) or operator_time_problem(analysis)
    problems = filter(None, [unit, *problems_of(trace), merged, unmarked_operators(trace, analysis.roles)])
    facts = ProfileFacts(
        name=name,
        path=str(path),
        format=TORCH_TRACE.name,
        framework="torch",
        worker=_STAMP.sub("", name),
        rank=rank_of(trace.properties),
        devices=devices_of(trace.properties, kind),
        origin_ns=trace.origin_ns,
        properties={
            **trace.properties,
            "problems": _problems(path, problems),
        },
    )
    return profile_of(facts, analysis) if merged is None else profile_of(facts, analysis, missing_parts("torch_merged"))


def rank_of(properties: Mapping[str, Any]) -> int | None:
    """Return the rank that the trace names; ``mindscope.torch.Profiler`` also knows that of a launcher."""
    for field in ("distributedInfo", "mindscope"):
        facts = properties.get(field)
        rank = cast("dict[str, Any]", facts).get("rank") if isinstance(facts, dict) else None
        if isinstance(rank, int) and 0 <= rank < 1 << 31:
            return rank
    return None


def _problems(path: Path, reasons: Iterable[Reason]) -> Problems:
    """Return what the file lacks, or holds twice."""
    problems = Problems()
    for reason in reasons:
        problems.note(path.name, reason)
    return problems


def devices_of(properties: Mapping[str, Any], kind: str) -> Sequence[Device]:
    """Return the CPU, and the devices that the trace describes; ``kind`` is what tables call them."""
    found = properties.get("deviceProperties")
    described = cast("list[Any]", found) if isinstance(found, list) else []
    return [Device("CPU", "cpu"), *(_device(each, kind) for each in described)]


def _device(described: Any, kind: str) -> Device:
    properties = cast("dict[str, Any]", described) if isinstance(described, dict) else {}
    memory = properties.get("totalGlobalMem")
    return Device(
        name=f"{kind} {properties.get('id', 0)}",
        kind=KINDS[kind],
        model=str(properties.get("name", "")),
        memory=memory if isinstance(memory, int) else 0,
        properties=properties,
    )


def _steps(path: Path) -> tuple[int, int] | None:
    """Return the steps that ``mindscope.torch.Profiler`` writes before the events."""
    found = _FACTS.search(json_head(path).partition(b'"traceEvents"')[0])
    try:
        steps = steps_of_run({"mindscope": json.loads(found[1])}) if found else {}
    except ValueError:
        return None
    return (min(steps.values()), max(steps.values())) if steps else None


TORCH_TRACE = Format("torch_trace", "PyTorch trace", is_torch_trace, _read, steps=_steps)
