# SPDX-License-Identifier: Apache-2.0
"""Debugging aids for all frameworks: printed values and the running data recorder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mindscope.lazy_names import lazy_names

if TYPE_CHECKING:
    from mindscope.debug.compare import Tolerance as Tolerance
    from mindscope.debug.first_bad import unfinished_step as unfinished_step
    from mindscope.debug.logs.print_index import printed_text as printed_text
    from mindscope.debug.printing import value_text
    from mindscope.debug.running_data import LastData, write_running_data
    from mindscope.debug.settings import EnvironmentConfig, RunningDataSettings, read_config, settings_from_environment
    from mindscope.debug.watchpoints import Problem as Problem
    from mindscope.debug.watchpoints import evaluate_watchpoints as evaluate_watchpoints
    from mindscope.debug.watchpoints import parse_watchpoint as parse_watchpoint
    from mindscope.debug.watchpoints import recommended_watchpoints as recommended_watchpoints

__all__ = [
    "EnvironmentConfig",
    "LastData",
    "RunningDataSettings",
    "read_config",
    "settings_from_environment",
    "value_text",
    "write_running_data",
]

__getattr__ = lazy_names(
    __name__,
    {
        "mindscope.debug.compare": "Tolerance",
        "mindscope.debug.first_bad": "unfinished_step",
        "mindscope.debug.logs.print_index": "printed_text",
        "mindscope.debug.printing": "value_text",
        "mindscope.debug.running_data": "LastData write_running_data",
        "mindscope.debug.settings": "EnvironmentConfig RunningDataSettings read_config settings_from_environment",
        "mindscope.debug.watchpoints": "Problem evaluate_watchpoints parse_watchpoint recommended_watchpoints",
    },
)
