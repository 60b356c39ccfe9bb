# SPDX-License-Identifier: Apache-2.0
"""Metrics of NVIDIA's GPUs by NVML, its management library, which comes with the driver.

Source: the reference of NVML. Utilization is the share of time in which at least one kernel ran.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, cast

import pynvml

_GIB = 2**30
_Reading = Callable[["_Gpu"], Mapping[str, float]]


class _Gpu(NamedTuple):
    name: str
    """Its name in metrics: ``gpu0``, numbered as ``nvidia-smi`` does, whatever the process sees."""
    handle: Any
    whole: Any
    """The GPU itself, for what a MIG instance does not tell."""


class NvidiaGpus:
    """The GPUs that this process may use."""

    def __init__(self, gpus: list[_Gpu]) -> None:
        self._gpus = gpus

    @staticmethod
    def find() -> NvidiaGpus | None:
        """Return the GPUs; None without a driver, or where none is visible."""
        try:
            pynvml.nvmlInit()
            gpus = _visible()
        except (pynvml.NVMLError, OSError, AttributeError):
            return None
        return NvidiaGpus(gpus) if gpus else None

    def read(self) -> dict[str, float]:
        """Return utilization, memory, power, temperature and clocks of each GPU."""
        return {f"{gpu.name}/{name}": value for gpu in self._gpus for name, value in _read(gpu).items()}


def _read(gpu: _Gpu) -> dict[str, float]:
    values: dict[str, float] = {}
    for reading in _READINGS:
        try:
            values |= reading(gpu)
        except (pynvml.NVMLError, OSError, AttributeError):
            continue
    return values


def _utilization(gpu: _Gpu) -> Mapping[str, float]:
    return {"utilization_percent": float(pynvml.nvmlDeviceGetUtilizationRates(gpu.handle).gpu)}


def _memory(gpu: _Gpu) -> Mapping[str, float]:
    memory: Any = pynvml.nvmlDeviceGetMemoryInfo(gpu.handle)
    used, total = float(memory.used), float(memory.total)
    return {"memory_gib": used / _GIB} | ({"memory_percent": 100 * used / total} if total else {})


def _own_memory(gpu: _Gpu) -> Mapping[str, float]:
    # in a container, numbers of processes may be those of the host: then this process is not among them
    processes = cast("list[Any]", pynvml.nvmlDeviceGetComputeRunningProcesses(gpu.handle))
    for process in processes:
        if process.pid == os.getpid() and process.usedGpuMemory is not None:
            return {"process_memory_gib": float(process.usedGpuMemory) / _GIB}
    return {}


def _power(gpu: _Gpu) -> Mapping[str, float]:
    return {"power_watts": pynvml.nvmlDeviceGetPowerUsage(gpu.whole) / 1e3}


def _temperature(gpu: _Gpu) -> Mapping[str, float]:
    return {"temperature_celsius": float(pynvml.nvmlDeviceGetTemperature(gpu.whole, pynvml.NVML_TEMPERATURE_GPU))}


def _clock(gpu: _Gpu) -> Mapping[str, float]:
    return {"clock_mhz": float(pynvml.nvmlDeviceGetClockInfo(gpu.whole, pynvml.NVML_CLOCK_SM))}


def _memory_clock(gpu: _Gpu) -> Mapping[str, float]:
    return {"memory_clock_mhz": float(pynvml.nvmlDeviceGetClockInfo(gpu.whole, pynvml.NVML_CLOCK_MEM))}


_READINGS: tuple[_Reading, ...] = (
    _utilization, _memory, _own_memory, _power, _temperature, _clock, _memory_clock
)  # fmt: skip


def _visible() -> list[_Gpu]:
    """Return the GPUs that CUDA shows to this process, or all where that can't be told."""
    handles = [pynvml.nvmlDeviceGetHandleByIndex(index) for index in range(pynvml.nvmlDeviceGetCount())]
    gpus = [_Gpu(f"gpu{index}", handle, handle) for index, handle in enumerate(handles)]
    choice = os.environ.get("CUDA_VISIBLE_DEVICES")
    if choice is None:
        return gpus
    by_uuid = {str(pynvml.nvmlDeviceGetUUID(gpu.handle)): gpu for gpu in gpus}
    if (uuids := _uuids_of_torch()) is not None:
        return [by_uuid[uuid] for uuid in uuids if uuid in by_uuid]
    chosen: list[_Gpu] = []
    for entry in choice.split(","):
        gpu = _gpu_of(entry.strip(), gpus, by_uuid)
        if gpu is None:  # CUDA ignores this entry and all behind it
            break
        chosen.append(gpu)
    return gpus if any(gpu.name == "" for gpu in chosen) else chosen


_UNKNOWN = _Gpu("", None, None)


def _gpu_of(entry: str, gpus: list[_Gpu], by_uuid: Mapping[str, _Gpu]) -> _Gpu | None:
    """Return the GPU of an entry; None for one that CUDA refuses, and an unknown GPU where CUDA's order is unknown."""
    if entry.startswith("MIG-"):
        return _instance(entry, gpus)
    if entry.startswith("GPU-"):
        matches = [gpu for uuid, gpu in by_uuid.items() if uuid.startswith(entry)]
        return matches[0] if len(matches) == 1 else None
    if not entry.isdecimal() or int(entry) >= len(gpus):
        return None
    # CUDA numbers by speed, unless it is told to follow the bus as NVML does; equal GPUs have one speed
    is_bus_order = os.environ.get("CUDA_DEVICE_ORDER") == "PCI_BUS_ID"
    if is_bus_order or len({str(pynvml.nvmlDeviceGetName(gpu.handle)) for gpu in gpus}) == 1:
        return gpus[int(entry)]
    return _UNKNOWN


def _instance(uuid: str, gpus: list[_Gpu]) -> _Gpu | None:
    """Return a MIG instance, whose memory is its own and whose power is that of its GPU."""
    try:
        handle = pynvml.nvmlDeviceGetHandleByUUID(uuid)
        whole = pynvml.nvmlDeviceGetDeviceHandleFromMigDeviceHandle(handle)
        number = pynvml.nvmlDeviceGetIndex(whole)
        instance = pynvml.nvmlDeviceGetGpuInstanceId(handle)
    except pynvml.NVMLError:
        return None
    return _Gpu(f"{gpus[number].name}.mig{instance}", handle, whole)


def _uuids_of_torch() -> list[str] | None:
    """Return the GPUs of a PyTorch that uses CUDA already; None otherwise, because asking would start CUDA."""
    cuda = getattr(sys.modules.get("torch"), "cuda", None)
    try:
        if cuda is None or not cuda.is_initialized():
            return None
        return [f"GPU-{cuda.get_device_properties(index).uuid}" for index in range(cuda.device_count())]
    except (AttributeError, RuntimeError, AssertionError):
        return None
