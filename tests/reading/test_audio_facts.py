# SPDX-License-Identifier: Apache-2.0
"""What a log doesn't declare of a sound is read from its header, for Python, page and export alike."""

from __future__ import annotations

import io
import wave
from pathlib import Path

from mindscope.reading import export_run, open_run
from tests.event_log import TENSORBOARD_NAME, tensorboard_event, tensorboard_version


def wav(rate: int, channels: int, frames: int) -> bytes:
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setparams((channels, 2, rate, 0, "NONE", ""))
        file.writeframes(bytes(2 * channels * frames))
    return buffer.getvalue()


def test_sounds_of_tensorflow_have_rate_channels_and_length(tmp_path: Path) -> None:
    log = tmp_path / "run" / TENSORBOARD_NAME.format(1)
    log.parent.mkdir()
    plugin = {"plugin_data": {"plugin_name": "audio"}}
    clips = [wav(8000, 2, 40), b"", wav(16000, 1, 10), b""]  # each with its label
    shape = {"dim": [{"size": 2}, {"size": 2}]}
    tensor = {"dtype": 7, "tensor_shape": shape, "string_val": clips}
    undeclared = {"encoded_audio_string": wav(22050, 1, 7)}
    log.write_bytes(
        tensorboard_version()
        + tensorboard_event(
            1, {"tag": "new", "metadata": plugin, "tensor": tensor}, {"tag": "old", "audio": undeclared}
        )
    )
    run = open_run(log.parent)
    new, old = run.audio("new")[0].value, run.audio("old")[0].value
    assert (new.sample_rate, new.channels, new.frames, new.content_type) == (8000, 2, 40, "audio/wav")
    assert (old.sample_rate, old.channels, old.frames, old.content_type) == (22050, 1, 7, "audio/wav")
    assert len(new.clips) == 2
    names = {path.name for path in export_run(run, tmp_path / "out").files}
    assert names == {"1_1.wav", "1_2.wav", "1.wav"}
