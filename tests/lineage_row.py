# SPDX-License-Identifier: Apache-2.0
"""What the table of runs shows of one run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mindscope


def row_of(directory: Path) -> dict[str, Any]:
    """The row of the only run below a directory."""
    (row,) = mindscope.open_runs(directory).lineage()
    return dict(row.items())


def status_of(directory: Path) -> str | None:
    """How a training ended: success, failure, or None."""
    return row_of(directory).get("fact/session_status")
