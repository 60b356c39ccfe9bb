# SPDX-License-Identifier: Apache-2.0
"""Executors beside those of the standard library."""

from __future__ import annotations

import os
import sys
from concurrent.futures import wait
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mindscope.landscape.computation import compute
from mindscope.landscape.executors import ProcessEach, RayExecutor
from mindscope.landscape.grid import grid_around
from tests.landscape.evaluators import Counted, bowl, noting


def set_up(directory: Path, device: int) -> None:
    os.environ["DEVICE"] = str(device)
    (directory / f"{device} {os.getpid()}").touch()


def device() -> tuple[str, int]:
    return os.environ["DEVICE"], os.getpid()


def draw(executor: Any, factory: Any) -> None:
    *_, drawn = compute(grid_around(10), factory, executor=executor, full=True, points_per_task=3)
    np.testing.assert_allclose(drawn.z, bowl(*np.meshgrid(drawn.x, drawn.y)))  # type: ignore[arg-type]


def test_each_device_has_one_process_that_gets_its_share(tmp_path: Path) -> None:
    with ProcessEach([partial(set_up, tmp_path, number) for number in (3, 5)]) as executor:
        tasks = [executor.submit(device) for _ in range(6)]
        wait(tasks)
        found = {task.result() for task in tasks}
        assert {f"{number} {process}" for number, process in found} == {path.name for path in tmp_path.iterdir()}
        assert {number for number, _ in found} == {"3", "5"}
        (tmp_path / "notes").mkdir()
        draw(executor, noting(tmp_path / "notes"))
    assert {path.name for path in (tmp_path / "notes").iterdir()} <= {str(process) for _, process in found}


@pytest.mark.framework
def test_workers_of_a_dask_cluster_take_the_points() -> None:
    distributed: Any = pytest.importorskip("distributed", reason="Dask is not installed")
    with (
        distributed.LocalCluster(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        draw(client.get_executor(), Counted(bowl))


@pytest.mark.framework
def test_workers_of_a_ray_cluster_take_the_points(monkeypatch: pytest.MonkeyPatch) -> None:
    ray: Any = pytest.importorskip("ray", reason="Ray is not installed")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))  # for the workers
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    ray.init(num_cpus=2, include_dashboard=False, _node_ip_address="127.0.0.1")
    try:
        with RayExecutor() as executor:
            draw(executor, Counted(bowl))
    finally:
        ray.shutdown()
