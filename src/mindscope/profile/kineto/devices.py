# SPDX-License-Identifier: Apache-2.0
"""Names the devices of a trace of PyTorch, as tables call them before their number."""

from __future__ import annotations

from collections.abc import Mapping

from mindscope.profile.trace.argument_columns import NO_INTEGER
from mindscope.profile.trace.trace import Trace

CPU, _CUDA = 0, 1
GPU, UNKNOWN = "GPU", "device"
NAMES: Mapping[int, str] = {
    CPU: "CPU", _CUDA: GPU, 6: GPU, 9: "XLA", 12: "XPU", 13: "MPS", 15: "HPU", 17: "IPU", 19: "MTIA", 20: "NPU",
}  # fmt: skip
"""Names by PyTorch's ``DeviceType``. Traces of NPUs say ``PrivateUse1``, which is 20."""
_BY_CATEGORY = (("mtia", "MTIA"), ("hpu", "HPU"), ("xpu", "XPU"), ("privateuse1", "NPU"))
"""Prefixes of the categories of what these devices and their runtimes ran."""
KINDS: Mapping[str, str] = {GPU: "cuda", "MTIA": "mtia", "HPU": "hpu", "XPU": "xpu", "NPU": "npu"}
"""Names of PyTorch's devices."""


def device_kind_of(trace: Trace) -> str:
    """Return the kind of the devices whose kernels a trace has; ``GPU`` where no category says another kind."""
    categories = [category.lower() for category in trace.categories]
    return next(
        (name for prefix, name in _BY_CATEGORY if any(category.startswith(prefix) for category in categories)), GPU
    )


def device_name(type: int, number: int, gpu: str = GPU) -> str:
    """Return ``CPU``, ``GPU 0``, ``device 0`` for one of an unknown type.

    ``type`` and ``number`` may be ``NO_INTEGER``.

    ``gpu`` is what devices of CUDA's type are called, as which readers of other formats store theirs.
    """
    if type == NO_INTEGER:
        return UNKNOWN if number < 0 else f"{UNKNOWN} {number}"
    name = gpu if type == _CUDA else NAMES.get(type, f"device type {type}")
    return name if type == CPU else f"{name} {max(number, 0)}"
