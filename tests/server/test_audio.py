# SPDX-License-Identifier: Apache-2.0
"""Sounds that are broken are told with step, file and byte; those that can be played are handed out."""

from __future__ import annotations

import io
import wave
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.testclient import TestClient

from mindscope.formats.audio_header import AudioHeader, audio_type, read_audio_header
from mindscope.ingest import Catalog
from mindscope.server.app import create_app
from mindscope.server.values.audio import find_clip
from mindscope.server.values.query import list_values
from mindscope.settings import Settings
from mindscope.types import Kind
from tests.event_log import TENSORBOARD_NAME, tensorboard_event, tensorboard_version
from tests.ingest.audited import opened_files

Ask = Callable[..., httpx.Response]


def whole_wave(frames: int = 800) -> bytes:
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setparams((1, 2, 8000, 0, "NONE", ""))
        file.writeframes(bytes(2 * frames))
    return buffer.getvalue()


def flac(rate: int, channels: int, frames: int) -> bytes:
    """The mark and the first block of a FLAC: its STREAMINFO."""
    facts = rate << 44 | channels - 1 << 41 | 15 << 36 | frames
    return b"fLaC\x80\0\0\x22" + bytes(10) + facts.to_bytes(8, "big") + bytes(16)


def ogg(packet: bytes) -> bytes:
    """Two pages of an Ogg: ``packet`` in the first, 4410 frames up to the end of the last."""
    first = b"OggS\0\x02" + bytes(20) + bytes([1, len(packet)]) + packet
    return first + b"OggS\0\x04" + (4410).to_bytes(8, "little") + bytes(12) + b"\0"


@pytest.fixture
def ask(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Ask]:
    """Asks an address about the one value of a log: its sound is the parameter, or its clips are."""
    (tmp_path / "logs" / "run").mkdir(parents=True)
    value = (
        batch(request.param) if isinstance(request.param, list) else {"audio": {"encoded_audio_string": request.param}}
    )
    log_of(tmp_path).write_bytes(tensorboard_version() + tensorboard_event(7, {"tag": "tone", **value}))
    catalog = Catalog(tmp_path / "logs")
    catalog.refresh()
    app = create_app(Settings(summary_base_dir=tmp_path / "logs", workspace=tmp_path), catalog)
    with TestClient(app, "http://localhost") as http:
        names = {"run": "run", "tag": "tone"}
        (id,) = http.get("/api/values", params={**names, "kind": "audio"}).json()["id"]
        yield lambda address, **more: http.get(address, params={**names, "id": id, **more})


def batch(clips: list[bytes]) -> dict[str, Any]:
    """Clips as ``tf.summary.audio`` stores them: a row of sound and label each."""
    texts = [text for clip in clips for text in (clip, b"")]
    shape = {"dim": [{"size": len(clips)}, {"size": 2}]}
    tensor = {"dtype": 7, "tensor_shape": shape, "string_val": texts}
    return {"tensor": tensor, "metadata": {"plugin_data": {"plugin_name": "audio"}}}


def log_of(room: Path) -> Path:
    return room / "logs" / "run" / TENSORBOARD_NAME.format(1)


@pytest.mark.parametrize(
    ("ask", "code", "encoded", "status"),
    [
        (broken, code, broken, status)
        for broken, code, status in (
            (b"<svg>this is a picture", "not_audio", 415),
            (b"RIFF\x10\0\0\0WEBPVP8 ", "not_audio", 415),
            (b"", "audio_empty", 415),
            (whole_wave()[:-100], "audio_truncated", 200),
        )
    ],
    indirect=["ask"],
)
def test_a_broken_sound_is_told_with_step_and_byte(ask: Ask, tmp_path: Path, code: str, encoded: bytes, status: int):
    facts = ask("/api/audio").json()
    values = facts["damage"]["values"]
    assert (facts["damage"]["code"], facts["size_bytes"]) == (code, len(encoded))
    assert (values["step"], values["file"], values["offset"]) == (7, facts["file"], facts["offset"])
    assert log_of(tmp_path).name == facts["file"]
    assert log_of(tmp_path).read_bytes()[facts["offset"] :].startswith(encoded)
    answer = ask("/api/audio/data")
    assert answer.status_code == status
    assert answer.content == encoded if status == 200 else answer.json()["error"]["code"] == code


@pytest.mark.parametrize(
    "ask",
    [whole_wave(), whole_wave()[:4] + b"\xff\xff\xff\xff" + whole_wave()[8:], b"OggS" + bytes(20)],
    indirect=True,
)
def test_nothing_is_wrong_with_a_sound_that_tells_no_length(ask: Ask):
    assert ask("/api/audio").json()["damage"] is None
    assert ask("/api/audio/data").status_code == 200


CLIPS = [whole_wave(800), whole_wave(1600)[:-100], whole_wave(2400), flac(44100, 2, 4410)]


@pytest.mark.parametrize("ask", [CLIPS], indirect=True)
def test_each_clip_of_a_value_is_described_and_handed_out(ask: Ask, tmp_path: Path):
    found = [ask("/api/audio", clip=clip).json() for clip in range(4)]
    assert [facts["clips"] for facts in found] == [4, 4, 4, 4]
    assert [facts["frames"] for facts in found] == [800, 1600, 2400, 4410]
    assert [facts["duration_s"] for facts in found] == pytest.approx([0.1, 0.2, 0.3, 0.1])
    assert [facts["sample_rate"] for facts in found] == [8000, 8000, 8000, 44100]
    assert [facts["size_bytes"] for facts in found] == [len(clip) for clip in CLIPS]
    assert [facts["damage"] and facts["damage"]["code"] for facts in found] == [None, "audio_truncated", None, None]
    log = log_of(tmp_path).read_bytes()
    for number, clip in enumerate(CLIPS):
        assert log[found[number]["offset"] :].startswith(clip)
        assert ask("/api/audio/data", clip=number).content == clip
    assert ask("/api/audio/data", clip=3).headers["content-type"] == "audio/flac"
    assert ask("/api/audio/data").content == CLIPS[0]


@pytest.mark.parametrize("ask", [CLIPS, whole_wave()], indirect=True)
@pytest.mark.parametrize("address", ["/api/audio", "/api/audio/data"])
def test_a_clip_that_is_not_there_is_refused(ask: Ask, address: str):
    answer = ask(address, clip=4)
    error = answer.json()["error"]
    assert (answer.status_code, error["code"], error["values"]["clip"]) == (404, "clip_not_found", 4)
    assert ask(address, clip=-1).status_code == 422
    assert ask(address, clip="x").json()["error"]["code"] == "invalid_request"


@pytest.mark.parametrize(
    ("encoded", "header"),
    [
        (whole_wave(800), AudioHeader(8000, 1, 800)),
        (flac(96_000, 8, 2**33), AudioHeader(96_000, 8, 2**33)),
        (ogg(b"\x01vorbis" + bytes(4) + b"\x02" + (44_100).to_bytes(4, "little")), AudioHeader(44_100, 2, 4410)),
        (ogg(b"OpusHead\x01\x01" + (312).to_bytes(2, "little") + bytes(4)), AudioHeader(48_000, 1, 4410 - 312)),
        (3 * (b"\xff\xfb\x90\x44" + bytes(413)), AudioHeader(44_100, 2, 3 * 1152)),  # 128 kbit/s
        (b"ID3\x04\0\0\0\0\x01\x02" + bytes(130) + b"\xff\xf3\x44\xc4" + bytes(140), AudioHeader(24_000, 1, 576)),
        (b"\xff\xfb\xf0\x44", AudioHeader()),
    ],
)
def test_headers_tell_rate_channels_and_length(encoded: bytes, header: AudioHeader):
    assert read_audio_header(encoded) == header


@pytest.mark.parametrize("whole", [*CLIPS, ogg(b"OpusHead\x01\x01" + bytes(6)), b"\xff\xfb\x90\x44" + bytes(500)])
def test_a_header_that_breaks_off_is_no_error(whole: bytes):
    for end in range(60):
        assert read_audio_header(whole[:end]).frames >= 0


@pytest.mark.parametrize(
    ("start", "media_type"),
    [(b"OggS", "audio/ogg"), (b"fLaC", "audio/flac"), (b"ID3\x04", "audio/mpeg"), (b"<svg", None)],
)
def test_only_sounds_are_sounds(start: bytes, media_type: str | None):
    assert audio_type(start + bytes(20)) == media_type


def test_a_sound_is_read_once(tmp_path: Path):
    log_of(tmp_path).parent.mkdir(parents=True)
    sound = tensorboard_event(7, {"tag": "tone", "audio": {"encoded_audio_string": whole_wave()}})
    log_of(tmp_path).write_bytes(tensorboard_version() + sound)
    catalog = Catalog(tmp_path / "logs")
    catalog.refresh()
    (id,) = list_values(catalog, "run", Kind.AUDIO, "tone").id
    with opened_files() as opened:
        found = find_clip(catalog.run("run"), "tone", id, clip=0)
    assert found is not None
    assert found.audio.encoded == whole_wave()
    assert opened == [str(log_of(tmp_path))]
