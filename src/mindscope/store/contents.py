# SPDX-License-Identifier: Apache-2.0
"""What the directory of a run holds beside event files."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class ContentKind(str, Enum):
    """Who wrote it, and what it is. ``ascend_profile``: by MindSpore 2.3 or later, or torch_npu."""

    GRAPH_FILE = "graph_file"
    MINDSPORE_PROFILE = "mindspore_profile"
    ASCEND_PROFILE = "ascend_profile"
    CANN_PROFILE = "cann_profile"
    TORCH_PROFILE = "torch_profile"
    XLA_PROFILE = "xla_profile"


@dataclass(frozen=True, slots=True, order=True)
class Content:
    """Files or directories of one kind: ``name`` is the first one's, below the run's directory; ``count`` of them."""

    kind: ContentKind
    name: str
    count: int = 1
