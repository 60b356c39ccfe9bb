# SPDX-License-Identifier: Apache-2.0
"""The weights that a collector keeps for loss landscapes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mindscope.collector.framework import Framework
from mindscope.collector.landscape import LandscapeSettings
from mindscope.collector.landscape_file import DIRECTORY, NAME, LandscapeFile


class LandscapeCheckpoints:
    """Checkpoints of a training in ``ckpt_dir`` of its directory, and the file that lists them."""

    def __init__(self, summary_dir: Path, settings: LandscapeSettings, framework: Framework) -> None:
        self._directory = summary_dir / DIRECTORY
        self._settings = settings
        self._framework = framework
        self._files: dict[int, str] = {}
        """By step or epoch."""

    def keep(self, unit: str, number: int, params: Any) -> None:
        """Keep the weights, if they are due after this step or epoch. Raises what writing them raises."""
        name = self._framework.network_name(params) if self._settings.is_due(unit, number) else None
        if name is None:
            return
        file = self._directory / f"{name}_{number}_{unit}.ckpt"
        self._directory.mkdir(parents=True, exist_ok=True)
        self._framework.write_weights(params, file)
        self._files[number] = str(file)
        self.write_file(params)  # now, so that a killed training has one

    def write_file(self, params: Any) -> None:
        """Write what is kept, and how many steps an epoch has, as far as the loop knows. Raises OSError."""
        if self._files:
            LandscapeFile(self._directory / NAME, self._settings, self._files, params.get("batch_num") or 0).write()
