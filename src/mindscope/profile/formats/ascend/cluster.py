# SPDX-License-Identifier: Apache-2.0
"""The directory of Ascend's cluster analysis as a profile: ranks are compared elsewhere, here are its tables."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from mindscope.artifacts.format import Format, Progress
from mindscope.artifacts.problems import Problems
from mindscope.profile.formats.ascend.further import FurtherFiles
from mindscope.profile.model.profile_data import Part, ProfileFacts
from mindscope.profile.profile import Profile

DIRECTORY = "cluster_analysis_output"
STEPS = "cluster_step_trace_time.csv"
_DEPTH = 4
"""Directories below the one that is searched."""


def is_cluster_output(path: Path) -> bool:
    """Return whether a directory holds a summary of a cluster."""
    return path.is_dir() and (path.name == DIRECTORY or (path / STEPS).is_file())


def find_cluster_outputs(directory: Path, depth: int = _DEPTH) -> Iterator[Path]:
    """Yield the directory if it holds a summary, and those below it that do. Links are not followed. Raises OSError."""
    if is_cluster_output(directory):
        yield directory
    for entry in sorted(directory.iterdir()) if depth else ():
        if entry.is_dir() and not entry.is_symlink():
            yield from find_cluster_outputs(entry, depth - 1)


def _read(path: Path, on_progress: Progress) -> Profile:
    problems = Problems()
    facts = ProfileFacts(
        name=path.name, path=str(path), format=CLUSTER_OUTPUT.name, properties={"problems": problems}
    )  # fmt: skip
    return Profile(facts, None, {Part.FURTHER_TABLES: FurtherFiles(path, problems).tables})


CLUSTER_OUTPUT = Format("ascend_cluster", "Ascend cluster analysis", is_cluster_output, _read)
"""The format of a cluster analysis. ``FORMATS`` lacks it: beside the profiles of the ranks it is no further profile."""
