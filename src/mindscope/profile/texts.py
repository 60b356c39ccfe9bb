# SPDX-License-Identifier: Apache-2.0
"""English texts about profiles, by code: why a part is missing. The page translates them by their codes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple


class _MissingText(NamedTuple):
    reason: str
    """Which data are not there."""
    remedy: str
    """The line of code that records them; empty if none does."""


MISSING: Mapping[str, _MissingText] = {
    "not_in_format": _MissingText("{format} does not record {part}", ""),
    "no_events": _MissingText("the profile has no events", ""),
    "torch_steps": _MissingText("the trace marks no steps", "profiler.step()  # after each step"),
    "torch_operators": _MissingText("the trace has no operators", "activities=[ProfilerActivity.CPU]"),
    "torch_kernels": _MissingText(
        "the trace has no kernels", "activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]"
    ),
    "torch_modules": _MissingText("the trace has no modules", "with_stack=True, with_modules=True"),
    "torch_memory": _MissingText("the trace has no memory events", "profile_memory=True"),
    "torch_data_pipeline": _MissingText(
        "the trace has no batch of a DataLoader", "for batch in torch.utils.data.DataLoader(dataset):"
    ),
    "torch_communication": _MissingText("the trace has no communication between ranks", ""),
    "ascend_steps": _MissingText(
        "step_trace_time.csv is missing, which a profile of an NPU with marked steps has",
        "profiler.step()  # after each step",
    ),
    "ascend_operators": _MissingText(
        "the profile has no table of operators or kernels", "activities=[ProfilerActivity.NPU]"
    ),
    "ascend_kernels": _MissingText("kernel_details.csv is missing", "activities=[ProfilerActivity.NPU]"),
    "ascend_modules": _MissingText(
        "names of operators have no scope", "mindspore.set_context(mode=mindspore.GRAPH_MODE)"
    ),
    "ascend_memory": _MissingText("memory_record.csv and operator_memory.csv are missing", "profile_memory=True"),
    "ascend_data_pipeline": _MissingText("the profile has no files of the data pipeline", "data_process=True"),
    "ascend_communication": _MissingText(
        "communication.json is missing, which a profile of several ranks has", "profiler_level=ProfilerLevel.Level1"
    ),
    "mindspore_steps": _MissingText("step_trace_raw is missing, or has no step", ""),
    "mindspore_operators": _MissingText("the profile has no table of operators", "Profiler(op_time=True)"),
    "mindspore_kernels": _MissingText("the profile has no runs of kernels", "Profiler(op_time=True)"),
    "mindspore_modules": _MissingText(
        "names of operators have no scope", "mindspore.set_context(mode=mindspore.GRAPH_MODE)"
    ),
    "mindspore_memory": _MissingText("the profile has no record of memory", "Profiler(profile_memory=True)"),
    "mindspore_data_pipeline": _MissingText(
        "the profile has no files of the data pipeline", "Profiler(data_process=True)"
    ),
    "mindspore_communication": _MissingText("hccl_raw is missing", "Profiler(profile_communication=True)"),
}
"""Why a part of a profile is missing."""


@dataclass(frozen=True, slots=True)
class Missing:
    """A part that a profile does not have: ``code`` is one of ``MISSING``, ``values`` are those of its text."""

    code: str
    values: Mapping[str, str | int] = field(default_factory=dict[str, str | int])

    @property
    def reason(self) -> str:
        """Which data are not there."""
        return MISSING[self.code].reason.format_map(self.values)

    @property
    def remedy(self) -> str:
        """The line of code that records them; empty if none does."""
        return MISSING[self.code].remedy.format_map(self.values)
