# SPDX-License-Identifier: Apache-2.0
"""Videos in the page: found in the navigation, played, stepped through, downloaded, saved."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from mindscope import SummaryRecord, open_run
from tests.server.live_viewer import LiveViewer, running_viewer

OpenPage = Callable[[LiveViewer, str], Page]

LEVELS = [0, 60, 120, 180, 240]
PIXEL = "canvas => Array.from(canvas.getContext('2d').getImageData(5, 5, 1, 1).data.slice(0, 3))"


@pytest.fixture
def clips(tmp_path: Path) -> Iterator[LiveViewer]:
    """A run with a video of five grey frames at two steps, and an image."""
    frames = np.array(LEVELS, np.uint8)[:, None, None] * np.ones((1, 12, 16), np.uint8)
    with SummaryRecord(str(tmp_path / "logs" / "run"), raise_exception=True) as record:
        for step in (1, 2):
            record.add_value("video", "rollout/clip", {"frames": frames + step, "fps": 10})
            record.add_value("image", "still", frames[0])
            record.record(step)
    with running_viewer(tmp_path / "logs", tmp_path / "room") as viewer:
        yield viewer


def test_a_video_is_played_frame_by_frame(clips: LiveViewer, open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(clips, "/dashboard?run=run")
    page.get_by_role("navigation").get_by_role("link", name="Media").click()
    page.get_by_test_id("media-kind").get_by_text("Video").click()
    card = page.get_by_test_id("card")
    expect(card).to_have_count(1)
    count, canvas = card.get_by_test_id("video-count"), card.locator("canvas")
    expect(count).to_have_text("1 / 5")
    card.get_by_test_id("video-next").click()
    expect(count).to_have_text("2 / 5")
    expect(canvas).to_have_attribute("data-frame", "1")
    assert canvas.evaluate(PIXEL) == [LEVELS[1] + 2] * 3
    card.get_by_test_id("video").press("End")
    expect(count).to_have_text("5 / 5")
    expect(card.get_by_test_id("video-next")).to_be_disabled()
    card.get_by_test_id("video-loop").click()
    card.get_by_test_id("video-frame-play").click()
    expect(card.get_by_test_id("video-frame-play")).to_have_attribute("aria-label", "Pause")
    expect(card.get_by_test_id("video-frame-play")).to_have_attribute("aria-label", "Play")
    expect(count).to_have_text("5 / 5")
    card.get_by_test_id("card-step").fill("0")
    expect(card.get_by_test_id("step")).to_have_text("Step 1")
    with page.expect_download() as download:
        card.get_by_test_id("video-download").click()
    saved = tmp_path / "clip.gif"
    download.value.save_as(saved)
    assert saved.read_bytes() == open_run(tmp_path / "logs" / "run").values("video", "rollout/clip")[0].value.encoded
