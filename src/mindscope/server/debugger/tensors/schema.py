# SPDX-License-Identifier: Apache-2.0
"""Messages about whole tensors of debugging data."""

from __future__ import annotations

from mindscope.server.tensors.schema import SliceFile


class DebugTensorFile(SliceFile):
    """A slice of a tensor of a step."""

    run: str
    source: str
    rank: int
    step: int
