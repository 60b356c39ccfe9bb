# SPDX-License-Identifier: Apache-2.0
"""Advice in words from the tables of a profile. CONTRIBUTING.md says how to add a rule."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from mindscope.profile.advice.advice import Advice
from mindscope.profile.advice.ascend_rules import (
    bound_kernels,
    free_time,
    frequency_drop,
    garbage_collection,
    quiet_host,
    slow_ai_cpu,
    synchronized_norms,
    unaligned_transfers,
    unbound_kernels,
)
from mindscope.profile.advice.code_rules import item_calls, logging_calls, python_code, small_operators
from mindscope.profile.advice.data_rules import (
    slow_batches,
    slow_data,
    slow_queues,
    step_interval,
)
from mindscope.profile.advice.device_rules import (
    copies_of_pageable_memory,
    data_parallel,
    low_device_use,
    no_tensor_cores,
    other_backend,
    short_kernels,
    synchronization,
)
from mindscope.profile.advice.host_rules import (
    bandwidth_contention,
    memory_calls,
    processor_load,
    retransmission,
    small_packets,
    stream_synchronization,
)
from mindscope.profile.advice.memory_rules import leak, memory_peak
from mindscope.profile.advice.pipeline_rules import (
    empty_input,
    pipeline_workers,
    slow_consumer,
    slow_pipeline_operations,
    slow_reading,
    summarized_bottleneck,
)
from mindscope.profile.advice.step_rules import communication, uneven_steps
from mindscope.profile.advice.vendor_rules import vendor_findings
from mindscope.profile.profile import Profile

__all__ = ["Advice", "advise"]

RULES: tuple[Callable[[Profile], Iterator[Advice]], ...] = (
    slow_data, slow_batches, step_interval, slow_queues, slow_pipeline_operations, slow_reading, slow_consumer,
    empty_input, summarized_bottleneck, pipeline_workers, logging_calls, item_calls, python_code, small_operators,
    communication, low_device_use,
    short_kernels, synchronization, copies_of_pageable_memory, no_tensor_cores, data_parallel, other_backend,
    uneven_steps, memory_peak, leak, free_time, slow_ai_cpu, unbound_kernels, bound_kernels, frequency_drop,
    garbage_collection, synchronized_norms, memory_calls, stream_synchronization, small_packets, retransmission,
    processor_load, vendor_findings, quiet_host, unaligned_transfers, bandwidth_contention,
)  # fmt: skip


def advise(profile: Profile) -> list[Advice]:
    """Advise what to change, by the share of time that it concerns, the greatest first; then what concerns no time."""
    return sorted((each for rule in RULES for each in rule(profile)), key=lambda each: -each.share)
