# SPDX-License-Identifier: Apache-2.0
"""Meshes in the page: their cards turn together, say what is wrong, follow a live run, and are saved as a picture."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from mindscope import SummaryRecord
from tests.server.live_viewer import LiveViewer, running_viewer

OpenPage = Callable[[LiveViewer, str], Page]

TETRAHEDRON = np.array([[0, 0, 0], [2, 0, 0], [0, 1, 0], [0, 0, 1]], np.float32)
FACES = [[0, 1, 2], [0, 1, 3], [1, 2, 3], [0, 2, 9]]


@pytest.mark.browser
def test_meshes_of_runs_turn_together_and_follow_a_live_run(open_page: OpenPage, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    with SummaryRecord(str(logs / "one"), raise_exception=True) as record:
        record.add_value("mesh", "shape", {"vertices": TETRAHEDRON, "faces": FACES, "config": {"fog": True}})
        record.record(1)
    with SummaryRecord(str(logs / "two"), raise_exception=True) as live:
        live.add_value("mesh", "shape", TETRAHEDRON)
        live.record(1)
        live.flush()
        with running_viewer(logs, tmp_path / "room", "--reload-interval", "1") as viewer:
            page = open_page(viewer, "/meshes?run=one&run=two")
            cards = page.get_by_test_id("card")
            expect(cards).to_have_count(2)
            facts = page.get_by_test_id("mesh-facts")
            expect(facts.nth(0)).to_contain_text("4 vertices")
            expect(facts.nth(0)).to_contain_text("3 faces")
            expect(facts.nth(1)).to_contain_text("4 points")
            problems = page.get_by_test_id("mesh-problems")
            expect(problems).to_have_count(1)
            expect(problems).to_contain_text("1 of 4 faces")
            expect(problems).to_contain_text("Not used of the configuration: fog")
            canvases = page.get_by_test_id("mesh").locator("canvas")
            expect(canvases.nth(1)).to_have_attribute("data-detail", "fine")
            before = canvases.nth(1).get_attribute("data-frames") or ""
            page.get_by_test_id("mesh").nth(0).press("ArrowLeft")
            expect(canvases.nth(1)).not_to_have_attribute("data-frames", before)
            expect(page).to_have_url(re.compile("mesh_camera="))
            page.get_by_test_id("mesh-reset").click()
            expect(page).not_to_have_url(re.compile("mesh_camera="))
            live.add_value("mesh", "shape", TETRAHEDRON[:3])
            live.record(2)
            live.flush()
            expect(facts.nth(1)).to_contain_text("3 points")
            cards.nth(0).hover()
            cards.nth(0).get_by_test_id("mesh-download").click()
            with page.expect_download() as download:
                page.get_by_role("button", name="PNG").click()
            download.value.save_as(saved := tmp_path / "shape.png")
            assert saved.read_bytes().startswith(b"\x89PNG")
            page.goto(f"http://127.0.0.1:{viewer.port}/media?run=one&kind=mesh&full=shape&mesh=wireframe")
            expect(page.get_by_test_id("mesh-wireframe")).to_have_attribute("aria-pressed", "true")
            expect(page.get_by_test_id("panel").get_by_test_id("mesh")).to_have_attribute(
                "aria-label", re.compile("shape of one, step 1: 4 vertices")
            )
