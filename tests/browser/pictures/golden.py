# SPDX-License-Identifier: Apache-2.0
"""Golden screenshots: the pictures that somebody looked at and found right, kept beside the tests.

Another version of the browser or of a font draws letters a little otherwise; so pictures are compared by the share of
pixels that differ clearly, for a person to look at, and never by a test of a page.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageOps

FOLDER = Path(__file__).parents[1] / "golden"
CLEAR = 32
"""Levels of 255 by which a channel of a pixel must differ to count."""
WORTH_A_LOOK = 0.002
BITS = 5
"""Of the eight of a level that golden pictures keep."""
MARK = (220, 30, 30)


@dataclass(frozen=True)
class Change:
    """How far a picture is from its golden one."""

    name: str
    share: float
    """Of the pixels, clearly different; 1 where the sizes differ or there is no golden one."""
    box: tuple[int, int, int, int] | None
    """Around all that differs: left, top, right, bottom in pixels; None where everything does."""

    def __str__(self) -> str:
        if self.box is None:
            return f"{self.name}: it is new, or of another size"
        left, top, right, bottom = self.box
        return f"{self.name}: {self.share:.1%} of its pixels, between ({left}, {top}) and ({right}, {bottom})"


def changes(pictures: Path, names: Iterable[str], golden: Path = FOLDER) -> list[Change]:
    """Which ``pictures`` no longer look like their golden one, most changed first; ``changed/`` shows both."""
    (pictures / "changed").mkdir(exist_ok=True)
    found: list[Change] = []
    for name in names:
        before, after = golden / f"{name}.webp", pictures / f"{name}.png"
        (shown := pictures / "changed" / f"{name}.png").unlink(missing_ok=True)
        change = change_of(name, before, after)
        if change.share > WORTH_A_LOOK:
            found.append(change)
            if change.box:
                side_by_side(before, after, change.box).save(shown)
    return sorted(found, key=lambda change: (-change.share, change.name))


def change_of(name: str, golden: Path, picture: Path) -> Change:
    if not golden.is_file():
        return Change(name, 1.0, None)
    before, after = pixels(golden), pixels(picture)
    if before.shape != after.shape:
        return Change(name, 1.0, None)
    differs = (np.abs(before - after) > CLEAR).any(axis=2)
    rows, columns = differs.any(axis=1).nonzero()[0], differs.any(axis=0).nonzero()[0]
    if not len(rows):
        return Change(name, 0.0, (0, 0, 0, 0))
    box = (int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1)
    return Change(name, float(differs.mean()), box)


def side_by_side(golden: Path, picture: Path, box: tuple[int, int, int, int]) -> Image.Image:
    """The golden picture on the left, the new one on the right, with a frame around what differs."""
    with Image.open(golden) as before, Image.open(picture) as after:
        both = Image.new("RGB", (before.width + after.width, before.height))
        both.paste(before.convert("RGB"), (0, 0))
        both.paste(after.convert("RGB"), (before.width, 0))
    left, top, right, bottom = box
    for x in (0, both.width // 2):
        ImageDraw.Draw(both).rectangle((x + left - 3, top - 3, x + right + 2, bottom + 2), outline=MARK, width=2)
    return both


def pixels(path: Path) -> NDArray[np.int16]:
    """Height x width x 3 levels of 0 to 255, as coarse as those of golden pictures."""
    with Image.open(path) as image:
        return np.asarray(image if path.suffix == ".webp" else reduced(image), np.int16)


def reduced(image: Image.Image) -> Image.Image:
    """The picture in coarser levels, which halves it; equal stays equal, and no color is lost, however rare."""
    return ImageOps.posterize(image.convert("RGB"), BITS)


def accept(pictures: Path, names: Iterable[str], wanted: set[str], golden: Path = FOLDER) -> None:
    """Take the pictures of these names for golden, and drop those that are no longer ``wanted``.

    Pictures that look as before stay as they are, or the history would only grow.
    """
    golden.mkdir(exist_ok=True)
    for path in golden.iterdir():
        if path.suffix != ".webp" or path.stem not in wanted:
            path.unlink()
    for name in names:
        if change_of(name, golden / f"{name}.webp", pictures / f"{name}.png").share > WORTH_A_LOOK:
            with Image.open(pictures / f"{name}.png") as image:
                reduced(image).save(golden / f"{name}.webp", lossless=True)
