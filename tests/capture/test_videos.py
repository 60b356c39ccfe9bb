# SPDX-License-Identifier: Apache-2.0
"""Videos: frames that survive, axes that are told apart, clear refusals of what is no video."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from mindscope.capture.videos import check_video, split_frames, video_message
from mindscope.errors import TypeRejectedError, ValueRejectedError
from mindscope.formats.kinds.video import gif_outline, is_animated
from mindscope.types import Video

Array = np.ndarray[Any, Any]


def draw(array: Array, fps: float = 4.0) -> Array:
    """The frames of the GIF, (T, H, W, 3)."""
    check_video(array)
    message, _ = video_message(array, fps)
    frames = np.stack(list(Video(message["height"], message["width"], message["encoded_image"]).frames()))
    assert frames.shape[1:3] == (message["height"], message["width"])
    return frames


@settings(deadline=None, max_examples=20)
@given(st.integers(1, 5).flatmap(lambda t: arrays.arrays(np.uint8, (t, 6, 7))))
def test_grey_frames_are_kept(frames: Array) -> None:
    np.testing.assert_array_equal(draw(frames), np.repeat(frames[..., np.newaxis], 3, axis=3))


@settings(deadline=None, max_examples=20)
@given(arrays.arrays(np.uint8, (3, 6, 7, 3)))
def test_frames_of_few_colors_are_kept_in_all_orders_of_axes(frames: Array) -> None:
    for array in (frames, frames.transpose(0, 3, 1, 2), frames[None], frames.transpose(0, 3, 1, 2)[None]):
        np.testing.assert_array_equal(draw(array), frames)


def test_frames_of_many_colors_are_close() -> None:
    y, x = np.mgrid[:64, :64]
    frame = np.stack([4 * x, 4 * y, 2 * (x + y)], axis=2).astype(np.uint8)
    assert len(np.unique(frame.reshape(-1, 3), axis=0)) > 256
    drawn = draw(frame[None])[0]
    assert np.abs(drawn.astype(int) - frame).mean() < 8
    assert np.abs(means(drawn) - means(frame)).mean() < 1.5  # 2.8 without dithering, which shows as bands


def means(frame: Array) -> Array:
    """What is seen from afar: means of 4 x 4 pixels."""
    return frame.reshape(16, 4, 16, 4, 3).mean((1, 3))


def test_equal_frames_are_not_merged() -> None:
    frames = np.zeros((5, 4, 4), np.uint8)
    encoded = video_message(frames)[0]["encoded_image"]
    assert gif_outline(encoded).durations_ms == (250,) * 5
    assert len(draw(frames)) == 5


def test_a_single_frame_is_a_video() -> None:
    encoded = video_message(np.zeros((1, 4, 4), np.uint8))[0]["encoded_image"]
    assert is_animated(encoded)
    assert gif_outline(encoded) == gif_outline(encoded[:-1] + b";")


def test_videos_of_a_batch_are_beside_each_other() -> None:
    batch = np.arange(3, dtype=np.uint8)[:, None, None, None, None] * np.ones((1, 2, 6, 5, 1), np.uint8)
    assert draw(batch)[1, 0, :, 0].tolist() == [0] * 5 + [1] * 5 + [2] * 5


def test_brightness_is_that_of_images_over_all_frames() -> None:
    ramp = np.linspace(0, 1, 4, dtype=np.float32)[:, None, None] * np.ones((1, 2, 2), np.float32)
    assert draw(ramp)[:, 0, 0, 0].tolist() == [0, 85, 170, 255]
    assert draw(ramp * 1000)[:, 0, 0, 0].tolist() == [0, 85, 170, 255]


def test_values_that_are_no_numbers_are_magenta() -> None:
    frames = np.zeros((2, 3, 3), np.float32)
    frames[1, 0, 0] = np.nan
    frames[1, 2, 2] = np.inf
    message, invalid = video_message(frames)
    assert invalid == 2
    shown = list(Video(3, 3, message["encoded_image"]).frames())
    assert shown[1][0, 0].tolist() == [255, 0, 255] == shown[1][2, 2].tolist()
    assert not shown[0].any()


def test_transparent_pixels_are_white() -> None:
    frames = np.zeros((1, 5, 2, 4), np.uint8)
    frames[0, 0, 0] = [10, 20, 30, 255]
    assert draw(frames)[0, :2, 0].tolist() == [[10, 20, 30], [255, 255, 255]]


@pytest.mark.parametrize("fps", [0.5, 4.0, 30.0, 50.0])
def test_the_duration_of_all_frames_is_exact(fps: float) -> None:
    durations = gif_outline(video_message(np.zeros((90, 1, 1), np.uint8), fps)[0]["encoded_image"]).durations_ms
    assert sum(durations) == pytest.approx(1000 * 90 / fps, abs=10)
    assert max(durations) - min(durations) <= 10


@pytest.mark.parametrize(
    ("array", "text"),
    [
        (np.zeros((0, 4, 4)), "no pixels, want at least one frame"),
        (np.zeros((3, 0, 4, 3)), "no pixels"),
        (np.zeros((4, 4)), "want (T, H, W)"),
        (np.zeros(()), "want (T, H, W)"),
        (np.zeros((2, 5, 6, 7)), "C of 1, 3 or 4"),
        (np.zeros((1, 1, 2, 3, 4, 3)), "want (T, H, W)"),
        (np.zeros((10_000, 1, 1), np.uint8), "10000 frames, want at most 1000; record frames[::10]"),
        (np.broadcast_to(np.uint8(0), (999, 1024, 1024, 3)), "record fewer frames"),
        (np.broadcast_to(np.uint8(0), (1, 1, 70_000)), "sides of at most 65535"),
    ],
)
def test_what_is_no_video_is_refused_with_a_remedy(array: Array, text: str) -> None:
    with pytest.raises(ValueRejectedError) as caught:
        check_video(array)
    assert text in str(caught.value)


def test_complex_numbers_are_refused() -> None:
    with pytest.raises(TypeRejectedError, match="absolute value"):
        check_video(np.zeros((2, 2, 2), np.complex64))


def test_frames_per_second_stand_beside_the_frames() -> None:
    assert split_frames([1]) == ([1], 4.0)
    assert split_frames({"frames": [1]}) == ([1], 4.0)
    assert split_frames({"frames": [1], "fps": 25}) == ([1], 25.0)


@pytest.mark.parametrize("fps", [0, -1, 51, float("nan"), float("inf"), "fast", None])
def test_other_rates_are_refused(fps: Any) -> None:
    with pytest.raises(ValueRejectedError, match=r"fps is .*, want 0.01 to 50"):
        split_frames({"frames": [1], "fps": fps})


def test_other_keys_are_refused() -> None:
    with pytest.raises(ValueRejectedError, match="want"):
        split_frames({"frames": [1], "rate": 4})
