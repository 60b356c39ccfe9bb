# SPDX-License-Identifier: Apache-2.0
"""English texts about profiles, by code: advice, and why a part is missing. The page translates them by their codes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple


class _MissingText(NamedTuple):
    reason: str
    """Data that are not there."""
    remedy: str
    """The line of code that records them; empty if none does."""


MISSING: Mapping[str, _MissingText] = {
    "not_in_format": _MissingText("profiles of this format don't have it", ""),
    "not_in_steps": _MissingText("the profile does not say which of them belong to a step", ""),
    "damaged": _MissingText("the profile is damaged: {error}", ""),
    "no_events": _MissingText("the profile has no events", ""),
    "torch_steps": _MissingText(  # without a schedule, profiler.step() marks none
        "the trace marks no steps",
        "schedule=torch.profiler.schedule(wait=1, warmup=1, active=5)  # and profiler.step() after each step",
    ),
    "torch_merged": _MissingText(
        "the file holds several ranks or runs under one process, whose calls can't be separated", ""
    ),
    "torch_operators": _MissingText("the trace has no operators", "activities=[ProfilerActivity.CPU]"),
    "torch_kernels": _MissingText(
        "the trace has no kernels", "activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]"
    ),
    "torch_modules": _MissingText("the trace has no modules", "with_stack=True, with_modules=True"),
    "torch_annotations": _MissingText("the trace has no named ranges", 'with torch.profiler.record_function("name"):'),
    "torch_memory": _MissingText("the trace has no memory events", "profile_memory=True"),
    "torch_memory_addresses": _MissingText(
        "memory events of {devices} have no addresses, so the trace does not say when a block is freed: it has no "
        "blocks and no leak hints; newer versions of PyTorch record addresses",
        "",
    ),
    "torch_memory_totals": _MissingText(
        "memory events of {devices} have no totals: the curve counts from the first event, not from zero", ""
    ),
    "torch_memory_devices": _MissingText(
        "memory events do not say the type of their device: {devices} may be any; newer versions of PyTorch record it",
        "",
    ),
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
    "nsight_steps": _MissingText(
        "no range of NVTX marks steps", 'with torch.cuda.nvtx.range(f"step {{step}}"):  # around each step'
    ),
    "nsight_operators": _MissingText(
        "no range of NVTX is an operator of PyTorch",
        "with torch.autograd.profiler.emit_nvtx(record_shapes=True):  # around the training",
    ),
    "nsight_kernels": _MissingText("the export has no kernels", "nsys profile --trace=cuda,nvtx,osrt python train.py"),
    "nsight_modules": _MissingText("ranges of NVTX name no modules", ""),
    "nsight_annotations": _MissingText(
        "the export has no ranges of NVTX", "nsys profile --trace=cuda,nvtx,osrt python train.py"
    ),
    "nsight_memory": _MissingText(
        "the export has no allocations of the device", "nsys profile --cuda-memory-usage=true python train.py"
    ),
    "nsight_data_pipeline": _MissingText(
        "no range of NVTX is a batch of a DataLoader",
        "with torch.autograd.profiler.emit_nvtx():  # around the training",
    ),
    "nsight_communication": _MissingText("the export has no kernels of NCCL", ""),
    "xplane_steps": _MissingText(
        "the profile marks no steps",
        'with jax.profiler.StepTraceAnnotation("train", step_num=step):  # around each step',
    ),
    "xplane_operators": _MissingText("the profile has no operations of XLA", ""),
    "xplane_kernels": _MissingText("the profile has no kernels, which a run on a GPU or TPU has", ""),
    "xplane_modules": _MissingText(
        "names of operations have no scope", 'with jax.named_scope("layer"):  # or Flax, which names its modules'
    ),
    "xplane_annotations": _MissingText("the profile has no named ranges", 'with jax.profiler.TraceAnnotation("name"):'),
    "xplane_memory": _MissingText("the profile has no allocations", ""),
    "xplane_data_pipeline": _MissingText("JAX does not record waits for batches", ""),
    "xplane_communication": _MissingText("the profile has no communication between devices", ""),
    "ascend_database_steps": _MissingText(
        "the tables STEP_TIME and StepTraceTime are missing", "profiler.step()  # after each step"
    ),
    "ascend_database_operators": _MissingText(
        "the tables TASK and PYTORCH_API are missing", "activities=[ProfilerActivity.CPU, ProfilerActivity.NPU]"
    ),
    "ascend_database_kernels": _MissingText("the table TASK is missing", "activities=[ProfilerActivity.NPU]"),
    "ascend_database_modules": _MissingText(
        "names of operators have no scope", "mindspore.set_context(mode=mindspore.GRAPH_MODE)"
    ),
    "ascend_database_annotations": _MissingText("the database has no named ranges", "mstx=True"),
    "ascend_database_memory": _MissingText("the tables MEMORY_RECORD and OP_MEMORY are missing", "profile_memory=True"),
    "ascend_database_data_pipeline": _MissingText("the database has no waits for batches", ""),
    "ascend_database_communication": _MissingText(
        "the tables COMMUNICATION_OP and CommAnalyzerTime are missing, which a profile of several ranks has",
        "profiler_level=ProfilerLevel.Level1",
    ),
}
"""Why a part of a profile is missing."""


@dataclass(frozen=True, slots=True)
class Missing:
    """A part that a profile does not have: ``code`` is one of ``MISSING``, ``values`` are those of its text."""

    code: str
    values: Mapping[str, str | int] = field(default_factory=dict[str, str | int])

    @property
    def reason(self) -> str:
        """Data that are not there, in words."""
        return MISSING[self.code].reason.format_map(self.values)

    @property
    def remedy(self) -> str:
        """The line of code that records them; empty if none does."""
        return MISSING[self.code].remedy.format_map(self.values)


class _AdviceText(NamedTuple):
    finding: str
    """The finding, with figures and threshold."""
    remedy: str
    """The remedy."""


ADVICE: Mapping[str, _AdviceText] = {
    "data_waiting": _AdviceText(
        "The training waits for data in {share:share} of its steps, {time:time} a step (more than {threshold:share}).",
        "Raise num_workers of the DataLoader, set persistent_workers=True, move work out of the data set, or cache it.",
    ),
    "batch_wait": _AdviceText(
        "The training waits {time:time} a step for batches of the DataLoader (more than {threshold:time}).",
        "Raise num_workers and prefetch_factor of the DataLoader, so that batches are ready when a step begins.",
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
    "pipeline_consumer": _AdviceText(
        "All queues of the data pipeline are filled to {threshold:share} or more: what takes the batches is slow, not "
        "the pipeline.",
        "Look at the step trace: the device or the transmission is the limit.",
    ),
    "pipeline_reader": _AdviceText(
        "The output queue of {operations} is filled to less than {threshold:share}: reading the data is too slow.",
        "Change num_parallel_workers: more, or fewer if the disk is the limit. Use fewer and larger files.",
    ),
    "pipeline_generator": _AdviceText(
        "The output queue of {operations} is filled to less than {threshold:share}: the Python source is too slow.",
        "Change num_parallel_workers, make the Python code of the source faster, or use MindRecord files.",
    ),
    "pipeline_map": _AdviceText(
        "The queue before {operations} is fuller than its own by more than {threshold:share}: it can't keep up.",
        "Raise num_parallel_workers of it, and replace Python functions by operations in C++.",
    ),
    "pipeline_batch": _AdviceText(
        "The queue before {operations} is fuller than its own by more than {threshold:share}: it can't keep up.",
        "Raise num_parallel_workers of it, and mindspore.dataset.config.set_prefetch_size.",
    ),
    "slow_reading": _AdviceText(
        "{operations} fills less than {threshold:share} of its queue: disk, network or its own code is slow.",
        "Put the files on a local or faster disk, pack small files into MindRecord, or cache them.",
    ),
    "slow_consumer": _AdviceText(
        "The usage of the queue before {operations} exceeds that of its own by more than {threshold:share}.",
        "Begin with this operation: give it more workers, or less work.",
    ),
    "empty_input": _AdviceText(
        "The queue of {operations}, from which batches go to the device, is empty in {share:share} of the samples "
        "(more than {threshold:share}): the pipeline on the host is too slow.",
        "Make the operations before it faster: begin with the bottleneck that other advice names.",
    ),
    "busy_bottleneck": _AdviceText(
        "{operations} limits the data pipeline: each of its workers uses {share:share} of a core (more than "
        "{threshold:share}), and no operation after it does.",
        "Raise num_parallel_workers of it first.",
    ),
    "waiting_bottleneck": _AdviceText(
        "{operations} limits the data pipeline though each of its workers uses only {share:share} of a core (less "
        "than {threshold:share}): its input queue is nearly empty, or far emptier than its output queue.",
        "Look at the operations before it, and at what its workers wait for: disk, network, locks.",
    ),
    "stored_bottleneck": _AdviceText("MindSpore's summary of the data pipeline says: {text}", "{suggestion}"),
    "stored_warning": _AdviceText(
        "MindSpore's summary of the data pipeline says: {text}", "Follow its finding; mindscope shows it unchanged."
    ),
    "pipeline_bottleneck": _AdviceText(
        "The queue before {operations} is fuller than its own by more than {threshold:share}: it can't keep up.",
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
        "Compare this step with the next one in the timeline.",
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
        "take {share:share} of the time of kernels.",
        "Use torch.autocast with bfloat16 (float16 below capability 8), or torch.set_float32_matmul_precision('high').",
    ),
    "data_parallel": _AdviceText(
        "DataParallel runs on {devices} devices.",
        "Use DistributedDataParallel: one process for each device, and no copies of the network.",
    ),
    "other_backend": _AdviceText(
        "Ranks with CUDA devices communicate by {backend}.", "Use NCCL: init_process_group('nccl')."
    ),
    "free_time": _AdviceText(
        "The NPU has nothing to do in {share:share} of the steps, {time:time} a step (more than {threshold:share}).",
        "Look at the host in the timeline: launch less with graph mode or fused operators, bind processes to "
        "cores, use a larger batch.",
    ),
    "slow_ai_cpu": _AdviceText(
        "{tasks} tasks of {threshold:time} or longer run on the AI CPU and take {share:share} of the time of "
        "all kernels; the greatest is {name}.",
        "Use data types that the AI core supports, such as float32, float16 or int32 instead of double and int64.",
    ),
    "unbound_kernels": _AdviceText(
        "In {kernels} kernels, which take {share:share} of the time, no unit of the AI core works for more "
        "than {threshold:share} of it; the greatest is {name}.",
        "Their tiling or shapes use the device badly: use larger or aligned shapes, and fuse small operators.",
    ),
    "cube_bound": _AdviceText(
        "{kernels} kernels of the cube, which take {share:share} of the time, load data for more than "
        "{threshold:share} of it; the greatest is {name}.",
        "Use inner dimensions that are multiples of 256, larger matrices, and formats that need no conversion.",
    ),
    "vector_bound": _AdviceText(
        "{kernels} kernels of vectors, which take {share:share} of the time, keep a unit busy for more than "
        "{threshold:share} of it; the greatest is {name}.",
        "Fuse them with their neighbors, and compute in float16 or bfloat16.",
    ),
    "frequency_drop": _AdviceText(
        "The AI core runs at {mhz} MHz on average, {share:share} below its {highest_mhz} MHz "
        "({threshold:share} or more).",
        "Check power limit and temperature of the device with npu-smi.",
    ),
    "garbage_collection": _AdviceText(
        "Python collected garbage {runs} times for more than {threshold:time}, {time:time} in all.",
        "Call gc.freeze() after the first step and gc.disable(), or collect at fixed steps.",
    ),
    "quiet_host": _AdviceText(
        "The device waited {runs} times for {least} or longer, {time:time} in all, while the host made less than one "
        "call in {interval}.",
        "Python probably collected garbage: call gc.freeze() after the first step and gc.disable(). Record with "
        "gc_detect_threshold to be sure.",
    ),
    "unaligned_transfers": _AdviceText(
        "{transfers} transfers over SDMA, {share:share} of them, have a size that is no multiple of {bytes} bytes "
        "(more than {threshold:share}).",
        "Pad buckets and shards to multiples of {bytes} bytes.",
    ),
    "bandwidth_contention": _AdviceText(
        "{operations} large operations reach less than {threshold:share} of {full} over SDMA while kernels run; the "
        "slowest is {name}, {rate}.",
        "Kernels and transfers share the bandwidth of the memory: move the operation beside kernels that compute more "
        "and load less, or do not overlap it with them.",
    ),
    "synchronized_norms": _AdviceText(
        "SyncBatchNorm ran {calls} times (more than {threshold}) and takes {share:share} of the time of operators.",
        "Each one waits for all ranks: use fewer of them, or BatchNorm with a larger batch.",
    ),
    "memory_calls": _AdviceText(
        "{calls} calls allocated or freed memory of the device, {time:time} in all (more than {threshold:time}).",
        "Keep memory in the pool: PYTORCH_NPU_ALLOC_CONF=expandable_segments:True, no empty_cache() in steps, "
        "stable shapes.",
    ),
    "stream_synchronization": _AdviceText(
        "The host waited for a stream {calls} times in {launches} launches, {share:share} ({threshold:share} or more).",
        "Remove .item(), .cpu() and prints of tensors from the step; unset ASCEND_LAUNCH_BLOCKING.",
    ),
    "small_packets": _AdviceText(
        "{share:share} of the packets over {link}, {packets}, are too small for its bandwidth (more than "
        "{threshold:share}).",
        "Use larger buckets, and merge small tensors before they are sent.",
    ),
    "retransmission": _AdviceText(
        "{operations} operations needed more than {threshold:time} for transfers between servers; the longest "
        "is {name}, {time:time}.",
        "Packets were probably lost: check switches, optical modules and HCCL_RDMA_TIMEOUT.",
    ),
    "processor_load": _AdviceText(
        "The processors of the host are {share:share} busy (more than {threshold:share}).",
        "Use fewer workers in the data pipeline, or a host with more processors.",
    ),
    "busy_workers": _AdviceText(
        "Each worker of {operations} uses more than {threshold:share} of a core.",
        "Raise num_parallel_workers of these operations.",
    ),
    "idle_workers": _AdviceText(
        "The workers of {operations} use less than {threshold:share} of a core each.",
        "Lower num_parallel_workers of these operations; the cores are free for others.",
    ),
    "vendor_finding": _AdviceText(
        "MindSpore's advisor found, by {model}: {text}", "Follow its finding; mindscope shows it unchanged."
    ),
    "memory_peak": _AdviceText(
        "The peak of {device} is {peak:size}, {share:share} of its memory (more than {threshold:share}).",
        "Use torch.utils.checkpoint, a smaller batch, bfloat16, or shard the optimizer state.",
    ),
    "leak": _AdviceText(
        "Each step leaves {growth:size} on {device} that nothing frees; most of it was allocated by {origin} (in "
        "all of {steps} steps, more than {threshold:size}).",
        "Do not keep tensors that have a graph: append loss.detach() or loss.item(), and clear lists and hooks.",
    ),
    "slow_rank": _AdviceText(
        "Rank {rank} is slow: without communication a step takes it {time:time}, the mean of all ranks is {mean:time} "
        "(difference to the fastest, rank {fastest}: {excess:share}, more than {threshold:share}). It computes for "
        "{cause_time:time}, the mean is {cause_mean:time}.",
        "Compare its operators with those of another rank: uneven batches or shapes, a slower device, a lower clock "
        "rate, another process on it.",
    ),
    "slow_host": _AdviceText(
        "Rank {rank} is slow, though it communicates little: without communication a step takes it {time:time}, the "
        "mean of all ranks is {mean:time} (difference to the fastest, rank {fastest}: {excess:share}, more than "
        "{threshold:share}). Most of it is {cause}: {cause_time:time}, the mean is {cause_mean:time}.",
        "Look at its host: data loading, Python work, garbage collection, logs and checkpoints of one rank only, "
        "load of its machine.",
    ),
    "straggler": _AdviceText(
        "The other ranks wait for rank {rank} in {count} of {steps} steps, {waiting:time} each, {share:share} of a "
        "step (more than {threshold:share}): it begins collectives {lateness:time} later.",
        "Open the timeline of rank {rank} before that collective, beside the one of another rank.",
    ),
    "slow_link": _AdviceText(
        "The {kind} link from rank {source} to rank {destination} has {bandwidth:.3g} GB/s, {below:share} below the "
        "mean of {mean:.3g} GB/s (more than {threshold:share}).",
        "Check cable, switch and network card between these ranks, and what else uses the link.",
    ),
    "rank_interval": _AdviceText(
        "The step interval of rank {rank} is {time:time}, {excess:share} above the mean of {mean:time} (more than "
        "{threshold:share}).",
        "Data preparation of this rank is slow: compare its data pipeline, storage and host with the others.",
    ),
    "rank_flops": _AdviceText(
        "Rank {rank} computes with {rate:flops}, {below:share} below the mean of all ranks, {mean:flops} "
        "(more than {threshold:share}).",
        "Compare clock rate, temperature and other processes of this device with the others, and the shapes and "
        "operators that it computes.",
    ),
    "stage_rank_flops": _AdviceText(
        "Rank {rank} computes with {rate:flops}, {below:share} below the mean of its pipeline stage, {mean:flops} "
        "(more than {threshold:share}).",
        "Compare clock rate, temperature and other processes of this device with the others, and the shapes and "
        "operators that it computes.",
    ),
    "ranks_communication": _AdviceText(
        "Over all ranks, communication that no computation hides is {share:share} of computation and communication "
        "(more than {threshold:share}); {waiting:share} of the time of collectives is waiting for other ranks.",
        "If most of it is waiting, balance the ranks. Else overlap communication, use larger buckets, accumulate "
        "gradients, or communicate in bfloat16.",
    ),
    "stage_waiting": _AdviceText(
        "Waits for other stages of the pipeline are {share:share} of computation and communication (more than "
        "{threshold:share}).",
        "Use more micro-batches, and split the layers so that stages take the same time.",
    ),
    "stage_communication": _AdviceText(
        "Communication within stage {stage} that no computation hides is {share:share} of its time (more than "
        "{threshold:share}).",
        "Change the parallel strategy of the operators in this stage, or overlap its communication.",
    ),
    "uneven_stages": _AdviceText(
        "Stage {stage} computes for {time:time}, {excess:share} above the mean of the stages, {mean:time} (more than "
        "{threshold:share}).",
        "Move layers from this stage to others.",
    ),
}
"""Texts of the advice. Units of figures, as ``:share`` and ``:time``, are those of ``profile/advice/advice.py``."""
