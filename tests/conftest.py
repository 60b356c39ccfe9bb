# SPDX-License-Identifier: Apache-2.0
"""What holds for all tests."""

from __future__ import annotations

import os
import signal
import subprocess
from collections import Counter
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from xdist.remote import Producer
from xdist.workermanage import WorkerController

from tests import framework_workers
from tests.slow_tests import slow_tests
from tests.slowest import SETUP

# A busy machine is slow, which says nothing about the code. CI tries more examples, `make fuzz` new ones each time.
settings.register_profile(
    "tests",
    deadline=None,
    max_examples=int(os.environ.get("MINDSCOPE_EXAMPLES", "40")),
    derandomize="MINDSCOPE_RANDOM" not in os.environ,
)
settings.load_profile("tests")

os.environ["MINDSCOPE_SYSTEM_METRICS"] = "0"  # tests compare whole logs; those of these metrics switch them on
os.environ["MINDSCOPE_FILES"] = "0"  # likewise for the files of a run
os.environ.setdefault("OMP_NUM_THREADS", "1")  # idle threads of OpenMP spin, and tests run side by side


if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # of nohup or CI; tests press Ctrl-C in processes that inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)

HERE = Path(__file__).parent
SECONDS_EACH = ("browser", "framework", "scale", "slow")
"""Marks of tests that take seconds each."""
SLOW = slow_tests()


def pytest_itemcollected(item: pytest.Item) -> None:
    name = item.nodeid.split("[")[0]
    if name in SLOW or name.split("::")[0] in SLOW:
        item.add_marker(pytest.mark.slow)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
    """Adds the seconds of the fixtures to the report in JUnit's format, which slowest.py reads."""
    if call.when == "setup":
        item.user_properties.append((SETUP, f"{call.duration:.3f}"))
    return (yield)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with slow tests come first: at the end the others are dealt out until every process has enough."""
    doubled = [name for name, count in Counter(item.nodeid for item in items).items() if count > 1]
    if doubled:
        raise pytest.UsageError(f"several tests have one id, of which xdist runs one: {doubled}")
    slow = {item.path for item in items if any(item.get_closest_marker(name) for name in SECONDS_EACH)}
    items.sort(key=lambda item: (not takes_long_to_collect(item.path), item.path not in slow))


def takes_long_to_collect(path: Path) -> bool:
    return any(HERE / place in (path, *path.parents) for place in framework_workers.PLACES)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> framework_workers.FrameworksApart | None:
    return framework_workers.FrameworksApart(config, log) if framework_workers.is_whole_run(config) else None


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: WorkerController) -> None:
    worker, workers = node.workerinput["workerid"], node.workerinput["workercount"]
    node.workerinput["skips_frameworks"] = framework_workers.is_whole_run(node.config) and not (
        framework_workers.imports_frameworks(worker, workers)
    )


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    skips = getattr(config, "workerinput", {}).get("skips_frameworks", False)
    return True if skips and takes_long_to_collect(collection_path) else None


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Tests of a GPU run where there is one."""
    if item.get_closest_marker("gpu"):
        import torch

        if not torch.cuda.is_available():
            pytest.skip("there is no GPU")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 64 KiB."""
    place = tmp_path / "disk"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(place)]
    try:
        made = subprocess.run(command, capture_output=True, check=False)
    except FileNotFoundError:
        pytest.skip("there is no mount command")
    if made.returncode:
        pytest.skip("file systems can't be mounted here")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)
