# SPDX-License-Identifier: Apache-2.0
"""Pictures: pixels that survive, axes that are told apart, marks for what has no brightness."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from mindscope.capture.buffer_pool import BufferPool
from mindscope.capture.images import ambiguity, as_batch, check_image, copy_image, image_message
from mindscope.errors import TypeRejectedError, ValueRejectedError
from mindscope.types import Image

MAGENTA = [255, 0, 255]


def draw(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The pixels of the PNG, always with a channel axis."""
    check_image(array)
    message, _ = image_message(array)
    pixels = Image(message["height"], message["width"], message["colorspace"], message["encoded_image"]).pixels()
    pixels = pixels[:, :, np.newaxis] if pixels.ndim == 2 else pixels
    assert pixels.shape == (message["height"], message["width"], message["colorspace"])
    return pixels


@given(st.sampled_from([1, 3, 4]).flatmap(lambda c: arrays.arrays(np.uint8, (7, 5, c))))
def test_bytes_are_kept_in_both_orders_of_axes(pixels: np.ndarray[Any, Any]) -> None:
    for array in (pixels, pixels.transpose(2, 0, 1), pixels[None], pixels.transpose(2, 0, 1)[None]):
        np.testing.assert_array_equal(draw(array), pixels)


@given(arrays.arrays(np.uint8, (6, 9)))
def test_grey_pixels_are_kept(pixels: np.ndarray[Any, Any]) -> None:
    np.testing.assert_array_equal(draw(pixels)[:, :, 0], pixels)


@pytest.mark.parametrize(
    ("shape", "want"),
    [
        ((5, 6), (1, 5, 6, 1)),
        ((3, 5, 6), (1, 5, 6, 3)),
        ((5, 6, 3), (1, 5, 6, 3)),
        ((3, 5, 4), (1, 5, 4, 3)),  # both are possible: channels first
        ((2, 4, 5, 6), (2, 5, 6, 4)),
        ((2, 5, 6, 1), (2, 5, 6, 1)),
        ((2, 1, 6, 3), (2, 6, 3, 1)),
    ],
)
def test_axes_are_told_apart(shape: tuple[int, ...], want: tuple[int, ...]) -> None:
    assert as_batch(np.zeros(shape)).shape == want


@pytest.mark.parametrize(
    "shape",
    [
        *[(5,), (2, 5, 6), (5, 6, 2), (8, 2, 5, 5), (1, 1, 1, 5, 5), (), (0, 5), (2, 3, 0, 5)],
        *[(1, 2, 4, 4), (32, 64, 4, 4), (16, 512, 3, 3), (8, 128, 1, 1), (1, 2, 5, 4), (2, 4, 3), (64, 4, 4)],
    ],
)
def test_other_shapes_are_rejected(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueRejectedError, match="want"):
        check_image(np.zeros(shape))


@pytest.mark.parametrize(
    ("shape", "want"),
    [
        ((2, 3, 5, 4), "channels first"),
        ((4, 4, 4), "channels first"),
        ((2, 16, 8, 4), "channels last"),
        ((2, 3, 224, 224), None),
        ((2, 224, 224, 3), None),
        ((2, 480, 640, 1), None),
        ((9, 8, 8, 1), None),
        ((5, 6), None),
    ],
)
def test_shapes_that_read_in_two_ways_are_named(shape: tuple[int, ...], want: str | None) -> None:
    check_image(np.zeros(shape))
    text = ambiguity(shape)
    assert text is None if want is None else text is not None and want in text


def test_complex_image_is_rejected() -> None:
    with pytest.raises(TypeRejectedError, match="absolute"):
        check_image(np.zeros((4, 4), complex))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, ml_dtypes.bfloat16])
def test_unit_range_is_rounded_to_bytes(dtype: Any) -> None:
    array = np.linspace(0, 1, 256).reshape(16, 16).astype(dtype)
    want = np.rint(array.astype(np.float64) * 255)
    assert np.abs(draw(array)[:, :, 0] - want).max() <= (1 if dtype == ml_dtypes.bfloat16 else 0)


FLOATS = st.floats(-0.25, 1.25, width=32) | st.sampled_from([0.0, -0.0, 1.0, 0.5 / 255, 1.5 / 255, 2.5 / 255, np.nan])


@given(arrays.arrays(np.float32, st.tuples(st.integers(1, 40), st.integers(1, 200)), elements=FLOATS))
def test_a_copy_as_bytes_is_what_would_be_drawn(array: np.ndarray[Any, Any]) -> None:
    copy = copy_image(array, BufferPool())
    assert copy.dtype == (np.uint8 if np.all((array >= 0) & (array <= 1)) else np.float32)
    np.testing.assert_array_equal(draw(copy), draw(array))


def test_a_copy_as_bytes_reaches_to_the_last_number() -> None:
    array = np.random.default_rng(3).random((3, 100, 101), np.float32)
    copy = copy_image(array, BufferPool())
    np.testing.assert_array_equal(copy, np.rint(array * np.float32(255)).astype(np.uint8))
    array[-1, -1, -1] = 1.5
    np.testing.assert_array_equal(copy_image(array, BufferPool()), array)
    np.testing.assert_array_equal(copy_image(array[:, ::2], BufferPool()), array[:, ::2])


@pytest.mark.parametrize(
    ("array", "want"),
    [
        (np.array([[False, True]]), [[0, 255]]),
        (np.array([[0, 1]]), [[0, 255]]),
        (np.array([[7, 200]]), [[7, 200]]),
        (np.array([[-10, 0, 10]]), [[0, 128, 255]]),
        (np.array([[-10.0, 0.0, 10.0]]), [[0, 128, 255]]),
        (np.array([[5.0, 5.0]]), [[0, 0]]),
        (np.array([[-1.7e308, 0, 1.7e308]]), [[0, 128, 255]]),
        (np.array([[-(2**62), 0, 2**62]]), [[0, 128, 255]]),
    ],
)
def test_brightness_of_other_numbers(array: np.ndarray[Any, Any], want: list[list[int]]) -> None:
    np.testing.assert_array_equal(draw(array)[:, :, 0], want)


def test_pixels_without_a_number_are_magenta_and_do_not_set_the_range() -> None:
    array = np.array([[0.0, 10.0, np.nan, np.inf, -np.inf, 5.0]])
    assert draw(array).tolist() == [[[0] * 3, [255] * 3, MAGENTA, MAGENTA, MAGENTA, [128] * 3]]
    assert image_message(array)[1] == 3


def test_picture_without_any_number_is_magenta() -> None:
    assert np.all(draw(np.full((3, 4, 4), np.nan)) == MAGENTA)


def test_one_bad_channel_marks_the_pixel() -> None:
    array = np.zeros((5, 6, 4), np.float32)
    array[0, 1, 2] = np.nan
    assert draw(array)[0, 1].tolist() == [*MAGENTA, 255]


@pytest.mark.parametrize(("count", "rows", "columns"), [(1, 1, 1), (3, 1, 3), (8, 1, 8), (9, 2, 8), (20, 3, 8)])
def test_batch_is_tiled_on_at_most_eight_columns(count: int, rows: int, columns: int) -> None:
    batch = np.random.default_rng(count).integers(1, 255, (count, 3, 4, 5), np.uint8)
    sheet = draw(batch)
    assert sheet.shape == (rows * 4, columns * 5, 3)
    for place in range(rows * columns):
        y, x = divmod(place, columns)
        tile = sheet[y * 4 : y * 4 + 4, x * 5 : x * 5 + 5]
        np.testing.assert_array_equal(tile, batch[place].transpose(1, 2, 0) if place < count else 0)
