# SPDX-License-Identifier: Apache-2.0
"""The settings of a viewer, built once where a process starts and passed down."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Settings:
    """What a viewer serves and where. ``reload_interval`` is in seconds; 0 loads the logs once."""

    summary_base_dir: Path
    workspace: Path
    host: str = "127.0.0.1"
    port: int = 8080
    reload_interval: float = 3.0
