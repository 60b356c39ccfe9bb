# SPDX-License-Identifier: Apache-2.0
"""The package and its viewer beside the pins of others: the protobuf of MindSpore, of TensorFlow, and an old one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from mindscope import SummaryRecord
from tests.server.live_viewer import eventually, free_port

pytestmark = [pytest.mark.framework, pytest.mark.timeout(1200)]
ROOT = Path(__file__).parents[2]
SETS = {
    "old protobuf": ["protobuf==3.20.*", "numpy==1.26.*"],
    "as TensorFlow": ["protobuf==5.29.*", "numpy<2.2", "ml-dtypes>=0.4,<0.5", "typing-extensions<5", "absl-py", "six"],
}
"""What else is installed; versions are those that MindInsight and TensorFlow 2.18 ask for."""
USE = """
import sys, numpy, google.protobuf, mindscope
with mindscope.SummaryRecord(sys.argv[1] + "/second") as record:
    record.add_value("scalar", "loss", 0.5)
    record.add_value("histogram", "weights", numpy.arange(10.0))
    record.add_value("image", "input", numpy.zeros((2, 3, 8, 8)))
    record.record(1)
run = mindscope.open_run(sys.argv[1] + "/second")
first = mindscope.open_run(sys.argv[1] + "/first")
print(google.protobuf.__version__, float(run.scalars("loss").value[0]), len(first.scalars("loss").value))
"""


def requirements() -> list[str]:
    """What the package asks for without extras."""
    wanted = [Requirement(each) for each in metadata.requires("mindscope") or []]
    return [str(each) for each in wanted if each.marker is None or each.marker.evaluate({"extra": ""})]


@pytest.fixture(scope="module")
def environments(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The Python of each set, with everything that the package asks for, resolved together with the set."""
    base = tmp_path_factory.mktemp("environments")
    installing: dict[str, subprocess.Popen[str]] = {}
    for name, pins in SETS.items():
        directory = base / name.replace(" ", "_")
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(directory)], check=True)
        python = directory / "bin" / "python"
        command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", str(python), "install"]
        command += ["--quiet", "--no-compile", *pins, *requirements()]
        installing[name] = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    pythons: dict[str, Path] = {}
    for name, process in installing.items():
        shown, _ = process.communicate(timeout=900)
        if "NewConnectionError" in shown or "Temporary failure in name resolution" in shown:
            pytest.skip("there is no package index")
        assert process.returncode == 0, shown[-3000:]
        pythons[name] = base / name.replace(" ", "_") / "bin" / "python"
        (site,) = pythons[name].parents[1].glob("lib/python*/site-packages")
        (site / "mindscope.pth").write_text(str(ROOT / "src"))
    return pythons


@contextmanager
def viewer(python: Path, base: Path) -> Iterator[str]:
    """The address of a viewer that this Python runs."""
    port = free_port()
    flags = ["--foreground", "--port", str(port), "--summary-base-dir", str(base), "--workspace", str(base / "work")]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MINDSCOPE_")}
    environment |= {"HOME": str(base), "XDG_STATE_HOME": str(base / "state"), "XDG_CACHE_HOME": str(base / "cache")}
    process = subprocess.Popen([str(python), "-m", "mindscope", "start", *flags], env=environment)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(timeout=200)


def runs_of(address: str) -> list[str]:
    try:
        with urllib.request.urlopen(f"{address}/api/runs", timeout=60) as answer:
            return sorted(run["id"] for run in json.load(answer)["runs"])
    except OSError:
        return []


def record_first(base: Path) -> None:
    with SummaryRecord(base / "first") as record:
        for step in range(5):
            record.add_value("scalar", "loss", 1 / (step + 1))
            record.record(step)


@pytest.mark.parametrize("name", SETS)
def test_package_and_viewer_run_beside_the_set(name: str, environments: dict[str, Path], tmp_path: Path) -> None:
    python = environments[name]
    record_first(tmp_path)
    done = subprocess.run(
        [str(python), "-I", "-c", USE, str(tmp_path)], capture_output=True, text=True, check=False, timeout=280
    )
    assert done.returncode == 0, done.stderr
    protobuf, value, count = done.stdout.split()
    assert Requirement(SETS[name][0]).specifier.contains(protobuf.removeprefix("v"))
    assert (float(value), int(count)) == (0.5, 5)
    with viewer(python, tmp_path) as address:
        eventually(lambda: runs_of(address) == ["first", "second"])


def test_package_and_viewer_run_beside_mindspore(tmp_path: Path) -> None:
    mindspore = pytest.importorskip("mindspore")
    assert Version(metadata.version("protobuf")) >= Version("7.34")
    assert Version(mindspore.__version__) >= Version("2.10")
    for each in requirements():
        wanted = Requirement(each)
        assert wanted.specifier.contains(metadata.version(wanted.name), prereleases=True), each
    record_first(tmp_path)
    with viewer(Path(sys.executable), tmp_path) as address:
        eventually(lambda: runs_of(address) == ["first"])
