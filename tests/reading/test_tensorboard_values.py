# SPDX-License-Identifier: Apache-2.0
"""Values that writers of TensorBoard's files store in their own way."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mindscope.formats import dialects, tensorboard_tensors, wire
from mindscope.formats.tensorboard_schemas import VALUE
from mindscope.reading import export_run, open_run
from mindscope.types import DialectName, Kind
from tests.event_log import TENSORBOARD_NAME, append, tensorboard_event, tensorboard_version


def test_every_clip_of_a_step_is_read_and_exported(tmp_path: Path) -> None:
    clips = [b"RIFF\x04\0\0\0WAVE" + bytes([number]) for number in range(3)]
    with_labels = [text for clip in clips for text in (clip, b"")]
    shape = {"dim": [{"size": 3}, {"size": 2}]}
    metadata = {"plugin_data": {"plugin_name": "audio"}}
    value = {
        "tag": "speech",
        "metadata": metadata,
        "tensor": {"dtype": 7, "tensor_shape": shape, "string_val": with_labels},
    }
    run = tmp_path / "run"
    run.mkdir()
    append(run / TENSORBOARD_NAME.format(1), tensorboard_version() + tensorboard_event(5, value))
    audio = open_run(run).audio("speech")[0].value
    assert audio.clips == tuple(clips)
    assert audio.encoded == clips[0]
    export_run(open_run(run), tmp_path / "out")
    files = {path.name: path.read_bytes() for path in (tmp_path / "out" / "audio").rglob("*.wav")}
    assert files == {f"5_{number}.wav": clip for number, clip in enumerate(clips, start=1)}


@pytest.mark.framework
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("numbers", [[3.5, -2.0, 0.0, float("inf")], [0.0, 0.0]])
def test_half_tensors_of_pytorch_have_their_values(dtype: str, numbers: list[float]) -> None:
    torch = pytest.importorskip("torch")
    summary = pytest.importorskip("torch.utils.tensorboard.summary")
    written = summary.tensor_proto("t", torch.tensor(numbers, dtype=getattr(torch, dtype))).value[0]
    got = dialects.decode(DialectName.TENSORBOARD, Kind.TENSOR, written.SerializeToString()).value
    assert str(got.dtype) == dtype
    assert got.astype(np.float32).tolist() == numbers


def test_halves_that_are_stored_as_the_format_says_stay() -> None:
    bits = np.array([3.5, -2.0], np.float16).view(np.uint16).tolist()
    assert tensorboard_tensors._halves(np.array(bits, np.int32), np.dtype(np.float16)).tolist() == [3.5, -2.0]


def test_texts_of_two_dimensions_are_a_table() -> None:
    cells = [b"lr", b"0.1 | 0.2", b"note", b"two\nlines"]
    tensor = {"dtype": 7, "tensor_shape": {"dim": [{"size": 2}, {"size": 2}]}, "string_val": cells}
    value = wire.encode(VALUE, {"tag": "t", "tensor": tensor})
    assert dialects.decode(DialectName.TENSORBOARD, Kind.TEXT, value) == (
        "|  |  |\n| --- | --- |\n| lr | 0.1 \\| 0.2 |\n| note | two lines |",
    )
    flat = wire.encode(VALUE, {"tag": "t", "tensor": {**tensor, "tensor_shape": {"dim": [{"size": 4}]}}})
    assert dialects.decode(DialectName.TENSORBOARD, Kind.TEXT, flat) == ("lr", "0.1 | 0.2", "note", "two\nlines")
