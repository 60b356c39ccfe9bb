# SPDX-License-Identifier: Apache-2.0
"""Every page under axe, its colours light and dark: nothing serious may be found."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.server.live_viewer import LiveViewer

OpenPage = Callable[[LiveViewer, str], Page]
AXE = Path(__file__).parents[2] / "ui" / "node_modules" / "axe-core" / "axe.min.js"
OF_COLOURS = ("color-contrast", "link-in-text-block")
"""The rules that a theme can break."""
PAGES = {
    "/": "runs-table",
    "/dashboard?run=mindspore%2Fops": "dashboard",
    "/scalars?run=mindspore%2Fops": "scalars",
    "/compare?run=mindspore%2Fops": "live",
    "/images?run=mindspore%2Fcustom_loop": "images",
    "/distributions?run=mindspore%2Fops": "distributions",
    "/tensors?run=mindspore%2Fcustom_loop": "tensors",
    "/tensors?run=mindspore%2Fcustom_loop&full=t3d_f16": "tensor-table",
    "/hparams": "hparams-table",
    "/texts?run=tensorboard%2Ftb_all%2Frun_a": "text",
    "/audio?run=tensorboard%2Ftb_all%2Frun_a": "sound-facts",
    "/pr-curves?run=tensorboard%2Ftb_all%2Frun_a": "pr-chart",
}


def serious(page: Page, *rules: str) -> list[str]:
    """What axe finds that keeps somebody out, each with the element; by some rules only, where they are given."""
    page.evaluate(AXE.read_text())
    options = {"resultTypes": ["violations"], **({"runOnly": rules} if rules else {})}
    found: dict[str, Any] = page.evaluate("options => axe.run(document, options)", options)
    return [
        f"{violation['id']}: {node['html'][:160]}"
        for violation in found["violations"]
        if violation["impact"] in ("serious", "critical")
        for node in violation["nodes"]
    ]


@pytest.mark.parametrize("address", PAGES)
def test_nothing_serious_is_found(viewer: LiveViewer, open_page: OpenPage, address: str):
    page = open_page(viewer, address)
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    expect(page.get_by_test_id(PAGES[address]).first).to_be_visible()
    expect(page.get_by_test_id("waiting")).to_have_count(0)
    assert serious(page) == []
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    assert serious(page, *OF_COLOURS) == []
    if address.startswith(("/scalars", "/compare")):
        page.get_by_test_id("settings").click()
        expect(page.get_by_test_id("scalar-settings")).to_be_visible()
        assert serious(page) == []
