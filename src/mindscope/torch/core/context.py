# SPDX-License-Identifier: Apache-2.0
"""Settings of the process, chosen by ``set_context``."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from mindscope.debug.settings import RunningDataSettings, settings_from_environment
from mindscope.torch.core.print_file import PrintFile


@dataclass(slots=True)
class Context:
    """The settings that are in effect."""

    device: torch.device | None = None
    """Device to which a Model moves its network, None for the device of the network."""
    graphs_directory: Path | None = None
    """Directory of the graphs of the stages of compilation; None if they are not saved."""
    graphs_path: Path = Path()
    """The same directory, also while no graphs are saved."""
    running_data: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Entries of a configuration file for the running data recorder, in place of those of the environment."""
    print_file: PrintFile | None = None
    """File to which ``Print`` writes its values beside the screen; None for the screen only."""


CONTEXT = Context()


def running_data_settings() -> RunningDataSettings:
    """Return the settings of the environment, with the entries of the configuration file in place of theirs."""
    return settings_from_environment(os.environ).overridden(CONTEXT.running_data)
