# SPDX-License-Identifier: Apache-2.0
"""Reads what MindSpore from 2.3 on and torch_npu write: directories with ``ASCEND_PROFILER_OUTPUT``."""
