# SPDX-License-Identifier: Apache-2.0
"""The directory of Ascend's cluster analysis as a profile: ranks are compared elsewhere, here are its tables."""

from __future__ import annotations

from pathlib import Path

from mindscope.artifacts.format import Format, Progress
from mindscope.artifacts.formats import Formats
from mindscope.artifacts.problems import Problems
from mindscope.profile.formats.ascend.further import FurtherFiles
from mindscope.profile.model.profile_data import Part, ProfileFacts
from mindscope.profile.profile import Profile

DIRECTORY = "cluster_analysis_output"
STEPS = "cluster_step_trace_time.csv"


def is_cluster_output(path: Path) -> bool:
    """Return whether a directory holds a summary of a cluster."""
    return path.is_dir() and (path.name == DIRECTORY or (path / STEPS).is_file())


def _read(path: Path, on_progress: Progress) -> Profile:
    problems = Problems()
    facts = ProfileFacts(
        name=path.name, path=str(path), format=CLUSTER_OUTPUT.name, properties={"problems": problems}
    )  # fmt: skip
    return Profile(facts, None, {Part.FURTHER_TABLES: FurtherFiles(path, problems).tables})


CLUSTER_OUTPUT = Format("ascend_cluster", "Ascend cluster analysis", is_cluster_output, _read, holds=Path.is_dir)
"""The format of a cluster analysis. ``FORMATS`` lacks it: beside the profiles of the ranks it is no further profile."""
CLUSTER_OUTPUTS: Formats[Profile] = Formats((CLUSTER_OUTPUT,), depth=4)
