# SPDX-License-Identifier: Apache-2.0
"""The rank of this process in a distributed training, from the launcher's variables."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

_RANK = re.compile(r"(rank_?|summary_dir)\d{1,9}", re.ASCII)
_NAMES = ("RANK_ID", "RANK", "OMPI_COMM_WORLD_RANK")


def rank_id(environ: Mapping[str, str]) -> int:
    """``RANK_ID``, else torchrun's ``RANK``, else Open MPI's ``OMPI_COMM_WORLD_RANK``, else 0."""
    return next((int(environ[name]) for name in _NAMES if environ.get(name, "").isdecimal()), 0)


def rank_directory(run: Path, environ: Mapping[str, str]) -> Path:
    """``run/rank_N`` if a launcher started this process, else ``run``; also if the path names a rank already."""
    is_launched = any(environ.get(name, "").isdecimal() for name in _NAMES)
    is_named = any(_RANK.fullmatch(part) for part in run.parts)
    return run / f"rank_{rank_id(environ)}" if is_launched and not is_named else run
