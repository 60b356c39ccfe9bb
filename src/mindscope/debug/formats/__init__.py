# SPDX-License-Identifier: Apache-2.0
"""Formats of debugging data, each in one module or folder.

To add a format: a module with a ``Format``, and a row here.
"""

from __future__ import annotations

from mindscope.artifacts.formats import Formats
from mindscope.debug.formats.debug_mode import DEBUG_MODE
from mindscope.debug.formats.mindspore_dump.dump import MINDSPORE_DUMP
from mindscope.debug.formats.msprobe.dump import MSPROBE
from mindscope.debug.formats.recorded_steps import RecordedSteps
from mindscope.debug.formats.tensor_dump_files import TENSOR_DUMP
from mindscope.store.contents import DEBUG_DATA_DEPTH

FORMATS: Formats[RecordedSteps] = Formats(
    rows=(MINDSPORE_DUMP, MSPROBE, DEBUG_MODE, TENSOR_DUMP),
    depth=DEBUG_DATA_DEPTH,
    nothing="{path} holds no debugging data: want one of {titles}",
    several="{path} holds {count} sets of debugging data, choose one: {paths}",
)
