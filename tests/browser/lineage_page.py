# SPDX-License-Identifier: Apache-2.0
"""The table of runs with their lineage."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Locator, Page, expect

import mindscope
from mindscope.reading.lineage_table import LineageTable
from tests.server.live_viewer import DATA, LiveViewer

from .patience import until

OpenPage = Callable[[LiveViewer, str], Page]

SWEEP = "mindspore/lineage_sweep"

TARGET = "target=metric/Accuracy"

TABLE = "/?find=lineage_sweep"

OF_SWEEP = f'"{SWEEP}" in run'

KEYS = "rows => rows.map(row => row.dataset.run)"


def whole_table() -> LineageTable:
    return mindscope.open_runs(DATA).lineage()


def rows(page: Page) -> Locator:
    return page.get_by_test_id("runs-table-rows").locator("[data-run]")


def head(page: Page, column: str) -> Locator:
    return page.get_by_test_id("runs-table").locator(f"[role=columnheader][data-column='{column}']")


def cells(page: Page, column: str) -> dict[str, str]:
    """The texts of a column by run."""
    expect(head(page, column)).to_be_visible()
    place = head(page, column).get_attribute("aria-colindex")
    found = rows(page).locator(f"[aria-colindex='{place}']")
    return dict(zip(rows(page).evaluate_all(KEYS), found.all_inner_texts(), strict=True))


def where(page: Page) -> Locator:
    """The box of the filter expression, which takes the place of that of names."""
    page.get_by_test_id("filter-expression").click()
    return page.get_by_test_id("where")


def choose(column: Locator, action: str) -> None:
    """An action of the menu of a column."""
    column.hover()
    column.get_by_test_id("column-menu").click()
    column.page.get_by_test_id(f"column-menu-{action}").click()


def wait_for_runs(page: Page, want: list[str]) -> None:
    until(page, lambda: rows(page).evaluate_all(KEYS) == want)
