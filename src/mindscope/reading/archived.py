# SPDX-License-Identifier: Apache-2.0
"""The run of an archive, for what reads one run."""

from __future__ import annotations

import os
from pathlib import Path

from mindscope.ingest import find_runs
from mindscope.ingest.archives import directory_in_archive


def run_in_archive(path: str | os.PathLike[str]) -> Path | None:
    """Return the directory of a run in an archive: ``runs.mscope/first``, or the only run of ``runs.mscope``.

    Of an archive with several runs, it is the directory that holds them; None for another path. Raises ArchiveError.
    """
    directory = directory_in_archive(path)
    if directory is None:
        return None
    runs = list(find_runs(directory).runs)
    return directory / runs[0] if len(runs) == 1 else directory
