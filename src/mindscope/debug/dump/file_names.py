# SPDX-License-Identifier: Apache-2.0
"""Names of the files of a dump.

``{type}.{operator}.{task}.{stream}.{timestamp}.{input|output}.{slot}.{format}.{dtype}.npy``, as MindSpore 2.10 writes
them: task and stream are 0, the timestamp has microseconds since 1970.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

STATISTICS = "statistic.csv"
MAPPING = "mapping.csv"
PARAMETER = "Parameter"
"""The type of weights."""
INPUT, OUTPUT = "input", "output"
_LONGEST = 255  # bytes of a file name in most file systems
_NOT_IN_NAMES = re.compile(r"[./\\ ,\"\x00-\x1f\x7f]")  # the last ones would break a line of a CSV file


@dataclass(frozen=True, slots=True)
class TensorName:
    """A tensor of a dump."""

    type: str
    """Type of its operator."""
    full_name: str
    """Full name of its operator, with ``/`` between scopes; of a parameter, its name."""
    timestamp: int
    """Microseconds since 1970."""
    role: str
    """``input`` or ``output``"""
    slot: int
    dtype: str
    """Name of the dtype, such as ``Float32``, also where the file has another one."""

    @property
    def file_name(self) -> str:
        """May be longer than a file system allows."""
        type, operator = plain_name(self.type), plain_name(self.full_name)
        return f"{type}.{operator}.0.0.{self.timestamp}.{self.role}.{self.slot}.DefaultFormat.{self.dtype}.npy"


def plain_name(name: str) -> str:
    """Return a name as file names hold it."""
    return _NOT_IN_NAMES.sub("_", name).encode("utf-8", "replace").decode("utf-8")


def is_too_long(file_name: str) -> bool:
    """Return whether a file system refuses the name."""
    return len(file_name.encode("utf-8")) > _LONGEST


def random_file_name() -> str:
    """Return a name in place of one that is too long; ``mapping.csv`` has both."""
    return f"{random.SystemRandom().randrange(10**15, 10**18)}.npy"  # leaves the seeds of the training alone
