# SPDX-License-Identifier: Apache-2.0
"""Executors for landscapes: one process a device, and the workers of a Ray cluster."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from multiprocessing import get_context
from threading import Lock
from typing import Any, cast

Setup = Callable[[], None]


class ProcessEach(Executor):
    """A process for each of several devices; a task goes to the process with the fewest.

    Args:
        setups: called once in their process, as with ``functools.partial(set_device, 3)``; functions of modules.
    """

    def __init__(self, setups: Sequence[Setup]) -> None:
        context = get_context("spawn")  # a forked process can't use the device of its parent
        self._pools = [ProcessPoolExecutor(1, context, initializer=setup) for setup in setups]
        self._waiting = [0] * len(self._pools)
        """Tasks of each process; under ``_lock``, because they end on threads of the pools."""
        self._lock = Lock()
        self._max_workers = len(self._pools)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Run ``fn`` in one of the processes."""
        with self._lock:
            pool = self._waiting.index(min(self._waiting))
            self._waiting[pool] += 1
        future = self._pools[pool].submit(fn, *args, **kwargs)
        future.add_done_callback(lambda _: self._leave(pool))
        return future

    def _leave(self, pool: int) -> None:
        with self._lock:
            self._waiting[pool] -= 1

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes."""
        for pool in self._pools:
            pool.shutdown(wait, cancel_futures=cancel_futures)


class RayExecutor(Executor):
    """The workers of the Ray cluster that this process is connected to by ``ray.init``.

    Args:
        options: of ``ray.remote``, such as ``num_gpus=1``.

    Raises:
        ImportError: Ray is not installed.
    """

    def __init__(self, **options: Any) -> None:
        import ray  # pyright: ignore[reportMissingImports]

        cluster: Any = ray
        self._remote = cluster.remote(**options) if options else cluster.remote
        self._max_workers = int(cluster.cluster_resources().get("CPU", 1))

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Run ``fn`` on a worker of the cluster."""
        return self._remote(fn).remote(*args, **kwargs).future()


def check_device_ids(device_ids: Any) -> list[int]:
    """Return the argument ``device_ids`` of ``SummaryLandscape``; none for None. Raises TypeError and ValueError."""
    accepted = "want a list of whole numbers from 0, or None"
    if device_ids is None:
        return []
    devices: list[Any] = [*cast("list[Any]", device_ids)] if isinstance(device_ids, (list, tuple)) else [None]
    if any(type(each) is not int for each in devices):
        raise TypeError(f"device_ids is {type(cast(Any, device_ids)).__name__} {device_ids!r}, {accepted}")
    if any(device < 0 for device in devices):
        raise ValueError(f"device_ids is {devices}, {accepted}")
    return devices
