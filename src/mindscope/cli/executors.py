# SPDX-License-Identifier: Apache-2.0
"""Executors by name: processes of this machine, or the workers of a Ray or Dask cluster."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from enum import Enum
from multiprocessing import get_context
from typing import Any

from mindscope import landscape
from mindscope.cli.ray_cluster import ray_cluster
from mindscope.errors import MissingPackageError
from mindscope.reasons import Reason


class ExecutorName(str, Enum):
    """Names of executors."""

    LOCAL = "local"
    RAY = "ray"
    DASK = "dask"


@contextmanager
def executor_of(
    name: ExecutorName | None,
    workers: int | None,
    processes: Callable[[int | None], Executor],
    address: str | None = None,
) -> Generator[Executor | None]:
    """Yield the executor; None for this process, where neither a name nor several workers are given.

    ``processes`` makes the executor of this machine, ``address`` is that of a cluster, by default the one in the
    environment. Raises MissingPackageError where the package of a cluster is not installed.
    """
    if name is None and (workers or 1) == 1:
        yield None
    elif name is ExecutorName.RAY:
        yield from _ray(workers, address or os.environ.get("RAY_ADDRESS"))
    elif name is ExecutorName.DASK:
        yield from _dask(workers, address or os.environ.get("DASK_SCHEDULER_ADDRESS"))
    else:
        with processes(workers) as executor:
            try:
                yield executor
            finally:
                executor.shutdown(wait=True, cancel_futures=True)  # after Ctrl-C, begin no more tasks


def core_processes(workers: int | None) -> Executor:
    """Make a process for each core."""
    return ProcessPoolExecutor(workers or len(os.sched_getaffinity(0)), get_context("spawn"))


def device_processes(workers: int | None) -> Executor:
    """Make a process for each GPU, else for each core; with more workers than GPUs these share them."""
    import torch

    from mindscope.torch import landscapes

    devices = torch.cuda.device_count()
    count = workers or devices or len(os.sched_getaffinity(0))
    return landscapes.device_processes([number % (devices or count) for number in range(count)])


def _dask(workers: int | None, address: str | None) -> Iterator[Executor]:
    """Yield the cluster at an address; without one, processes of this machine with one thread each."""
    try:
        from distributed import Client  # pyright: ignore[reportMissingImports]
    except ImportError:
        raise MissingPackageError(Reason("executor_missing", executor="dask", package="distributed")) from None
    make: Any = Client
    local = {"n_workers": workers, "threads_per_worker": 1, "dashboard_address": None}
    with make(address) if address else make(**local) as client, client.get_executor() as executor:
        yield executor


def _ray(workers: int | None, address: str | None) -> Iterator[Executor]:
    """Yield the cluster at an address; without one, this machine."""
    with ray_cluster(address, workers):
        yield landscape.RayExecutor()
