# SPDX-License-Identifier: Apache-2.0
"""What a person sees and does on the page of images, and the logs for it."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect

import mindscope
from tests.event_log import TENSORBOARD_NAME, tensorboard_event, tensorboard_version
from tests.server.live_viewer import LiveViewer, eventually, running_viewer

from .patience import until

OpenPage = Callable[[LiveViewer, str], Page]
CUSTOM_LOOP = "/images?run=mindspore%2Fcustom_loop"
PIXELS = """image => {
  const canvas = new OffscreenCanvas(image.naturalWidth, image.naturalHeight).getContext("2d");
  canvas.drawImage(image, 0, 0);
  const { data, width, height } = canvas.getImageData(0, 0, image.naturalWidth, image.naturalHeight);
  return { width, height, reds: [...data].filter((_, index) => index % 4 === 0) };
}"""


def picture(within: Locator) -> Locator:
    """The loaded picture of a card."""
    found = within.get_by_test_id("picture").first
    expect(found).to_have_attribute("data-loaded", "true")
    return found


def reds(within: Locator) -> np.ndarray[Any, Any]:
    shown = picture(within).evaluate(PIXELS)
    return np.array(shown["reds"]).reshape(shown["height"], shown["width"])


def expect_grey(within: Locator, grey: int) -> None:
    """Waits until the picture of a card is all of one grey."""
    until(within.page, lambda: (reds(within) == grey).all())


def step_to(within: Locator, key: str, testid: str = "card-step") -> None:
    within.get_by_test_id(testid).press(key)


@pytest.fixture(scope="session")
def greys(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveViewer]:
    """Two runs of pictures that are all of one grey, ten times the step; run b has a step more."""
    base = tmp_path_factory.mktemp("greys")
    for run, steps in (("a", (1, 2, 3)), ("b", (1, 2, 3, 9))):
        with mindscope.SummaryRecord(base / "logs" / run) as record:
            for step in steps:
                record.add_value("image", "grey", np.full((1, 1, 4, 6), 10 * step / 255, np.float32))
                record.record(step)
    with running_viewer(base / "logs", base) as live:
        eventually(lambda: len(live.runs()) == 2 and all(run["tags"] for run in live.runs().values()))
        yield live


def png(grey: int) -> bytes:
    buffer = io.BytesIO()
    Image.new("L", (6, 4), grey).save(buffer, "PNG")
    return buffer.getvalue()


def write(run: Path, values: list[tuple[int, dict[str, Any]]]) -> None:
    run.mkdir()
    events = [tensorboard_event(step, value) for step, value in values]
    (run / TENSORBOARD_NAME.format(1)).write_bytes(tensorboard_version() + b"".join(events))


@pytest.fixture(scope="session")
def many(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveViewer]:
    """A picture of twelve steps, 150 tags of one step, a run of pairs of pictures, and one of a damaged picture."""
    base = tmp_path_factory.mktemp("many")
    with mindscope.SummaryRecord(base / "logs" / "run") as record:
        for step in range(1, 13):
            record.add_value("image", "a/grey", np.full((1, 1, 4, 6), 10 * step / 255, np.float32))
            for number in range(150 if step == 1 else 0):
                record.add_value("image", f"b/{number:03d}", np.full((1, 1, 4, 6), number / 255, np.float32))
            record.record(step)
    whole = png(70)
    image = {"height": 4, "width": 6, "colorspace": 1, "encoded_image_string": whole}
    damaged = image | {"encoded_image_string": whole[:-13] + b"?" + whole[-12:]}
    write(base / "logs" / "damaged", [(1, {"tag": "input", "image": image}), (7, {"tag": "input", "image": damaged})])
    pairs: list[tuple[int, dict[str, Any]]] = []
    for step in (1, 2):
        pair = {
            "dtype": 7,
            "tensor_shape": {"dim": [{"size": 4}]},
            "string_val": [b"6", b"4", png(50 * step), png(100 * step)],
        }
        metadata = {"plugin_data": {"plugin_name": "images"}}
        pairs.append((step, {"tag": "a/pair", "tensor": pair, "metadata": metadata}))
    write(base / "logs" / "pairs", pairs)
    with running_viewer(base / "logs", base) as live:
        eventually(lambda: live.runs().get("run", {}).get("tags", {}).get("image") == 151)
        eventually(lambda: all(live.runs().get(run, {}).get("tags") for run in ("pairs", "damaged")))
        yield live
