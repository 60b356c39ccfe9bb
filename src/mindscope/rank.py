# SPDX-License-Identifier: Apache-2.0
"""The rank of this process in a distributed training, from the launcher's variables."""

from __future__ import annotations

from collections.abc import Mapping

_NAMES = ("RANK_ID", "RANK", "OMPI_COMM_WORLD_RANK")


def rank_id(environ: Mapping[str, str]) -> int:
    """``RANK_ID``, else torchrun's ``RANK``, else Open MPI's ``OMPI_COMM_WORLD_RANK``, else 0."""
    return next((int(environ[name]) for name in _NAMES if environ.get(name, "").isdecimal()), 0)
