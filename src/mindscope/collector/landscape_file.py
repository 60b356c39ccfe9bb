# SPDX-License-Identifier: Apache-2.0
"""``train_metadata.json``: what a collector kept for landscapes, and how they are to be drawn."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from mindscope.collector.landscape import LEAST_INTERVAL, LandscapeSettings, check_landscape, complete
from mindscope.errors import CheckpointNotFoundError, FormatError

DIRECTORY = "ckpt_dir"
NAME = "train_metadata.json"
MOST_NUMBER = 2**31 - 1
"""Largest step or epoch of a path in an event file."""


@dataclass(frozen=True, slots=True)
class LandscapeFile:
    """The settings, the checkpoints by step or epoch, and the steps of an epoch.

    Checkpoints are paths relative to the directory of the file. MindSpore's are absolute, since its own
    ``SummaryLandscape`` opens them as they are, and refuses a file with further keys.
    """

    path: Path
    settings: LandscapeSettings
    checkpoints: Mapping[int, str]
    step_per_epoch: int

    @property
    def run(self) -> Path:
        """The directory of the run."""
        return self.path.parent.parent

    def checkpoint(self, number: int) -> Path:
        """Return the checkpoint of a step or epoch; where the directory was moved, the one beside this file.

        Raises CheckpointNotFoundError where it is in neither place.
        """
        recorded = Path(self.checkpoints[number])
        for path in (self.path.parent / recorded, self.path.parent / recorded.name):
            if path.is_file():
                return path
        raise CheckpointNotFoundError(
            f"{recorded}: checkpoint of {self.settings.unit} {number} is not there, and not beside {self.path}"
        )

    def replace(self, given: Any) -> LandscapeFile:
        """Return a copy with the given settings, a dict or None.

        Raises as ``check_landscape``, and ValueError where given intervals have no checkpoint for a step or epoch.
        """
        changed = replace(self, settings=check_landscape(given, self.settings) or self.settings)
        missing = changed.missing
        if given and "intervals" in given and missing:
            raise ValueError(
                f"{self.path}: intervals hold {missing}, of which there is no checkpoint; want some of "
                f"{sorted(self.checkpoints)}"
            )
        return changed

    @property
    def missing(self) -> list[int]:
        """Steps or epochs of the intervals of which there is no checkpoint, as where the training was shorter."""
        return sorted({each for interval in self.settings.intervals for each in interval} - set(self.checkpoints))

    def kept_intervals(self) -> list[tuple[int, ...]]:
        """Return the intervals as far as they were kept, without those that are too short to span a plane."""
        cut = [tuple(each for each in interval if each in self.checkpoints) for interval in self.settings.intervals]
        return [interval for interval in cut if len(interval) >= LEAST_INTERVAL]

    def last_kept(self) -> int:
        """Return the last step or epoch of the intervals that was kept. Raises ValueError where none was."""
        kept = [each for interval in self.settings.intervals for each in interval if each in self.checkpoints]
        if not kept:
            raise ValueError(
                f"{self.path}: no checkpoint of the intervals was kept, only of {sorted(self.checkpoints)}; give "
                "intervals of these"
            )
        return kept[-1]

    def write(self) -> None:
        """Write the file in one piece."""
        unfinished = self.path.with_name(f"{NAME}.part")
        unfinished.write_text(json.dumps(self.settings.metadata(self.checkpoints, self.step_per_epoch)), "utf-8")
        unfinished.replace(self.path)


def read_landscape_file(summary_dir: Path) -> LandscapeFile:
    """Return the file of a run.

    Raises:
        CheckpointNotFoundError: a collector kept nothing there.
        FormatError: it is not what a collector writes.
    """
    path = summary_dir / DIRECTORY / NAME
    if not path.is_file():
        raise CheckpointNotFoundError(
            f"{path}: no such file; first train with a collector that keeps weights for landscapes"
        )
    try:
        data: dict[str, Any] = json.loads(path.read_text("utf-8"))
        given = {name: data[name] for name in ("landscape_size", "unit", "create_landscape", "num_samples")}
        intervals = [list(interval) for interval in data["epoch_group"].values()]
        checkpoints = {_number(number): str(file) for number, file in data["model_params_file_map"].items()}
        settings = complete(given | {"intervals": intervals}, LandscapeSettings())
        return LandscapeFile(path, settings, checkpoints, int(data["step_per_epoch"]))
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise FormatError(f"{path}: {type(error).__name__}: {error}; want what a SummaryCollector writes") from error


def _number(text: str) -> int:
    """Return a step or epoch. Raises ValueError."""
    number = int(text)
    if not 0 <= number <= MOST_NUMBER:
        raise ValueError(f"a checkpoint is of step or epoch {number}, want 0 to {MOST_NUMBER}")
    return number
