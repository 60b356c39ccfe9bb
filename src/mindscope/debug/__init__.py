# SPDX-License-Identifier: Apache-2.0
"""Debugging aids for all frameworks: printed values and the running data recorder."""

from mindscope.debug.printing import value_text
from mindscope.debug.running_data import LastData, write_running_data
from mindscope.debug.settings import EnvironmentConfig, RunningDataSettings, read_config, settings_from_environment

__all__ = [
    "EnvironmentConfig",
    "LastData",
    "RunningDataSettings",
    "read_config",
    "settings_from_environment",
    "value_text",
    "write_running_data",
]
