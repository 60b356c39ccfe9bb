# SPDX-License-Identifier: Apache-2.0
"""Rank and size of the process group."""

from __future__ import annotations

from os import PathLike, environ
from pathlib import Path

from torch import distributed as processes

from mindscope.rank import current_launch, directory_of_rank


def init(backend_name: str | None = None) -> None:
    """Have this process meet those that train together, as torchrun started them.

    Args:
        backend_name: ``nccl``, ``gloo``, ...; what torch takes for this machine if None.

    Raises:
        RuntimeError: the process was not started by torchrun or another launcher, or the backend is not there.
    """
    if "RANK" not in environ:
        raise RuntimeError("environment has no RANK, want what a launcher sets; start with torchrun")
    processes.init_process_group(backend_name)


def release() -> None:
    """Leave the other processes."""
    processes.destroy_process_group()


def get_rank() -> int:
    """Return the number of this process among those that train together; 0 where it is the only one.

    Before ``init_process_group`` it is what the launcher says in the environment: torchrun, srun, mpirun, Lightning.
    """
    return current_launch(environ).rank


def get_group_size() -> int:
    """Return the number of processes that train together."""
    return current_launch(environ).size or 1


def parallel_mode() -> str:
    """Return ``stand_alone`` or ``data_parallel``."""
    return "data_parallel" if get_group_size() > 1 else "stand_alone"


def rank_directory(directory: str | PathLike[str]) -> Path:
    """Return ``directory/rank_N``, where process N records: the directories of one run are siblings.

    Doesn't create it.
    """
    return Path(directory) / f"rank_{get_rank()}"


def own_directory(shared: Path) -> Path:
    """Return the directory of this process, if others were handed the same directory: as ``directory_of_rank``."""
    return directory_of_rank(shared, current_launch(environ))
