# SPDX-License-Identifier: Apache-2.0
"""Which images of a log are videos, and what the blocks of a GIF say without decoding it."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image as PillowImage

from mindscope import SummaryRecord
from mindscope.errors import FormatError
from mindscope.formats import mindspore_schemas, tensorboard_schemas, wire
from mindscope.formats.kinds import refined_kind
from mindscope.formats.kinds.video import gif_outline, is_animated
from mindscope.reading import open_run
from mindscope.types import DialectName, Image, Kind, Video
from tests.event_log import (
    MINDSPORE_NAME,
    TENSORBOARD_NAME,
    append,
    event,
    tensorboard_event,
    tensorboard_version,
    version,
)
from tests.formats.test_scan import rows_by_rule, rows_by_scan

TENSORBOARD = DialectName.TENSORBOARD


def gif(frames: int, **options: Any) -> bytes:
    """As other programs write it: only what differs from the frame before."""
    first, *more = [PillowImage.new("L", (8, 6), number % 200) for number in range(frames)]
    file = io.BytesIO()
    first.save(file, "GIF", save_all=True, append_images=more, **options)
    return file.getvalue()


def repeated(encoded: bytes, frames: int) -> bytes:
    """The GIF with its last frame as often as it takes to have so many; to encode thousands takes Pillow seconds."""
    last = encoded.rindex(b"!\xf9")
    count = encoded.count(b"!\xf9\x04")
    return encoded[:-1] + encoded[last:-1] * (frames - count) + encoded[-1:]


PICTURES = {
    "still": gif(1),
    "animated": gif(3, duration=40),
    "looping": gif(3, duration=[30, 50, 70], loop=0),
    "long": repeated(gif(3, duration=20), 10_000),
    "png": b"\x89PNG\r\n\x1a\n" + bytes(20),
    "none": b"",
    "start": b"GIF89a",
}


@pytest.mark.parametrize(("name", "want"), [(name, name in ("animated", "looping", "long")) for name in PICTURES])
def test_a_gif_that_moves_is_a_video(name: str, want: bool) -> None:
    encoded = PICTURES[name]
    for schema, field in (
        (tensorboard_schemas.VALUE, "encoded_image_string"),
        (mindspore_schemas.VALUE, "encoded_image"),
    ):
        size = {"height": 6, "width": 8, "colorspace": 3}
        value = wire.encode(schema, {"tag": "a", "image": {**size, field: encoded}})
        assert refined_kind(Kind.IMAGE, memoryview(value)) is (Kind.VIDEO if want else Kind.IMAGE)
        assert refined_kind(Kind.TENSOR, value) is Kind.TENSOR
    assert is_animated(encoded) is want


def test_the_outline_is_what_pillow_decodes() -> None:
    outline = gif_outline(PICTURES["looping"])
    assert (outline.width, outline.height, outline.is_whole) == (8, 6, True)
    assert outline.durations_ms == (30, 50, 70)
    assert len(gif_outline(PICTURES["long"]).durations_ms) == 10_000
    frames = list(Video(6, 8, PICTURES["looping"]).frames())
    assert [frame.shape for frame in frames] == [(6, 8, 3)] * 3


def test_a_gif_that_breaks_off_anywhere_has_only_whole_frames() -> None:
    whole = PICTURES["looping"]
    counts: list[int] = []
    for end in range(6, len(whole)):
        outline = gif_outline(whole[:end])
        assert not outline.is_whole
        counts.append(len(outline.durations_ms))
        is_animated(whole[:end])
    assert counts == sorted(counts)
    assert set(counts) == {0, 1, 2, 3}


def test_any_byte_may_be_another() -> None:
    whole = PICTURES["looping"]
    for at in range(6, len(whole)):
        for byte in (0, 0x21, 0x2C, 0x3B, 0xFF):
            damaged = whole[:at] + bytes([byte]) + whole[at + 1 :]
            gif_outline(damaged)
            is_animated(damaged)


def test_a_video_that_breaks_off_says_so() -> None:
    with pytest.raises(FormatError, match="video"):
        list(Video(6, 8, PICTURES["looping"][:20]).frames())


def pictures(names: tuple[str, ...]) -> list[dict[str, Any]]:
    return [
        {
            "tag": f"tag/{name}",
            "image": {"height": 6, "width": 8, "colorspace": 3, "encoded_image_string": PICTURES[name]},
        }
        for name in names
    ]


def test_tensorboard_logs_have_images_and_videos(tmp_path: Path) -> None:
    """As PyTorch's add_image and add_video write them, with and without the name of the plugin."""
    named = {"metadata": {"plugin_data": {"plugin_name": "images"}}}
    values = pictures(("still", "animated", "looping"))
    log = tensorboard_version() + b"".join(
        tensorboard_event(step, *values, {**values[1], "tag": "named", **named}) for step in (1, 2)
    )
    append(tmp_path / TENSORBOARD_NAME.format(1), log)
    run = open_run(tmp_path)
    assert list(run.tags(Kind.IMAGE)) == ["tag/still"]
    assert sorted(run.tags("video")) == ["named", "tag/animated", "tag/looping"]
    series = run.values("video", "tag/looping")
    assert list(series.step) == [1, 2]
    video = series[1].value
    assert isinstance(video, Video)
    assert video.encoded == PICTURES["looping"]
    assert isinstance(run.images("tag/still")[0].value[0], Image)


def test_a_tag_may_have_both(tmp_path: Path) -> None:
    (still,), (moving,) = pictures(("still",)), pictures(("animated",))
    log = tensorboard_version() + tensorboard_event(1, still) + tensorboard_event(2, {**moving, "tag": still["tag"]})
    append(tmp_path / TENSORBOARD_NAME.format(1), log)
    run = open_run(tmp_path)
    assert list(run.values("image", "tag/still").step) == [1]
    assert list(run.values("video", "tag/still").step) == [2]


def test_the_compiled_scan_finds_the_same() -> None:
    names = ("still", "animated", "looping", "png", "none", "start")
    texts = {"tag": "tag/told", "tensor": {"dtype": 7, "string_val": [PICTURES["animated"]]}}
    texts |= {"metadata": {"plugin_data": {"plugin_name": "images"}}}
    log = tensorboard_version() + b"".join(
        tensorboard_event(step, *pictures(names), texts, {**pictures(("animated",))[0], **texts}) for step in range(4)
    )
    by_rule, by_scan = rows_by_rule(log, TENSORBOARD), rows_by_scan(log, TENSORBOARD, [500, 900])
    assert by_rule[0] == by_scan[0]
    assert any(kind is Kind.VIDEO for kind, _ in by_rule[0])


def test_recorded_videos_are_read_again(tmp_path: Path) -> None:
    frames = np.arange(4 * 5 * 6, dtype=np.uint8).reshape(4, 5, 6)
    with SummaryRecord(str(tmp_path), raise_exception=True) as record:
        record.add_value("video", "clip", {"frames": list(frames), "fps": 10})
        record.add_value("image", "clip", frames[0])
        record.record(1)
    run = open_run(tmp_path)
    assert (list(run.tags("video")), list(run.tags("image"))) == (["clip"], ["clip"])
    video = run.values("video", "clip")[0].value
    assert (video.height, video.width) == (5, 6)
    assert gif_outline(video.encoded).durations_ms == (100,) * 4
    np.testing.assert_array_equal(np.stack(list(video.frames()))[..., 0], frames)


def test_mindspore_logs_keep_the_field_of_images(tmp_path: Path) -> None:
    image = {"height": 6, "width": 8, "colorspace": 3, "encoded_image": PICTURES["looping"]}
    append(tmp_path / MINDSPORE_NAME.format(1), version() + event(3, {"tag": "clip", "image": image}))
    run = open_run(tmp_path)
    assert list(run.values("video", "clip").step) == [3]
