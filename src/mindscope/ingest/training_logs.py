# SPDX-License-Identifier: Apache-2.0
"""Finds directories that hold logs of a training and nothing else: they are runs too.

The rule is in docs/logs.md. It must not make a run of a directory of source code, nor of what belongs to another run.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from mindscope.formats.log_names import is_job_log_name, is_source_name, is_training_log_name
from mindscope.formats.regular_files import file_head
from mindscope.ingest.file_names import readable
from mindscope.ingest.graphs_and_profiles import RunContents
from mindscope.natural_order import natural_key
from mindscope.store.contents import Content, ContentKind

_HEAD = 1 << 12
_MOST_OPENED = 64
"""Log files of a directory of which the first bytes are read."""
_OF_OTHERS = frozenset(("wandb", "mlruns", "node_modules", "site-packages", "__pycache__"))
_OF_ATTEMPT = re.compile(r"/attempt_\d+/\d+$", re.ASCII)
"""Below its log directory, torchrun has a directory for each process of each attempt."""
_BESIDE = re.compile(r"logs?|rank_?\d+", re.IGNORECASE | re.ASCII)
_RANK = re.compile(r"(/(rank_?|summary_dir))\d+$", re.ASCII)
"""Pattern of the end of the path of a run: ranks of one training have all but the number in common."""


def training_logs(names: Collection[str], entries: Sequence[os.DirEntry[str]]) -> tuple[str, ...]:
    """Return the paths of the logs by which a directory with these names is a run, if nothing else makes it one.

    ``entries`` have names of logs. Beside source code only the output of Slurm's jobs counts, since programs that are
    run there leave logs of other things.
    """
    if not entries:
        return ()
    is_of_training = is_job_log_name if any(map(is_source_name, names)) else is_training_log_name
    named = sorted((entry for entry in entries if is_of_training(entry.name)), key=lambda each: natural_key(each.name))
    return tuple(each.path for each in named[:_MOST_OPENED] if _is_text(each))


def runs_of_logs(base: str, logs: Mapping[str, Sequence[str]], runs: Collection[str]) -> dict[str, RunContents]:
    """Return the directories of ``logs`` that are runs by their logs alone, with what is listed of them.

    Logs belong to another run if they lie below it, or in ``logs`` or ``rank_N`` beside it or its ranks. A directory
    that holds runs is none.

    Args:
        base: below which runs are.
        logs: paths of logs by their directories.
        runs: directories with anything else that makes a run.
    """
    above = {directory for run in runs for directory in _directories_above(run, base)}
    owners: dict[str, list[str]] = {}
    for directory, paths in logs.items():
        owner = _OF_ATTEMPT.sub("", directory) if len(_OF_ATTEMPT.sub("", directory)) >= len(base) else directory
        if not (owner in above or _is_of_another(directory, base, runs) or _is_left_out(directory, base)):
            owners.setdefault(owner, []).extend(paths)
    return {owner: RunContents((_content(owner, paths),), tuple(paths)) for owner, paths in owners.items()}


def _content(directory: str, paths: Sequence[str]) -> Content:
    first = min(paths, key=natural_key)
    return Content(ContentKind.LOG_FILE, readable(os.path.relpath(first, directory)), len(paths))


def _is_of_another(directory: str, base: str, runs: Collection[str]) -> bool:
    if directory in runs or any(each in runs for each in _directories_above(directory, base)):
        return True
    above, name = os.path.split(directory)
    if directory == base or _BESIDE.fullmatch(name) is None:
        return False
    trainings = {_RANK.sub(r"\1", run) for run in runs if os.path.dirname(run) == above}  # noqa: PTH120 (many times)
    return len(trainings) == 1


def _is_left_out(directory: str, base: str) -> bool:
    """Return whether it is, or is in, a hidden directory or one that another tool manages."""
    parts = directory[len(base) :].split(os.sep)  # noqa: PTH206 (ten thousand times)
    return any(part.startswith(".") or part in _OF_OTHERS for part in parts)


def _directories_above(directory: str, base: str) -> Iterator[str]:
    """Yield the directories above ``directory``, up to the base."""
    while len(directory) > len(base):
        directory = os.path.dirname(directory)  # noqa: PTH120 (ten thousand times)
        if len(directory) >= len(base):
            yield directory


def _is_text(entry: os.DirEntry[str]) -> bool:
    """Return whether a file holds text, or nothing yet: a program that has just started prints later."""
    try:
        return entry.is_file(follow_symlinks=False) and b"\0" not in file_head(entry.path, _HEAD)
    except OSError:
        return False
