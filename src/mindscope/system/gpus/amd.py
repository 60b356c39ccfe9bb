# SPDX-License-Identifier: Apache-2.0
"""Metrics of AMD's GPUs, which their driver shows as files.

Source: the Linux kernel's documentation of amdgpu and of hwmon.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

_CARDS = Path("/sys/class/drm")
_GIB = 2**30
_SENSORS = {
    "power1_average": ("power_watts", 1e6),
    "power1_input": ("power_watts", 1e6),
    "temp1_input": ("temperature_celsius", 1e3),
    "freq1_input": ("clock_mhz", 1e6),
    "freq2_input": ("memory_clock_mhz", 1e6),
}
"""Metric and divisor by the name of a sensor's file; a card has one of the two for its power."""


class AmdGpus:
    """The GPUs that the kernel shows, in their order."""

    def __init__(self, devices: list[Path]) -> None:
        self._devices = devices

    @staticmethod
    def find(cards: Path = _CARDS) -> AmdGpus | None:
        """Return the GPUs; None without any."""
        devices = [card / "device" for card in cards.glob("card[0-9]*") if card.name[4:].isdecimal()]
        devices = [device for device in devices if (device / "gpu_busy_percent").exists()]
        return AmdGpus(sorted(devices, key=lambda device: int(device.parent.name[4:]))) if devices else None

    def read(self) -> dict[str, float]:
        """Return utilization, memory, power, temperature and clocks of each GPU."""
        return {
            f"gpu{index}/{name}": value for index, device in enumerate(self._devices) for name, value in _read(device)
        }


def _read(device: Path) -> Iterator[tuple[str, float]]:
    busy = _number(device / "gpu_busy_percent")
    used, total = _number(device / "mem_info_vram_used"), _number(device / "mem_info_vram_total")
    if busy is not None:
        yield "utilization_percent", busy
    if used is not None:
        yield "memory_gib", used / _GIB
        if total:
            yield "memory_percent", 100 * used / total
    for monitor in sorted(device.glob("hwmon/hwmon*")):
        for file, (name, divisor) in _SENSORS.items():
            value = _number(monitor / file)
            if value is not None:
                yield name, value / divisor


def _number(path: Path) -> float | None:
    try:
        return float(path.read_text())
    except (OSError, ValueError):
        return None
