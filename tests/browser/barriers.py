# SPDX-License-Identifier: Apache-2.0
"""What keeps people out of a page, found by axe."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playwright.sync_api import Page

AXE = Path(__file__).parents[2] / "ui" / "node_modules" / "axe-core" / "axe.min.js"


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
