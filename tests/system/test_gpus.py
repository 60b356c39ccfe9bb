# SPDX-License-Identifier: Apache-2.0
"""Metrics of devices. No GPU is here: NVML is a library of the test behind the real binding; AMD's files and Ascend's
tool are made as their documents show them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from mindscope.system.gpus.amd import AmdGpus
from mindscope.system.gpus.ascend import AscendNpus
from mindscope.system.gpus.nvidia import NvidiaGpus

READ = """
import json, os
os.environ["FAKE_PID"] = str(os.getpid())
from mindscope.system.gpus.nvidia import NvidiaGpus
gpus = NvidiaGpus.find()
print(json.dumps(None if gpus is None else gpus.read()))
"""


@pytest.fixture(scope="module")
def nvml(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("nvml")
    source = Path(__file__).with_name("nvml.c")
    command = ["cc", "-shared", "-fPIC", "-w", "-o", str(directory / "libnvidia-ml.so.1"), str(source)]
    subprocess.run(command, check=True)
    return directory


def read(nvml: Path, **variables: str) -> dict[str, float] | None:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CUDA_")}
    environment = {**kept, "LD_LIBRARY_PATH": str(nvml), **variables}
    done = subprocess.run([sys.executable, "-c", READ], env=environment, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def test_nvidia_gpus_have_all_metrics(nvml: Path):
    metrics = read(nvml)
    assert metrics is not None
    assert {name: value for name, value in metrics.items() if name.startswith("gpu1/")} == {
        "gpu1/utilization_percent": 41, "gpu1/memory_gib": 5, "gpu1/memory_percent": 6.25,
        "gpu1/process_memory_gib": 3, "gpu1/power_watts": 250.5, "gpu1/temperature_celsius": 61,
        "gpu1/clock_mhz": 1980, "gpu1/memory_clock_mhz": 2619,
    }  # fmt: skip
    assert {name.partition("/")[0] for name in metrics} == {"gpu0", "gpu1"}


@pytest.mark.parametrize(
    ("visible", "devices"),
    [("1", {"gpu1"}), ("1,0", {"gpu0", "gpu1"}), ("GPU-2222", {"gpu1"}), ("MIG-33333333-cccc", {"gpu0.mig5"}),
     ("0,7,1", {"gpu0"}), ("", None), ("-1", None), ("GPU-9", None)],
)  # fmt: skip
def test_only_visible_nvidia_gpus_count(nvml: Path, visible: str, devices: set[str] | None):
    metrics = read(nvml, CUDA_VISIBLE_DEVICES=visible)
    assert (metrics and {name.partition("/")[0] for name in metrics}) == devices


def test_an_instance_has_its_own_memory_and_the_power_of_its_gpu(nvml: Path):
    metrics = read(nvml, CUDA_VISIBLE_DEVICES="MIG-33333333-cccc")
    assert metrics is not None
    assert metrics["gpu0.mig5/memory_percent"] == 50
    assert metrics["gpu0.mig5/power_watts"] == 250.5
    assert "gpu0.mig5/utilization_percent" not in metrics


def test_unlike_gpus_in_an_unknown_order_all_count(nvml: Path):
    by_speed = read(nvml, CUDA_VISIBLE_DEVICES="1", FAKE_MIXED="1")
    assert by_speed is not None
    assert {name.partition("/")[0] for name in by_speed} == {"gpu0", "gpu1"}
    by_bus = read(nvml, CUDA_VISIBLE_DEVICES="1", FAKE_MIXED="1", CUDA_DEVICE_ORDER="PCI_BUS_ID")
    assert by_bus is not None
    assert {name.partition("/")[0] for name in by_bus} == {"gpu1"}


@pytest.mark.skipif(Path("/dev/nvidia0").exists(), reason="has a driver of NVIDIA")
def test_a_machine_without_devices_has_none():
    assert NvidiaGpus.find() is None
    assert AmdGpus.find(Path("/nonexistent")) is None


def test_amd_gpus_are_read_from_the_files_of_their_driver(tmp_path: Path):
    for card, busy in (("card10", 93), ("card2", 12)):
        device = tmp_path / card / "device"
        monitor = device / "hwmon" / "hwmon3"
        monitor.mkdir(parents=True)
        (device / "gpu_busy_percent").write_text(f"{busy}\n")
        (device / "mem_info_vram_used").write_text(f"{16 << 30}\n")
        (device / "mem_info_vram_total").write_text(f"{64 << 30}\n")
        (monitor / "power1_average").write_text("301000000\n")
        (monitor / "temp1_input").write_text("57000\n")
        (monitor / "freq1_input").write_text("1700000000\n")
        (monitor / "freq2_input").write_text("not a number\n")
    (tmp_path / "card0-HDMI-A-1").mkdir()
    (tmp_path / "card0" / "device").mkdir(parents=True)  # of another maker
    gpus = AmdGpus.find(tmp_path)
    assert gpus is not None
    metrics = gpus.read()
    assert (metrics["gpu0/utilization_percent"], metrics["gpu1/utilization_percent"]) == (12, 93)
    assert {name: value for name, value in metrics.items() if name.startswith("gpu1/")} == {
        "gpu1/utilization_percent": 93, "gpu1/memory_gib": 16, "gpu1/memory_percent": 25, "gpu1/power_watts": 301,
        "gpu1/temperature_celsius": 57, "gpu1/clock_mhz": 1700,
    }  # fmt: skip


TOOL = """#!/bin/sh
line() { printf '\\t%-31s: %s\\n' "$1" "$2"; }
case "$*" in
"info -l") line 'Total Count' 1; echo; line 'NPU ID' 4; line 'Chip Count' 2 ;;
"info -t usages -i 4")
    line 'HBM Usage Rate(%)' 37
    line 'Aicore Usage Rate(%)' 90
    line 'Aicore Usage Rate(%)' 95 ;;
"info -t power -i 4") line 'Power Dissipation(W)' 312.4; line 'Chip ID' 0 ;;
*) echo 'failed: NA' >&2; exit 1 ;;
esac
"""


def test_ascend_npus_are_read_from_their_tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    tool = tmp_path / "npu-smi"
    tool.write_text(TOOL)
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    npus = AscendNpus.find()
    assert npus is not None
    assert npus.read() == {"npu4/utilization_percent": 95, "npu4/memory_percent": 37, "npu4/power_watts": 312.4}


def test_a_tool_that_fails_gives_no_metrics(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    tool = tmp_path / "npu-smi"
    tool.write_text("#!/bin/sh\nexit 3\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    assert AscendNpus.find() is None
