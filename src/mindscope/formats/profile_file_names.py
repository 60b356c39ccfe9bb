# SPDX-License-Identifier: Apache-2.0
"""Names of files that show a profile of MindSpore before 2.3, whatever their directory is called."""

from __future__ import annotations

import re

_DEVICE_TABLE = re.compile(
    r"(profiler_info|ascend_timeline_display|output_op_compute_time(_detail)?|aicore_intermediate|output_timeline_data|"
    r"hccl_raw|step_trace_raw|gpu_op_detail_info|gpu_activity_data|gpu_op_type_info|cpu_op_detail_info|cpu_op_type_info)"
    r"_\d{1,6}(_detail|_type|_detail_time)?\.(csv|txt|json)",
    re.ASCII,
)
"""Names that no other program gives."""


def is_device_table(name: str) -> bool:
    """Return whether this is the name of a table of what a device ran."""
    return _DEVICE_TABLE.fullmatch(name) is not None
