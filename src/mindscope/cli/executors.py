# SPDX-License-Identifier: Apache-2.0
"""Executors by name: processes of this machine, or the workers of a Ray or Dask cluster."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from enum import Enum
from typing import Any

from mindscope import landscape
from mindscope.errors import MissingPackageError
from mindscope.torch import landscapes


class ExecutorName(str, Enum):
    """Names of executors."""

    PROCESS = "process"
    RAY = "ray"
    DASK = "dask"


@contextmanager
def executor_of(name: ExecutorName | None, workers: int | None) -> Generator[Executor | None]:
    """Yield the executor; None for this process, where neither a name nor several workers are given.

    Raises MissingPackageError where the package of a cluster is not installed.
    """
    if name is None and (workers or 1) == 1:
        yield None
    elif name is ExecutorName.RAY:
        yield from _ray(workers)
    elif name is ExecutorName.DASK:
        yield from _dask(workers)
    else:
        with _processes(workers) as executor:
            try:
                yield executor
            finally:
                executor.shutdown(wait=True, cancel_futures=True)  # after Ctrl-C, begin no more tasks


def _processes(workers: int | None) -> Executor:
    """Make a process for each GPU, else for each core; with more workers than GPUs these share them."""
    import torch

    devices = torch.cuda.device_count()
    count = workers or devices or len(os.sched_getaffinity(0))
    return landscapes.device_processes([number % (devices or count) for number in range(count)])


def _dask(workers: int | None) -> Iterator[Executor]:
    """Yield the cluster of DASK_SCHEDULER_ADDRESS; without one, processes of this machine with one thread each."""
    try:
        from distributed import Client  # pyright: ignore[reportMissingImports]
    except ImportError:
        raise MissingPackageError("dask is not there, and --executor dask needs it; pip install distributed") from None
    make: Any = Client
    address = os.environ.get("DASK_SCHEDULER_ADDRESS")
    local = {"n_workers": workers, "threads_per_worker": 1, "dashboard_address": None}
    with make(address) if address else make(**local) as client, client.get_executor() as executor:
        yield executor


def _ray(workers: int | None) -> Iterator[Executor]:
    """Yield the cluster of RAY_ADDRESS; without one, this machine."""
    try:
        import ray  # pyright: ignore[reportMissingImports]
    except ImportError:
        raise MissingPackageError("ray is not there, and --executor ray needs it; pip install ray") from None

    cluster: Any = ray
    local = {"num_cpus": workers, "include_dashboard": False, "_node_ip_address": "127.0.0.1"}
    cluster.init(**({} if "RAY_ADDRESS" in os.environ else local))
    try:
        yield landscape.RayExecutor()
    finally:
        cluster.shutdown()
