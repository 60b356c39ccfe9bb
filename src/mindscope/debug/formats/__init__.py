# SPDX-License-Identifier: Apache-2.0
"""Formats of debugging data, each in one module or folder.

To add a format: a module with a ``DebugFormat``, and a line here.
"""

from __future__ import annotations

from mindscope.debug.formats.debug_format import DebugFormat
from mindscope.debug.formats.debug_mode import DEBUG_MODE
from mindscope.debug.formats.mindspore_dump.dump import MINDSPORE_DUMP
from mindscope.debug.formats.msprobe.dump import MSPROBE
from mindscope.debug.formats.tensor_dump_files import TENSOR_DUMP

FORMATS: tuple[DebugFormat, ...] = (MINDSPORE_DUMP, MSPROBE, DEBUG_MODE, TENSOR_DUMP)
"""The first one that recognizes a path reads it."""
