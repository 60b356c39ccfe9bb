# SPDX-License-Identifier: Apache-2.0
"""Colors that users gave to runs and groups on the page."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from mindscope.annotations import FILE_NAME, Annotations, Record
from mindscope.ingest.file_names import readable

_COLOR = re.compile("#[0-9a-f]{6}|[0-9]")
_DEEPEST = 64
"""Directories above a run that are looked up."""


def saved_colors(workspace: Path, base: Path, *, of_groups: bool = False) -> dict[str, str]:
    """Return the colors of the runs or groups below ``base`` by id, as the annotations hold them.

    Viewers of ``base`` and of the directories above it count, the inner ones most.

    Args:
        workspace: of the viewers. Without annotations in it there are no colors.
        base: the directory of the runs.
        of_groups: colors of groups, which only viewers of ``base`` itself know.
    """
    if not (workspace / FILE_NAME).is_file():
        return {}
    real = Path(os.path.realpath(base))
    bases = [real] if of_groups else [*reversed(real.parents), real][-_DEEPEST:]
    colors: dict[str, str] = {}
    for viewed in bases:
        prefix = "" if viewed == real else f"{readable(real.relative_to(viewed).as_posix())}/"
        with closing(Annotations(workspace, readable(str(viewed)))) as annotations:
            records = annotations.read().of("group" if of_groups else "run")
        colors |= _below(records, prefix)
    return colors


def _below(records: Mapping[str, Record], prefix: str) -> dict[str, str]:
    """Return the colors of the records below a prefix, by their paths below it; "." is the directory itself."""
    colors: dict[str, str] = {}
    for key, record in records.items():
        color = (record.fields or {}).get("color")
        if isinstance(color, str) and _COLOR.fullmatch(color) and f"{key}/".startswith(prefix):
            colors[key[len(prefix) :] or "."] = color
    return colors
