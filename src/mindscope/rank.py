# SPDX-License-Identifier: Apache-2.0
"""The rank of this process in a distributed training, from its process group or the launcher's variables."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

_NAMED = re.compile(r"(rank_?|summary_dir)(\d{1,9})", re.ASCII)
_RANK = re.compile(r"(rank_?)\d{1,9}", re.ASCII)
_SLURM = "SLURM_PROCID"
_LAUNCHERS = (
    ("RANK_ID", "RANK_SIZE"),  # MindSpore, Ascend
    ("RANK", "WORLD_SIZE"),  # torchrun, accelerate, DeepSpeed
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),  # Open MPI
    ("MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"),  # MVAPICH
    ("PMI_RANK", "PMI_SIZE"),  # MPICH, Intel MPI
    ("PMIX_RANK", "SLURM_STEP_NUM_TASKS"),  # PMIx
    (_SLURM, "SLURM_STEP_NUM_TASKS"),  # srun; the batch script itself has a rank, but no number of tasks
)
"""Variables with the rank and the number of processes, by launcher. The first whose rank is a number counts."""


class Launch(NamedTuple):
    """The known facts of the processes that train together."""

    rank: int
    """Rank of this process; 0 if it is not known."""
    size: int | None
    """Number of processes; None if it is not known."""
    is_known: bool
    """Whether a process group or a launcher gives the rank."""

    @property
    def is_distributed(self) -> bool:
        """Whether there are other processes, as far as it is known."""
        return self.rank > 0 if self.size is None else self.size > 1


def current_launch(environ: Mapping[str, str]) -> Launch:
    """Return the launch as the process group of PyTorch says, if there is one; else as ``launch_of``."""
    processes: Any = sys.modules.get("torch.distributed")
    is_initialized = getattr(processes, "is_initialized", None)  # missing while another thread imports it
    if is_initialized is not None and processes.is_available() and is_initialized():
        return Launch(int(processes.get_rank()), int(processes.get_world_size()), True)
    return launch_of(environ)


def launch_of(environ: Mapping[str, str]) -> Launch:
    """Read the launch from the variables of a launcher.

    Those of Lightning, ``NODE_RANK`` and ``LOCAL_RANK``, come last.
    """
    for rank_name, size_name in _LAUNCHERS:
        rank, size = _number(environ, rank_name), _number(environ, size_name)
        if rank is not None and not (rank_name == _SLURM and size is None):
            return Launch(rank, size, True)
    return _launch_of_lightning(environ)


def _launch_of_lightning(environ: Mapping[str, str]) -> Launch:
    """Read the launch from the variables of Lightning.

    Only ``LOCAL_WORLD_SIZE`` says how many processes a node has; by default one.
    """
    node, local = _number(environ, "NODE_RANK") or 0, _number(environ, "LOCAL_RANK")
    rank = node * (_number(environ, "LOCAL_WORLD_SIZE") or 1) + (local or 0)
    return Launch(rank, _number(environ, "WORLD_SIZE"), node > 0 or local is not None)


def _number(environ: Mapping[str, str], name: str) -> int | None:
    text = environ.get(name, "")
    return int(text) if text.isdecimal() else None


def rank_id(environ: Mapping[str, str]) -> int:
    """Return the rank that the variables of a launcher give, else 0."""
    return launch_of(environ).rank


def rank_directory(run: Path, environ: Mapping[str, str]) -> Path:
    """Return ``run/rank_N`` if a launcher started several processes, else ``run``.

    It returns ``run`` too if its path names a rank already.
    """
    launch = launch_of(environ)
    is_named = any(_NAMED.fullmatch(part) for part in run.parts)
    return run / f"rank_{launch.rank}" if launch.is_known and launch.size != 1 and not is_named else run


def directory_of_rank(given: Path, launch: Launch) -> Path:
    """Return the directory in which a process records, if all processes may have been given the same one.

    ``given`` itself if the process is alone, or if a part of the path names its rank, such as ``rank_1``. ``rank_0``
    from before the processes met becomes that of this rank; any other path becomes ``given/rank_N``.
    """
    names = [match for part in given.parts if (match := _NAMED.fullmatch(part))]
    if not launch.is_distributed or any(int(match[2]) == launch.rank for match in names):
        return given
    sibling = _RANK.fullmatch(given.name)
    return given.with_name(f"{sibling[1]}{launch.rank}") if sibling else given / f"rank_{launch.rank}"
