# SPDX-License-Identifier: Apache-2.0
"""The page's tests have Python's present answers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mindscope.lineage.column import ColumnKey
from mindscope.lineage.filter import Filter
from mindscope.lineage.table import Table
from tests.lineage.page_cases import columns, page_cases, reference

CASES = Path(__file__).parents[2] / "ui" / "src" / "core" / "lineage" / "pageCases.json"


def test_the_cases_of_the_page_are_current() -> None:
    assert json.loads(CASES.read_text("utf-8")) == page_cases(), "python -m tests.lineage.page_cases writes them"


@pytest.mark.parametrize("key", columns(), ids=range(len(columns())))
def test_each_reference_names_its_column_among_all(key: ColumnKey) -> None:
    table = Table.from_rows({"a": {each: each == key for each in columns()}, "b": dict.fromkeys(columns(), False)})
    assert Filter(reference(key)).apply(table).runs == ("a",)
