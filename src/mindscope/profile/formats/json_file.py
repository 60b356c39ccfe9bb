# SPDX-License-Identifier: Apache-2.0
"""Small JSON files of profilers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from mindscope.errors import FormatError
from mindscope.profile.formats.csv_table import check_size
from mindscope.reasons import Reason

_MOST_JSON = 64 << 20
"""Bytes of a file, whose objects take ten times as much."""


def read_object(path: Path) -> Mapping[str, Any]:
    """Return the object of a JSON file. Raises FormatError, also if it is too large to be read whole, OSError."""
    check_size(path, _MOST_JSON)
    try:
        found = json.loads(path.read_bytes().decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError) as error:
        raise FormatError(Reason("profile_not_json", file=path.name, detail=str(error))) from error
    if not isinstance(found, dict):
        raise FormatError(Reason("profile_json_type", file=path.name, type=type(found).__name__))
    return cast("dict[str, Any]", found)
