# SPDX-License-Identifier: Apache-2.0
"""Contents of a run's directory other than event files."""

from __future__ import annotations

import os
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple


class ContentKind(str, Enum):
    """Type and writer of the content.

    ``ascend_profile``: by MindSpore 2.3 or later, or torch_npu. ``chrome_profile``: a trace in Chrome's format.
    ``memory_profile``: a history of CUDA's memory. ``tensor_dump``: files of MindSpore's operator TensorDump.
    ``debug_mode_log``: operators that PyTorch's DebugMode logged. ``embedding``: a list of embeddings for
    TensorBoard's projector. ``running_data``: what a running data recorder wrote when a training failed.
    ``flight_record``: the last collectives of a rank. ``log_file``: what a training printed, listed only of a
    directory that holds nothing else.
    """

    GRAPH_FILE = "graph_file"
    MINDSPORE_PROFILE = "mindspore_profile"
    ASCEND_PROFILE = "ascend_profile"
    CANN_PROFILE = "cann_profile"
    TORCH_PROFILE = "torch_profile"
    CHROME_PROFILE = "chrome_profile"
    XLA_PROFILE = "xla_profile"
    NSIGHT_PROFILE = "nsight_profile"
    MEMORY_PROFILE = "memory_profile"
    MINDSPORE_DUMP = "mindspore_dump"
    MSPROBE_DUMP = "msprobe_dump"
    TENSOR_DUMP = "tensor_dump"
    DEBUG_MODE_LOG = "debug_mode_log"
    EMBEDDING = "embedding"
    RUNNING_DATA = "running_data"
    FLIGHT_RECORD = "flight_record"
    LOG_FILE = "log_file"


DEBUG_DATA_DEPTH = 3
"""Directories below a run in which its dumps are searched."""
FAILURE_DEPTH = 8
"""Limit of the levels of directories in which running data and flight records are."""


@dataclass(frozen=True, slots=True, order=True)
class Content:
    """Files or directories of one kind: ``name`` is the path of the first, below the run's directory.

    ``version`` changes when one of them is written or replaced.
    """

    kind: ContentKind
    name: str
    count: int = 1
    version: int = 0


class ContentFacts(NamedTuple):
    """Facts about all contents of a run: they describe a run without event files.

    ``modified_at`` is the newest time, in seconds since 1970; None without contents. ``size_bytes`` is None if the size
    of one is unknown, as of a directory.
    """

    size_bytes: int | None = 0
    modified_at: float | None = None


class SettingsFile(NamedTuple):
    """A file of hyperparameters that another program wrote, and its state. A link has its own state."""

    path: str
    modified_ns: int
    changed_ns: int
    size_bytes: int

    @classmethod
    def of(cls, path: str, stat: os.stat_result) -> SettingsFile:
        return cls(path, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_size)
