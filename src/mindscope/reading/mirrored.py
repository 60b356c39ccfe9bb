# SPDX-License-Identifier: Apache-2.0
"""The run of an archive or of a remote store, for what reads one run."""

from __future__ import annotations

import os
from pathlib import Path

from mindscope.ingest import find_runs
from mindscope.ingest.mirrored import mirrored_directory
from mindscope.storage.addresses import local_path, remote_address
from mindscope.storage.mirrors import copied_file


def mirrored_run(path: str | os.PathLike[str]) -> Path:
    """Return the local path of a run or file: of ``runs.mscope/first``, ``s3://bucket/run``, or a path as it is.

    Of an archive or a store with one run, it is the directory of that. Raises ArchiveError, StorageError,
    MissingPackageError.
    """
    directory = mirrored_directory(path)
    if directory is None:
        return local_path(path)
    address = remote_address(path)
    if address is not None and not any(directory.iterdir()) and (file := copied_file(address)) is not None:
        return file
    runs = list(find_runs(directory).runs)
    return directory / runs[0] if len(runs) == 1 else directory
