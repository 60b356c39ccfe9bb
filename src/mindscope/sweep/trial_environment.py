# SPDX-License-Identifier: Apache-2.0
"""What a process of a trial knows about it: its environment variables, which ``init`` and the writers read."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

DIRECTORY = "MINDSCOPE_TRIAL_DIR"
PARAMETERS = "MINDSCOPE_TRIAL_PARAMETERS"
SWEEP = "MINDSCOPE_SWEEP"
HYPER_CONFIG = "MINDINSIGHT_HYPER_CONFIG"


@dataclass(frozen=True, slots=True)
class TrialEnvironment:
    """A trial: the directory of its run, its parameters, nested, and the name of its sweep."""

    directory: Path
    parameters: Mapping[str, Any]
    sweep: str

    def variables(self) -> dict[str, str]:
        """Return the environment variables, with the one that MindInsight's optimizer set."""
        hyper = {
            "params": self.parameters, "summary_dir": str(self.directory), "custom_lineage_data": {"sweep": self.sweep},
        }  # fmt: skip
        return {
            DIRECTORY: str(self.directory), PARAMETERS: json.dumps(self.parameters), SWEEP: self.sweep,
            HYPER_CONFIG: json.dumps(hyper),
        }  # fmt: skip


def trial_environment() -> TrialEnvironment | None:
    """Return the trial of this process; None outside of a sweep."""
    directory = os.environ.get(DIRECTORY)
    if not directory:
        return None
    try:
        parameters: Any = json.loads(os.environ.get(PARAMETERS, "{}"))
    except ValueError:
        parameters = {}
    given = cast("dict[str, Any]", parameters) if isinstance(parameters, dict) else {}
    return TrialEnvironment(Path(directory), given, os.environ.get(SWEEP, ""))
