# SPDX-License-Identifier: Apache-2.0
"""Rules about devices: how busy they are, launches, copies, tensor cores."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.advice.advice import Advice
from mindscope.profile.model.optional_parts import part_of, slowest, slowest_steps, steps_of
from mindscope.profile.model.profile_data import Part
from mindscope.profile.profile import Profile
from mindscope.profile.tables.communication import Communication
from mindscope.profile.tables.kernels import TENSOR_CORE_CAPABILITY, Kernels
from mindscope.profile.tables.operators import Operators
from mindscope.profile.tables.steps import Steps
from mindscope.profile.tables.streams import Streams
from mindscope.table.columns import integers_of

DEVICE_USE = 0.5
"""TensorBoard's profiler plugin: of the time of all steps."""
SHORT_SHARE = 0.5
"""Ours: of the kernels of a stream, shorter than their launch."""
SYNCHRONIZATION_SHARE = 0.1
"""Ours: of the time of all steps."""
COPY_SHARE = 0.01
"""Ours: of the time of all steps, for copies of pageable memory."""
_ELIGIBLE = re.compile(
    r"_?(cudnn_|slow_|thnn_)?conv(?!\w*(bias|depthwise))\w*|"
    r"_?((scaled_|grouped_|scaled_grouped_|int_)?mm|bmm|addmm|addmm_activation|addbmm|baddbmm|linear|matmul|bilinear)"
    r"(_backward)?|_?(cudnn_rnn|lstm|gru|rnn_tanh|rnn_relu)(?!\w*flatten)\w*|"
    r"_?(scaled_dot_product|flash|efficient|cudnn)\w*attention\w*"
)
"""Operators of TensorBoard's profiler plugin, also as cuDNN and the backward pass call them. Sums of a bias, and
convolutions of single channels, are no matrix products.
"""
_SYNCHRONIZATION = re.compile(r"aten::(item|_local_scalar_dense|nonzero|is_nonzero)|cuda\w*Synchronize")


def low_device_use(profile: Profile) -> Iterator[Advice]:
    """The device is idle for most of a step."""
    steps = steps_of(profile)
    if steps is None or steps.device_busy is None:
        return
    whole = int(steps.duration.sum())
    share = int(steps.device_busy.sum()) / whole if whole else 1.0
    if share < DEVICE_USE:
        host = _host_wait_share(profile)
        yield Advice(
            code="low_device_use" if host is None else "host_bound" if host > 0.5 else "low_device_use",
            values={"share": share, "threshold": DEVICE_USE, "host_wait": host or 0.0},
            threshold=DEVICE_USE, part=Part.STEPS,
            rows=slowest_steps(profile, steps.duration - steps.device_busy), share=1 - share,
        )  # fmt: skip


def _host_wait_share(profile: Profile) -> float | None:
    """Return the share of the waits of all streams."""
    streams = part_of(profile, Part.STREAMS, Streams)
    if streams is None:
        return None
    whole = int((streams.host_wait + streams.kernel_wait + streams.other_wait).sum())
    return int(streams.host_wait.sum()) / whole if whole else None


def short_kernels(profile: Profile) -> Iterator[Advice]:
    """Launching kernels takes longer than running them."""
    streams = part_of(profile, Part.STREAMS, Streams)
    if streams is None or not streams.launches.sum():
        return
    share = int(streams.short.sum()) / int(streams.launches.sum())
    if share > SHORT_SHARE:
        rows = np.flatnonzero(streams.short > SHORT_SHARE * streams.launches)
        yield Advice(
            code="short_kernels",
            values={"share": share, "kernels": int(streams.short.sum()), "threshold": SHORT_SHARE},
            threshold=SHORT_SHARE, part=Part.STREAMS, rows=integers_of(rows),
        )  # fmt: skip


def synchronization(profile: Profile) -> Iterator[Advice]:
    """The host waits for the device, as in ``loss.item()``."""
    steps = part_of(profile, Part.STEPS, Steps)
    operators = part_of(profile, Part.OPERATORS, Operators)
    if steps is None or steps.device_busy is None or operators is None or operators.host_self is None:
        return
    rows = np.flatnonzero(operators.name.is_any_of(lambda text: bool(_SYNCHRONIZATION.fullmatch(text))))
    share = _share_of_steps(profile, steps, operators.host_total, rows[_is_item(operators)[rows]])
    if share > SYNCHRONIZATION_SHARE:
        yield Advice(
            code="synchronization", values={"share": share, "threshold": SYNCHRONIZATION_SHARE},
            threshold=SYNCHRONIZATION_SHARE, part=Part.OPERATORS, rows=integers_of(rows), share=share,
        )  # fmt: skip


def _is_item(operators: Operators) -> NDArray[np.bool_]:
    """Return whether a call is ``aten::item``; it calls ``aten::_local_scalar_dense``, and only the inner one
    counts.
    """
    return operators.name.is_any_of(lambda text: text != "aten::item")


def _share_of_steps(profile: Profile, steps: Steps, times: NDArray[np.int64] | None, rows: NDArray[np.int64]) -> float:
    whole = int(steps.duration.sum())
    return int(times[rows].sum()) / whole if whole and times is not None else 0.0


def copies_of_pageable_memory(profile: Profile) -> Iterator[Advice]:
    """Batches are copied from memory that is not pinned."""
    steps, kernels = part_of(profile, Part.STEPS, Steps), part_of(profile, Part.KERNELS, Kernels)
    if steps is None or kernels is None:
        return
    rows = np.flatnonzero(kernels.name.is_any_of(lambda text: "Pageable" in text and "HtoD" in text))
    share = _share_of_steps(profile, steps, kernels.total, rows)
    if share > COPY_SHARE:
        yield Advice(
            code="pageable_copies", values={"share": share, "threshold": COPY_SHARE}, threshold=COPY_SHARE,
            part=Part.KERNELS, rows=integers_of(rows), share=share,
        )  # fmt: skip


def no_tensor_cores(profile: Profile) -> Iterator[Advice]:
    """A device with tensor cores runs matrix products without them."""
    kernels = part_of(profile, Part.KERNELS, Kernels)
    operators = part_of(profile, Part.OPERATORS, Operators)
    capability = max((_number(device.properties.get("computeMajor")) for device in profile.devices), default=0)
    if kernels is None or kernels.core is None or operators is None or capability < TENSOR_CORE_CAPABILITY:
        return
    if kernels.core.is_any_of(bool).any():
        return
    device_self = operators.self_time if operators.device_self is None else operators.device_self
    rows = np.flatnonzero(operators.type.is_any_of(lambda text: bool(_ELIGIBLE.fullmatch(text))) & (device_self > 0))
    if len(rows):
        share = min(int(device_self[rows].sum()) / max(int(kernels.without_copies.total.sum()), 1), 1.0)
        yield Advice(
            code="no_tensor_cores", values={"share": share, "capability": capability, "threshold": 0}, threshold=0,
            part=Part.OPERATORS, rows=integers_of(rows), share=share,
        )  # fmt: skip


def data_parallel(profile: Profile) -> Iterator[Advice]:
    """``DataParallel`` over several devices."""
    operators = part_of(profile, Part.OPERATORS, Operators)
    devices = [device for device in profile.devices if device.kind != "cpu"]
    if operators is None or operators.module is None or len(devices) < 2:
        return
    rows = np.flatnonzero(operators.module.is_any_of(lambda text: re.search(r"(^|/)DataParallel_\d", text) is not None))
    if len(rows):
        yield Advice(
            code="data_parallel", values={"devices": len(devices), "threshold": 2}, threshold=2, part=Part.OPERATORS,
            rows=integers_of(rows),
        )  # fmt: skip


def other_backend(profile: Profile) -> Iterator[Advice]:
    """Ranks with CUDA devices communicate by another backend than NCCL."""
    found = profile.facts.properties.get("distributedInfo")
    backend = cast("dict[str, Any]", found).get("backend") if isinstance(found, dict) else None
    has_cuda = any(device.kind == "cuda" for device in profile.devices)
    if isinstance(backend, str) and has_cuda and backend and "nccl" not in backend.lower():
        operations = part_of(profile, Part.COMMUNICATION, Communication)
        yield Advice(
            code="other_backend", values={"backend": backend, "threshold": 0}, threshold=0, part=Part.COMMUNICATION,
            rows=[] if operations is None else slowest(operations.duration, len(operations)),
        )  # fmt: skip


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0
