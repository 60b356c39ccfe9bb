# SPDX-License-Identifier: Apache-2.0
"""No two visible curves look alike, and a run keeps its look while it stays selected."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.server.live_viewer import GrowingLog, LiveViewer, eventually, running_viewer

from .scalars_page import card, wait_until_drawn

OpenPage = Callable[[LiveViewer, str], Page]
RUNS = [f"run{number:02}" for number in range(24)]

LOOKS = """rows => Object.fromEntries(rows.map(row => {
  const { backgroundColor, backgroundImage } = getComputedStyle(row.querySelector(".picker .swatch"));
  return [row.dataset.run, backgroundColor + backgroundImage];
}))"""


def looks_in_list(page: Page) -> dict[str, str]:
    """Color and dash of each selected run."""
    return page.locator("[data-run]:has(input:checked)").evaluate_all(LOOKS)


def test_selected_runs_differ_in_color_then_in_dash(tmp_path: Path, open_page: OpenPage):
    for number, run in enumerate(RUNS):
        log = GrowingLog(tmp_path / "logs" / run)
        for step in range(3):
            log.scalar(step, number + step)
    with running_viewer(tmp_path / "logs", tmp_path) as live:
        eventually(lambda: len(live.runs()) == len(RUNS) and all(run["last_step"] == 2 for run in live.runs().values()))
        three = [RUNS[0], RUNS[10], RUNS[20]]  # of 10 colors over all runs they would have the same
        page = open_page(live, "/scalars?" + "&".join(f"run={run}" for run in three))
        page.set_viewport_size({"width": 1440, "height": 1000})
        wait_until_drawn(card(page, "loss"))
        before = looks_in_list(page)
        assert set(before) == set(three)
        assert len(set(before.values())) == 3
        for run in [*RUNS[1:10], *RUNS[11:20], *RUNS[21:]]:
            page.locator(f'[data-run="{run}"] input[type=checkbox]').check()
        expect(page.locator("[data-run] input:checked")).to_have_count(len(RUNS))
        all_looks = looks_in_list(page)
        assert len(set(all_looks.values())) == len(RUNS)
        assert {run: all_looks[run] for run in three} == before
        page.locator(f'[data-run="{RUNS[10]}"] input[type=checkbox]').uncheck()
        expect(page.locator("[data-run] input:checked")).to_have_count(len(RUNS) - 1)
        assert looks_in_list(page) == {run: look for run, look in all_looks.items() if run != RUNS[10]}
        legend = card(page, "loss").get_by_test_id("legend-values")
        drawn = legend.locator(".swatch").evaluate_all("lines => lines.map(line => line.getAttribute('style'))")
        assert len(set(drawn)) == len(drawn) > 10, drawn
        expect(legend).to_contain_text(f"+{len(RUNS) - 1 - len(drawn)}")
