# SPDX-License-Identifier: Apache-2.0
"""A browser shows each image of the table as Python reads it: size, orientation, colors and opacity."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Page

from mindscope.types import Image
from tests.event_log import TENSORBOARD_NAME, tensorboard_event, tensorboard_version
from tests.image_table import BLOCK, FILES
from tests.server.live_viewer import LiveViewer, eventually, running_viewer

DRAW = """async (urls) => Promise.all(urls.map(async (url) => {
  const bitmap = await createImageBitmap(await (await fetch(url)).blob());
  const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
  context.drawImage(bitmap, 0, 0);
  const { width, height, data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
  return { width, height, data: Array.from(data) };
}))"""


def test_a_browser_shows_what_python_reads(tmp_path: Path, open_page: Callable[[LiveViewer, str], Page]) -> None:
    shown = {name: file for name, file in FILES.items() if file.media_type}
    log = tmp_path / "logs" / "run" / TENSORBOARD_NAME.format(1)
    log.parent.mkdir(parents=True)
    values = [{"tag": name, "image": {"encoded_image_string": file.encoded}} for name, file in shown.items()]
    log.write_bytes(tensorboard_version() + tensorboard_event(1, *values))
    with running_viewer(tmp_path / "logs", tmp_path) as live:
        eventually(lambda: live.runs().get("run", {}).get("tags"))
        page = open_page(live, "/")
        urls: list[str] = []
        for name in shown:
            (id,) = live.http.get("/api/images", params={"run": "run", "tag": name}).raise_for_status().json()["id"]
            urls.append(f"api/image?run=run&tag={name}&id={id}&picture=0")
        drawn = page.evaluate(DRAW, urls)
    wrong = [name for (name, file), got in zip(shown.items(), drawn, strict=True) if not _is_equal(file, got)]
    assert wrong == []


def _is_equal(file: Any, got: dict[str, Any]) -> bool:
    pixels = Image(1, 1, 0, file.encoded).pixels()
    want = pixels[:, :, np.newaxis].repeat(3, 2) if pixels.ndim == 2 else pixels
    if (got["height"], got["width"]) != want.shape[:2]:
        return False
    opaque = np.full((*want.shape[:2], 1), 255, np.uint8)
    want = want if want.shape[2] == 4 else np.concatenate([want, opaque], axis=2)
    drawn = np.array(got["data"], np.uint8).reshape(want.shape)
    middles = slice(BLOCK // 2, None, BLOCK)  # of the blocks
    difference = np.abs(_weighted(want[middles, middles]) - _weighted(drawn[middles, middles]))
    return bool(difference.max() <= file.tolerance + 1)


def _weighted(pixels: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Colors by their opacity: a canvas keeps no color of what is transparent."""
    wide = pixels.astype(float)
    return np.concatenate([wide[..., :3] * wide[..., 3:] / 255, wide[..., 3:]], axis=-1)
