# SPDX-License-Identifier: Apache-2.0
"""One table of images: what Python reads, what an export writes, what the page is handed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mindscope.formats.image_formats import MEDIA_TYPES, image_format
from mindscope.reading import export_run, open_run
from mindscope.server.images.encoded import image_damage, media_type
from mindscope.types import Image
from tests.event_log import TENSORBOARD_NAME, tensorboard_event, tensorboard_version
from tests.image_table import BLOCK, FILES, PIXELS


@pytest.mark.parametrize("name", FILES)
def test_pixels_of_every_format(name: str) -> None:
    file = FILES[name]
    pixels = Image(1, 1, 0, file.encoded).pixels()
    assert pixels.dtype == np.uint8
    assert pixels.shape == file.shape


def test_gray_of_16_bits_becomes_its_upper_8() -> None:
    np.testing.assert_array_equal(Image(1, 1, 1, FILES["png_gray_16"].encoded).pixels(), PIXELS[:, :, 1])


def test_alpha_of_gray_stays() -> None:
    pixels = Image(1, 1, 2, FILES["png_gray_alpha"].encoded).pixels()
    np.testing.assert_array_equal(pixels[:, :, 3], PIXELS[:, :, 3])


@pytest.mark.parametrize(("orientation", "corner"), [(3, (1, 2)), (6, (1, 0)), (8, (0, 2))])
def test_the_orientation_in_exif_data_is_applied(orientation: int, corner: tuple[int, int]) -> None:
    pixels = Image(1, 1, 3, FILES[f"jpeg_orientation_{orientation}"].encoded).pixels()
    row, column = (place * BLOCK + BLOCK // 2 for place in corner)
    np.testing.assert_allclose(pixels[BLOCK // 2, BLOCK // 2].astype(int), PIXELS[row, column, :3].astype(int), atol=4)


@pytest.mark.parametrize("name", FILES)
def test_the_page_is_handed_whole_files_of_its_formats(name: str) -> None:
    file = FILES[name]
    place: dict[str, object] = {"run": "r", "tag": "t", "step": 1, "file": "f", "offset": 0}
    assert media_type(file.encoded) == file.media_type
    if file.media_type is None:
        return
    assert image_damage(file.encoded, place) is None  # pyright: ignore[reportArgumentType]
    cut = image_damage(file.encoded[: len(file.encoded) // 2], place)  # pyright: ignore[reportArgumentType]
    assert cut is not None
    assert cut.code == "image_truncated"


def test_every_type_of_the_page_is_in_the_table() -> None:
    assert {file.media_type for file in FILES.values()} - {None} == set(MEDIA_TYPES)


@pytest.mark.parametrize(
    "encoded", [b"", b"<svg xmlns='http://w3.org/2000/svg'/>", b"RIFF    WAVE", b"BM of a text", b"    ftypmp42"]
)
def test_other_bytes_are_no_image(encoded: bytes) -> None:
    assert image_format(encoded) is None


def test_an_export_writes_the_bytes_of_the_log_under_their_suffix(tmp_path: Path) -> None:
    log = tmp_path / "run" / TENSORBOARD_NAME.format(1)
    log.parent.mkdir()
    values = [{"tag": name, "image": {"encoded_image_string": file.encoded}} for name, file in FILES.items()]
    log.write_bytes(tensorboard_version() + tensorboard_event(1, *values))
    report = export_run(open_run(log.parent), tmp_path / "out")
    assert not report.failures
    for name, file in FILES.items():
        assert (tmp_path / "out" / "images" / name / f"1{file.suffix}").read_bytes() == file.encoded
