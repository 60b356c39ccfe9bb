# SPDX-License-Identifier: Apache-2.0
"""English texts about profiles, by code: advice, and why a part is missing. The page translates them by their codes."""

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
    "torch_steps": _MissingText(  # without a schedule, profiler.step() marks none
        "the trace marks no steps",
        "schedule=torch.profiler.schedule(wait=1, warmup=1, active=5)  # and profiler.step() after each step",
    ),
    "torch_operators": _MissingText("the trace has no operators", "activities=[ProfilerActivity.CPU]"),
    "torch_kernels": _MissingText(
        "the trace has no kernels", "activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]"
    ),
    "torch_modules": _MissingText("the trace has no modules", "with_stack=True, with_modules=True"),
    "torch_annotations": _MissingText("the trace has no named ranges", 'with torch.profiler.record_function("name"):'),
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


class _AdviceText(NamedTuple):
    finding: str
    """What was found, with figures and threshold."""
    remedy: str
    """What to do."""


ADVICE: Mapping[str, _AdviceText] = {
    "data_waiting": _AdviceText(
        "The training waits for data in {share:share} of its steps, {time:time} a step (more than {threshold:share}).",
        "Raise num_workers of the DataLoader, set persistent_workers=True, move work out of the data set, or cache it.",
    ),
    "step_interval": _AdviceText(
        "The step interval is {time:time} (more than {threshold:time}).",
        "Prepare data faster: more workers in map and batch, MindRecord files, fewer Python operations.",
    ),
    "device_queue_empty": _AdviceText(
        "The queue of the device is empty in {share:share} of {samples} samples (more than {threshold:share}).",
        "Data processing is too slow: see the operations of the data pipeline.",
    ),
    "transmission": _AdviceText(
        "The queue of GetNext is empty in {samples} samples, while that of the device is not.",
        "Sending data to the device is too slow: send smaller types, and check the load of the host.",
    ),
    "pipeline_bottleneck": _AdviceText(
        "The data pipeline is slowest in {operations}, by the usage of queues (threshold {threshold:share}).",
        "Give these operations more workers; replace Python operations by those in C++; prefetch batches.",
    ),
    "communication": _AdviceText(
        "Communication that no computation hides takes {share:share} of the steps, {time:time} a step (more than "
        "{threshold:share}).",
        "Overlap it with the backward pass, use larger buckets, accumulate gradients, or communicate in bfloat16.",
    ),
    "uneven_steps": _AdviceText(
        "Step {step} takes {time:time}, {excess:share} more than the mean of {mean:time} (more than "
        "{threshold:share}); most of it is {cause}.",
        "Compare this step with the next one in the timeline. If it is the first one, add a warm-up step.",
    ),
    "low_device_use": _AdviceText(
        "The device is busy in {share:share} of the steps (less than {threshold:share}).",
        "Look at the largest gaps in the timeline; raise the batch size.",
    ),
    "host_bound": _AdviceText(
        "The device is busy in {share:share} of the steps (less than {threshold:share}); {host_wait:share} of its "
        "waits are for launches of the host.",
        "Launch less: torch.compile, CUDA graphs, fused optimizers, a larger batch, no .item() in each step.",
    ),
    "short_kernels": _AdviceText(
        "{kernels} kernels, {share:share}, are shorter than the calls that launch them (more than {threshold:share}).",
        "Fuse them with torch.compile, or launch them as a CUDA graph.",
    ),
    "synchronization": _AdviceText(
        "The host waits for the device in {share:share} of the steps (more than {threshold:share}).",
        "Avoid .item(), .cpu(), nonzero() and prints of tensors in each step; log every n steps.",
    ),
    "pageable_copies": _AdviceText(
        "Copies of pageable memory to the device take {share:share} of the steps (more than {threshold:share}).",
        "Set pin_memory=True in the DataLoader, and copy with non_blocking=True.",
    ),
    "no_tensor_cores": _AdviceText(
        "No kernel uses tensor cores, though the device has them (capability {capability}), and operators that could "
        "take {share:share} of the time.",
        "Use torch.autocast with bfloat16, or torch.set_float32_matmul_precision('high').",
    ),
    "data_parallel": _AdviceText(
        "DataParallel runs on {devices} devices.",
        "Use DistributedDataParallel: one process for each device, and no copies of the network.",
    ),
    "other_backend": _AdviceText(
        "Ranks with CUDA devices communicate by {backend}.", "Use NCCL: init_process_group('nccl')."
    ),
    "memory_peak": _AdviceText(
        "The peak of {device} is {peak:size}, {share:share} of its memory (more than {threshold:share}).",
        "Use torch.utils.checkpoint, a smaller batch, bfloat16, or shard the optimizer state.",
    ),
    "leak": _AdviceText(
        "Each step leaves {growth:size} on {device} that nothing frees; most of it was allocated by {operator} in "
        "{module} (in all of {steps} steps, more than {threshold:size}).",
        "Do not keep tensors that have a graph: append loss.detach() or loss.item(), and clear lists and hooks.",
    ),
}
"""What advice says. ``:share``, ``:time`` and ``:size`` are units of the figures, see ``profile/advice/advice.py``."""
