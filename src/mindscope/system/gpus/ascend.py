# SPDX-License-Identifier: Apache-2.0
"""Metrics of Ascend NPUs by the tool ``npu-smi`` of their driver."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator

_TIMEOUT_S = 5.0
_LINE = re.compile(r"^\s*(?P<name>.+?)\s*:\s*(?P<value>-?[\d.]+)\s*$", re.MULTILINE)
_METRICS = {
    "Aicore Usage Rate(%)": "utilization_percent",
    "HBM Usage Rate(%)": "memory_percent",
    "Power Dissipation(W)": "power_watts",
    "Temperature(C)": "temperature_celsius",
    "Temperature (C)": "temperature_celsius",
    "NPU Real-time Power(W)": "power_watts",
}
_QUERIES = ("usages", "power", "temp")


class AscendNpus:
    """The NPUs that the tool lists."""

    def __init__(self, tool: str, numbers: list[int]) -> None:
        self._tool, self._numbers = tool, numbers

    @staticmethod
    def find() -> AscendNpus | None:
        """Return the NPUs; None without the tool, or where it lists none."""
        tool = shutil.which("npu-smi")
        if tool is None:
            return None
        numbers = [int(value) for name, value in _lines(tool, "-l") if name == "NPU ID"]
        return AscendNpus(tool, numbers) if numbers else None

    def read(self) -> dict[str, float]:
        """Return utilization, memory, power and temperature of each NPU; of several chips the highest value."""
        values: dict[str, float] = {}
        for number in self._numbers:
            for query in _QUERIES:
                for name, value in _lines(self._tool, "-t", query, "-i", str(number)):
                    if name in _METRICS:
                        key = f"npu{number}/{_METRICS[name]}"
                        values[key] = max(values.get(key, value), value)
        return values


def _lines(tool: str, *arguments: str) -> Iterator[tuple[str, float]]:
    try:
        done = subprocess.run(
            [tool, "info", *arguments], capture_output=True, timeout=_TIMEOUT_S, stdin=subprocess.DEVNULL, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return
    for match in _LINE.finditer(done.stdout.decode("utf-8", "replace")):
        try:
            yield match["name"], float(match["value"])
        except ValueError:
            continue
