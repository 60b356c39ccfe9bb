# SPDX-License-Identifier: Apache-2.0
"""Operators of two trainings that a user paired by hand on the page."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path

from mindscope.annotations import FILE_NAME, Annotations
from mindscope.annotations.operator_pairs import operator_pairs
from mindscope.ingest.file_names import readable


def remembered_pairs(workspace: Path, left: Path, right: Path) -> dict[str, str]:
    """Return the operators of the left training with those of the right one, as users paired them.

    Of several base directories, the inner one counts.

    Args:
        workspace: of the viewers. Without annotations in it there are no pairs.
        left: run, file or directory with the debugging data of one training.
        right: as ``left``, of the other training.
    """
    if not (workspace / FILE_NAME).is_file():
        return {}
    data = [Path(os.path.realpath(each)) for each in (left, right)]
    found: dict[str, str] = {}
    for base in reversed(data[0].parents):
        if base in data[1].parents:
            paths = [readable(each.relative_to(base).as_posix()) for each in data]
            with closing(Annotations(workspace, readable(str(base)))) as annotations:
                found |= operator_pairs(annotations.read(), paths[0], paths[1])
    return found
