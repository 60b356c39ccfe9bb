# SPDX-License-Identifier: Apache-2.0
"""Sounds that are broken are told with step, file and byte; those that can be played are handed out."""

from __future__ import annotations

import io
import wave
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from starlette.testclient import TestClient

from mindscope.ingest import Catalog
from mindscope.server.app import create_app
from mindscope.server.sounds import find_sound, sound_type
from mindscope.server.values import list_values
from mindscope.settings import Settings
from mindscope.types import Kind
from tests.event_log import TENSORBOARD_NAME, tensorboard_event, tensorboard_version
from tests.ingest.audited import opened_files

Ask = Callable[[str], httpx.Response]


def whole_wave(frames: int = 800) -> bytes:
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setparams((1, 2, 8000, 0, "NONE", ""))
        file.writeframes(bytes(2 * frames))
    return buffer.getvalue()


@pytest.fixture
def ask(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Ask]:
    """Asks an address about the one sound of a log, which is the parameter."""
    (tmp_path / "logs" / "run").mkdir(parents=True)
    sound = tensorboard_event(7, {"tag": "tone", "audio": {"encoded_audio_string": request.param}})
    log_of(tmp_path).write_bytes(tensorboard_version() + sound)
    catalog = Catalog(tmp_path / "logs")
    catalog.refresh()
    app = create_app(Settings(summary_base_dir=tmp_path / "logs", workspace=tmp_path), catalog)
    with TestClient(app, "http://localhost") as http:
        names = {"run": "run", "tag": "tone"}
        (id,) = http.get("/api/values", params={**names, "kind": "audio"}).json()["id"]
        yield lambda address: http.get(address, params={**names, "id": id})


def log_of(room: Path) -> Path:
    return room / "logs" / "run" / TENSORBOARD_NAME.format(1)


@pytest.mark.parametrize(
    ("ask", "code", "encoded", "status"),
    [
        (broken, code, broken, status)
        for broken, code, status in (
            (b"<svg>this is a picture", "not_a_sound", 415),
            (b"RIFF\x10\0\0\0WEBPVP8 ", "not_a_sound", 415),
            (b"", "sound_empty", 415),
            (whole_wave()[:-100], "sound_cut", 200),
        )
    ],
    indirect=["ask"],
)
def test_a_broken_sound_is_told_with_step_and_byte(ask: Ask, tmp_path: Path, code: str, encoded: bytes, status: int):
    facts = ask("/api/sound").json()
    values = facts["damage"]["values"]
    assert (facts["damage"]["code"], facts["size_bytes"]) == (code, len(encoded))
    assert (values["step"], values["file"], values["offset"]) == (7, facts["file"], facts["offset"])
    assert log_of(tmp_path).name == facts["file"]
    assert log_of(tmp_path).read_bytes()[facts["offset"] :].startswith(encoded)
    answer = ask("/api/audio")
    assert answer.status_code == status
    assert answer.content == encoded if status == 200 else answer.json()["error"]["code"] == code


@pytest.mark.parametrize(
    "ask",
    [whole_wave(), whole_wave()[:4] + b"\xff\xff\xff\xff" + whole_wave()[8:], b"OggS" + bytes(20)],
    indirect=True,
)
def test_nothing_is_wrong_with_a_sound_that_tells_no_length(ask: Ask):
    assert ask("/api/sound").json()["damage"] is None
    assert ask("/api/audio").status_code == 200


@pytest.mark.parametrize(
    ("start", "media_type"),
    [(b"OggS", "audio/ogg"), (b"fLaC", "audio/flac"), (b"ID3\x04", "audio/mpeg"), (b"<svg", None)],
)
def test_only_sounds_are_sounds(start: bytes, media_type: str | None):
    assert sound_type(start + bytes(20)) == media_type


def test_a_sound_is_read_once(tmp_path: Path):
    log_of(tmp_path).parent.mkdir(parents=True)
    sound = tensorboard_event(7, {"tag": "tone", "audio": {"encoded_audio_string": whole_wave()}})
    log_of(tmp_path).write_bytes(tensorboard_version() + sound)
    catalog = Catalog(tmp_path / "logs")
    catalog.refresh()
    (id,) = list_values(catalog, "run", Kind.AUDIO, "tone").id
    with opened_files() as opened:
        found = find_sound(catalog, "run", "tone", id)
    assert found is not None
    assert found.audio.encoded == whole_wave()
    assert opened == [str(log_of(tmp_path))]
