# SPDX-License-Identifier: Apache-2.0
"""Figures of Matplotlib and Plotly and images of Pillow as pixels, without importing any of them."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.errors import TypeRejectedError, ValueRejectedError


def figure_pixels(figure: Any) -> NDArray[np.uint8]:
    """Return the picture of ``figure`` as (H, W, C). Draws it now, since the script may go on drawing.

    Raises ValueRejectedError.
    """
    if hasattr(figure, "savefig") and hasattr(figure, "dpi"):
        return _of_matplotlib(figure)
    if hasattr(figure, "to_image") and hasattr(figure, "to_plotly_json"):
        return _of_plotly(figure)
    if is_pillow(figure):
        return _of_pillow(figure)
    if hasattr(figure, "figure") and hasattr(figure.figure, "savefig"):  # axes, or a grid of seaborn
        return _of_matplotlib(figure.figure)
    raise TypeRejectedError(
        f"figure is {type(figure).__name__}, want a figure of Matplotlib or Plotly, or an image of Pillow"
    )


def is_pillow(value: Any) -> bool:
    """Return whether a value is an image of Pillow, whose array has the channels last whatever its size."""
    return hasattr(value, "getbands") and hasattr(value, "convert")


def _of_matplotlib(figure: Any) -> NDArray[np.uint8]:
    file = io.BytesIO()
    canvas = figure.canvas
    # draws on a canvas of its own, and restores that of the figure
    figure.savefig(file, format="rgba", dpi=figure.dpi)
    width, height = canvas.get_width_height(physical=True)
    pixels = np.frombuffer(file.getvalue(), np.uint8)
    if pixels.size != width * height * 4:
        raise ValueRejectedError(f"figure has {pixels.size} bytes, want {width} x {height} pixels")
    rgba = pixels.reshape(height, width, 4)
    return np.ascontiguousarray(rgba[:, :, :3] if bool((rgba[:, :, 3] == 255).all()) else rgba)


def _of_plotly(figure: Any) -> NDArray[np.uint8]:
    from PIL import Image

    try:
        file = figure.to_image(format="png")
    except Exception as error:  # no kaleido, or no browser for it
        raise ValueRejectedError(
            f"figure of Plotly can't be drawn ({type(error).__name__}); install kaleido, or record "
            'figure.to_html() as "html"'
        ) from error
    return np.asarray(Image.open(io.BytesIO(file)).convert("RGBA"))


def _of_pillow(image: Any) -> NDArray[np.uint8]:
    has_alpha = "A" in image.getbands() or "transparency" in image.info
    mode = "RGBA" if has_alpha else "L" if image.mode in ("1", "L") else "RGB"
    pixels = np.asarray(image.convert(mode))
    return pixels if pixels.ndim == 3 else pixels[:, :, np.newaxis]
