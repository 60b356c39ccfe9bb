# SPDX-License-Identifier: Apache-2.0
"""An index that a cluster makes, whose workers and nodes end meanwhile, is the one that this process makes."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

from bench.scalar_logs import scalar_records
from mindscope.cli.executors import ExecutorName, core_processes, executor_of
from mindscope.indexing import Manifest, build_index
from tests.server.live_viewer import free_port

from .indexed import from_index, indexed, parquet_bytes

pytestmark = pytest.mark.framework

RUNS, POINTS = 24, 40_000
NAME = "events.out.tfevents.1700000000.host"


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs that take a worker a while."""
    base = tmp_path_factory.mktemp("runs")
    step = np.arange(POINTS)
    for number in range(RUNS):
        run = base / f"run_{number}"
        run.mkdir()
        with (run / NAME).open("wb") as file:
            file.writelines(scalar_records(["a", "b"], step, 1.7e9 + step, np.sin(step * (number + 1))))
    return base


@pytest.fixture(scope="module")
def local(base: Path, tmp_path_factory: pytest.TempPathFactory) -> Manifest:
    """The index that this process makes."""
    return indexed(base, tmp_path_factory.mktemp("local")).manifest


def check(base: Path, place: Path, local: Manifest, name: ExecutorName, address: str, events: dict[int, Any]) -> None:
    """Index on a cluster; ``events`` are called after so many tasks."""

    def on_progress(done: int, total: int) -> None:
        assert total > len(events) + 2
        events.pop(done, lambda: None)()

    report = build_index(
        base, place, partial(executor_of, name, None, core_processes, address), on_progress=on_progress
    )
    assert not events
    assert not report.problems
    assert parquet_bytes(report.manifest) == parquet_bytes(local)
    shown, scanned_bytes = from_index(base, place)
    assert scanned_bytes == 0
    assert shown.keys() == {f"run_{number}" for number in range(RUNS)}
    again = build_index(base, place, partial(executor_of, name, None, core_processes, address))
    assert (again.decoded, again.manifest) == (0, report.manifest)


def kill_worker(is_worker: Callable[[list[str]], bool]) -> None:
    """Kill a worker, a busy one if there is one."""
    children = psutil.Process().children(recursive=True)
    found = [child for child in children if child.is_running() and is_worker(child.cmdline())]
    assert found
    found.sort(key=lambda child: "run_task" not in child.cmdline()[0])
    os.kill(found[0].pid, signal.SIGKILL)


def started_node(cluster: Any, **options: Any) -> Any:
    """A node with one worker. With given ports, Ray does not wait 15 s for its agents, which a busy machine exceeds."""
    names = ("metrics_agent_port", "metrics_export_port", "dashboard_agent_listen_port", "runtime_env_agent_port")
    return cluster.add_node(num_cpus=1, **{name: free_port() for name in names}, **options)


def test_nodes_of_a_ray_cluster_may_fail(
    base: Path, local: Manifest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("ray", reason="Ray is not installed")
    cluster_utils: Any = pytest.importorskip("ray.cluster_utils")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))  # for the workers
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    cluster = cluster_utils.Cluster()
    try:
        try:
            started_node(cluster, include_dashboard=False)
            node = started_node(cluster)
            cluster.wait_for_nodes()
        except Exception as error:  # Ray gives its agents 15 s, which a busy machine exceeds
            pytest.skip(f"Ray does not start two nodes on this machine: {error}")
        events = {
            1: lambda: kill_worker(lambda command: command[:1] != [] and command[0].startswith("ray::")),
            3: lambda: cluster.remove_node(node),
        }
        check(base, tmp_path / "place", local, ExecutorName.RAY, cluster.address, events)
    finally:
        cluster.shutdown()


def test_workers_of_a_dask_cluster_may_fail(
    base: Path, local: Manifest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    distributed: Any = pytest.importorskip("distributed", reason="Dask is not installed")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))  # for the workers
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        events = {1: lambda: kill_worker(lambda command: "--multiprocessing-fork" in command)}
        check(base, tmp_path / "place", local, ExecutorName.DASK, cluster.scheduler_address, events)
