# SPDX-License-Identifier: Apache-2.0
"""Golden screenshots: the pictures that somebody looked at and found right, kept beside the tests.

Another version of the browser or of a font draws letters a little otherwise, and times of day are in some pictures;
so pictures are compared by the share of pixels that differ clearly, for a person to look at, and never by a test.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

FOLDER = Path(__file__).parent / "golden"
CLEAR = 32
"""Levels of 255 by which a channel of a pixel must differ to count."""
WORTH_A_LOOK = 0.004
COLOURS = 128


@dataclass(frozen=True)
class Change:
    """How far a picture is from its golden one: the share of pixels, or 1 where the sizes differ."""

    name: str
    share: float

    def __str__(self) -> str:
        return f"{self.name}: {self.share:.1%} of its pixels"


def changes(pictures: Path) -> list[Change]:
    """The golden pictures that no longer look like those of the same name in ``pictures``, most changed first."""
    taken = [golden for golden in FOLDER.glob("*.png") if (pictures / golden.name).is_file()]
    seen = [Change(golden.name, share_changed(golden, pictures / golden.name)) for golden in taken]
    return sorted((change for change in seen if change.share > WORTH_A_LOOK), key=lambda change: -change.share)


def share_changed(golden: Path, picture: Path) -> float:
    before, after = pixels(golden), pixels(picture)
    if before.shape != after.shape:
        return 1.0
    return float((np.abs(before - after) > CLEAR).any(axis=2).mean())


def pixels(path: Path) -> np.ndarray:
    """Height x width x 3 levels of 0 to 255, in the colours that golden pictures keep."""
    with Image.open(path) as image:
        return np.asarray(reduced(image).convert("RGB"), np.int16)


def reduced(image: Image.Image) -> Image.Image:
    """The picture in few colours, which makes it a third as large; nothing dithered, so that equal stays equal."""
    if image.mode == "P":
        return image
    return image.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)


def accept(pictures: Path, names: list[str]) -> None:
    """Take the pictures of these names for golden; those that look as before stay, or the history would only grow."""
    FOLDER.mkdir(exist_ok=True)
    unchanged = {golden.name for golden in FOLDER.glob("*.png")} - {change.name for change in changes(pictures)}
    for name in {*names} - unchanged:
        with Image.open(pictures / name) as image:
            reduced(image).save(FOLDER / name, optimize=True)
