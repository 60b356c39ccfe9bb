# SPDX-License-Identifier: Apache-2.0
"""Tables in the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mindscope.cli.logs import printable


def printed_table(names: Sequence[str], rows: Sequence[Sequence[str]]) -> Any:
    """Return a table of rich, without control characters."""
    from rich import box
    from rich.table import Table

    table = Table(*names, box=box.SIMPLE_HEAD, pad_edge=False)
    for row in rows:
        table.add_row(*map(printable, row))
    return table
