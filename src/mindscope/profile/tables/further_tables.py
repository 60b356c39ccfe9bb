# SPDX-License-Identifier: Apache-2.0
"""Tables that only one format has, with the columns and units of their files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mindscope.table.table import Table


class FurtherTables(Mapping[str, Table]):
    """Tables by the names of their files, such as ``l2_cache``; all columns of a table are in its ``extra``."""

    def __init__(self, tables: Mapping[str, Table]) -> None:
        self._tables = dict(tables)

    def __getitem__(self, name: str) -> Table:
        return self._tables[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)

    def __repr__(self) -> str:
        return f"<FurtherTables: {', '.join(self._tables)}>"
