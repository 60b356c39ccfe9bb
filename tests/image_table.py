# SPDX-License-Identifier: Apache-2.0
"""Images in every format and mode that logs hold, which the page, Python and the export read alike."""

from __future__ import annotations

import io
from typing import Any, NamedTuple

import numpy as np
from PIL import Image


class ImageFile(NamedTuple):
    """``media_type`` is None if no browser shows it. ``shape`` is that of its pixels in Python."""

    encoded: bytes
    media_type: str | None
    suffix: str
    shape: tuple[int, ...]
    tolerance: int = 1
    """Largest difference to what a browser shows, in the middle of a block of one color."""


HEIGHT, WIDTH, BLOCK = 32, 48, 16
COLORS = [[(250, 10, 20, 255), (20, 240, 30, 255), (30, 20, 230, 128)], [(0, 0, 0, 0), (200, 200, 40, 255), (99,) * 4]]
PIXELS = np.repeat(np.repeat(np.array(COLORS, np.uint8), BLOCK, 0), BLOCK, 1)
"""Six blocks of different colors and opacities; (32, 48, 4)."""


def _encode(mode: str, format: str, **options: Any) -> bytes:
    image = Image.fromarray(PIXELS).convert("RGB" if mode in ("P", "CMYK") else mode).convert(mode)
    buffer = io.BytesIO()
    image.save(buffer, format, **options)
    return buffer.getvalue()


def _gray_16() -> bytes:
    buffer = io.BytesIO()
    gray = PIXELS[:, :, 1].astype(np.uint16)
    Image.fromarray(gray * 256 + 7).save(buffer, "PNG")
    return buffer.getvalue()


def _rotated(orientation: int) -> Image.Exif:
    exif = Image.Exif()
    exif[0x0112] = orientation
    return exif


RGB, RGBA, GRAY = (HEIGHT, WIDTH, 3), (HEIGHT, WIDTH, 4), (HEIGHT, WIDTH)
TURNED = (WIDTH, HEIGHT, 3)
FILES: dict[str, ImageFile] = {
    "png_rgb": ImageFile(_encode("RGB", "PNG"), "image/png", ".png", RGB),
    "png_rgba": ImageFile(_encode("RGBA", "PNG"), "image/png", ".png", RGBA),
    "png_gray": ImageFile(_encode("L", "PNG"), "image/png", ".png", GRAY),
    "png_gray_alpha": ImageFile(_encode("LA", "PNG"), "image/png", ".png", RGBA),
    "png_gray_16": ImageFile(_gray_16(), "image/png", ".png", GRAY),
    "png_1_bit": ImageFile(_encode("1", "PNG"), "image/png", ".png", GRAY),
    "png_palette": ImageFile(_encode("P", "PNG"), "image/png", ".png", RGB),
    "png_palette_transparent": ImageFile(_encode("P", "PNG", transparency=0), "image/png", ".png", RGBA),
    "png_turned": ImageFile(_encode("RGB", "PNG", exif=_rotated(6)), "image/png", ".png", TURNED),
    "jpeg": ImageFile(_encode("RGB", "JPEG", quality=95), "image/jpeg", ".jpg", RGB, 4),
    "jpeg_gray": ImageFile(_encode("L", "JPEG", quality=95), "image/jpeg", ".jpg", GRAY, 4),
    "jpeg_cmyk": ImageFile(_encode("CMYK", "JPEG", quality=95), "image/jpeg", ".jpg", RGB, 4),
    **{
        f"jpeg_orientation_{number}": ImageFile(
            _encode("RGB", "JPEG", quality=95, exif=_rotated(number)), "image/jpeg", ".jpg",
            TURNED if number > 4 else RGB, 4,
        )
        for number in range(2, 9)
    },
    "gif": ImageFile(_encode("P", "GIF"), "image/gif", ".gif", RGB),
    "webp": ImageFile(_encode("RGBA", "WEBP", lossless=True, exact=True), "image/webp", ".webp", RGBA),
    "webp_turned": ImageFile(_encode("RGB", "WEBP", lossless=True, exif=_rotated(8)), "image/webp", ".webp", RGB),
    "bmp": ImageFile(_encode("RGB", "BMP"), "image/bmp", ".bmp", RGB),
    "avif": ImageFile(_encode("RGB", "AVIF", quality=95), "image/avif", ".avif", RGB, 6),
    "avif_turned": ImageFile(_encode("RGB", "AVIF", quality=95, exif=_rotated(6)), "image/avif", ".avif", TURNED, 6),
    "tiff": ImageFile(_encode("RGB", "TIFF"), None, ".tiff", RGB),
}  # fmt: skip
