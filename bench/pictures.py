# SPDX-License-Identifier: Apache-2.0
"""Figures of measurements for the documents, light and dark."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

DOTS_PER_INCH = 68


def write_pictures(name: Path, width: float, height: float, panels: int, draw: Callable[[Any], None]) -> None:
    """Write NAME-light.webp and NAME-dark.webp; ``draw`` gets the axes of panels in a row. Sizes are in inches."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot
    from PIL import Image

    for theme, style in (("light", "default"), ("dark", "dark_background")):
        with pyplot.style.context(style):
            figure, axes = pyplot.subplots(1, panels, figsize=(width, height), layout="constrained")
            draw(axes)
            data = BytesIO()
            figure.savefig(data, dpi=DOTS_PER_INCH)
            pyplot.close(figure)
        picture = Image.open(data).convert("RGB").quantize(32).convert("RGB")
        picture.save(name.with_name(f"{name.name}-{theme}.webp"), lossless=True, method=6)
