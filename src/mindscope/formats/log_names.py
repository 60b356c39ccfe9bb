# SPDX-License-Identifier: Apache-2.0
"""Names of files that hold what a program printed or logged, and of files that hold source code."""

from __future__ import annotations

import re

_LOG = re.compile(
    r".*\.log(\.[\w.-]+)?|.*\.(out|err)|(nohup|stdout|stderr|output)(\..*)?|slurm[-_].*|train.*\.txt|.*[-_.]logs?\.txt|log\.txt",
    re.IGNORECASE,
)
_NO_TEXT = re.compile(r".*\.(gz|xz|zst|bz2|zip|npy|pb|json|csv|lock|part)", re.IGNORECASE)
_OF_JOB = re.compile(r"slurm-\d+(_\d+)?([-.][\w.-]*)?\.(out|err|log)", re.ASCII)
_TEXT_FILE = re.compile(r"train(?!.*log)[^.]*\.txt", re.IGNORECASE)
_OF_TOOL = re.compile(
    r"(access|npm|yarn|pnpm|pip3?|conda|apt|dpkg|cmake|config|build|make|ninja|install|compile|pytest|jupyter|mindscope|texput)\w*"
    r"([-_.].*)?",
    re.IGNORECASE | re.ASCII,
)
_SOURCE = re.compile(
    r".*\.(py|ipynb|c|cc|cpp|cu|cuh|h|hpp|go|java|jl|js|lua|r|rb|rs|scala|tex|ts|tsx)|(readme|license|licence|changelog)(\..*)?|"
    r"(gnu)?makefile|cmakelists\.txt|dockerfile|pyproject\.toml|setup\.cfg|requirements.*\.txt|environment\.ya?ml|"
    r"package\.json|cargo\.toml|\.git(ignore)?|\.hg|\.svn",
    re.IGNORECASE | re.ASCII,
)


def is_log_name(name: str) -> bool:
    """Return whether the directory of a run may hold a log of this name."""
    return _LOG.fullmatch(name) is not None and _NO_TEXT.fullmatch(name) is None and "tfevents" not in name


def is_job_log_name(name: str) -> bool:
    """Return whether only Slurm gives a file this name: ``slurm-JOB.out``, ``slurm-JOB_TASK.err``."""
    return _OF_JOB.fullmatch(name) is not None


def is_training_log_name(name: str) -> bool:
    """Return whether a log of this name is that of a training, as far as a name can say.

    Names that package managers and builds use do not, nor ``train.txt``, which often lists a data set.
    """
    return is_log_name(name) and _TEXT_FILE.fullmatch(name) is None and _OF_TOOL.fullmatch(name) is None


def is_source_name(name: str) -> bool:
    """Return whether a directory with a file of this name holds source code or a project."""
    return _SOURCE.fullmatch(name) is not None
