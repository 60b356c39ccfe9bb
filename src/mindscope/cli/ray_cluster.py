# SPDX-License-Identifier: Apache-2.0
"""The Ray cluster that a command uses."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from mindscope.errors import MissingPackageError, UsageError
from mindscope.reasons import Reason


@contextmanager
def ray_cluster(address: str | None, cpus: int | None) -> Generator[Any]:
    """Connect to the cluster of an address, else of RAY_ADDRESS, else start one on this machine; yield ``ray``.

    Raises MissingPackageError without Ray, UsageError if no cluster answers.
    """
    try:
        import ray  # pyright: ignore[reportMissingImports]
    except ImportError:
        raise MissingPackageError(Reason("executor_missing", executor="ray", package="ray")) from None
    ray: Any = ray
    local = {"num_cpus": cpus, "include_dashboard": False, "_node_ip_address": "127.0.0.1"}
    given = address or os.environ.get("RAY_ADDRESS")
    try:
        ray.init(log_to_driver=False, **({"address": given} if given else local))
    except Exception as error:  # Ray raises many, also Exception itself
        what = f"no Ray cluster answers at {given}" if given else "Ray can't start a cluster on this machine"
        raise UsageError(f"{what}: {error}; give --address or RAY_ADDRESS of a cluster that runs") from None
    try:
        yield ray
    finally:
        ray.shutdown()
