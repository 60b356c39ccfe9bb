# SPDX-License-Identifier: Apache-2.0
"""Kinds that MindSpore's format has no message for: the same recorder, the same run, a file beside it."""

from __future__ import annotations

import io
import logging
import math
import wave
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mindscope import SummaryRecord, open_run
from mindscope.errors import ValueRejectedError
from mindscope.types import Kind, RecordedTable


def record(directory: Path, plugin: str, value: Any, step: int = 3) -> Any:
    with SummaryRecord(directory, raise_exception=True) as recorder:
        recorder.add_value("scalar", "loss", 0.5)
        recorder.add_value(plugin, "it", value)
        recorder.record(step)
    run = open_run(str(directory))
    assert run.damages == ()
    assert run.scalars("loss").step.tolist() == [step]
    return run


def table(directory: Path, value: Any) -> RecordedTable:
    (sample,) = record(directory, "table", value).tables("it")
    assert sample.step == 3
    return sample.value


def cells(value: RecordedTable) -> dict[str, tuple[str, list[Any]]]:
    return {column.name: (column.type, list(column.values)) for column in value.columns}


def test_text_and_html(tmp_path: Path) -> None:
    run = record(tmp_path / "text", "text", "**ü** \ud800")
    assert run.texts("it")[0].value == ("**ü** \\ud800",)
    assert record(tmp_path / "html", "html", "<b>x</b>").html_pages("it")[0].value == "<b>x</b>"


def test_files_are_in_one_run(tmp_path: Path) -> None:
    with SummaryRecord(tmp_path) as recorder:
        for step in range(5):
            recorder.add_value("scalar", "loss", 1.0)
            recorder.add_value("image", "image", np.zeros((4, 4)))
            recorder.add_value("text", "text", str(step))
            recorder.record(step)
    assert len(list(tmp_path.glob("*tfevents*"))) == 1
    assert len(list(tmp_path.glob("*_MS"))) == 1
    run = open_run(str(tmp_path))
    assert run.scalars("loss").step.tolist() == run.texts("text").step.tolist() == list(range(5))
    assert len(run.images("image")) == 5


def test_no_file_without_such_a_value(tmp_path: Path) -> None:
    with SummaryRecord(tmp_path) as recorder:
        recorder.add_value("scalar", "loss", 1.0)
        recorder.record(1)
    assert not list(tmp_path.glob("*tfevents*"))


@pytest.mark.parametrize(
    ("samples", "rate", "shape"),
    [
        (np.linspace(-1, 1, 100), 44_100, (100, 1)),
        ({"samples": np.zeros((2, 50)), "sample_rate": 8000}, 8000, (50, 2)),
        ({"samples": np.zeros((50, 2), np.int16), "sample_rate": 8000}, 8000, (50, 2)),
        (np.arange(256, dtype=np.uint8), 44_100, (256, 1)),
    ],
)
def test_audio(tmp_path: Path, samples: Any, rate: int, shape: tuple[int, int]) -> None:
    audio = record(tmp_path, "audio", samples).audio("it")[0].value
    assert (audio.sample_rate, audio.frames, audio.channels) == (rate, *shape)
    with wave.open(io.BytesIO(audio.encoded)) as file:
        assert (file.getnframes(), file.getnchannels()) == shape


def test_audio_is_exact_and_clipped(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    audio = record(tmp_path / "a", "audio", np.array([-1.0, 0.5, 1.0, 2.0, math.nan])).audio("it")[0].value
    assert np.frombuffer(audio.encoded[44:], "<i2").tolist() == [-32767, 16383, 32767, 32767, 0]
    assert "clipped" in caplog.text
    exact = np.array([-32768, 5, 32767], np.int16)
    audio = record(tmp_path / "b", "audio", exact).audio("it")[0].value
    assert np.frombuffer(audio.encoded[44:], "<i2").tolist() == exact.tolist()


def test_curve_mesh_and_hyperparameters(tmp_path: Path) -> None:
    run = record(tmp_path / "curve", "pr_curve", {"labels": [0, 1, 1], "predictions": [0.2, 0.9, 0.4]})
    curve = run.pr_curves("it")[0].value.value
    assert curve.shape == (6, 127)
    assert curve[:4, 0].tolist() == [2, 1, 0, 0]
    run = record(tmp_path / "mesh", "mesh", {"vertices": np.arange(6.0).reshape(2, 3), "faces": [[0, 1, 0]]})
    assert set(run.tags("mesh")) == {"it_FACE", "it_VERTEX"}
    assert run.meshes("it_VERTEX")[0].value.value.tolist() == [[[0, 1, 2], [3, 4, 5]]]
    run = record(tmp_path / "hparams", "hparams", {"lr": np.float32(0.5), "name": "adam", "on": True, "no": None})
    assert run.hparams == {"lr": 0.5, "name": "adam", "on": 1.0}


def test_embedding_files(tmp_path: Path) -> None:
    value = {"vectors": np.eye(3), "metadata": ["a", "b\tc", "d\ne"], "images": np.zeros((3, 1, 4, 4))}
    record(tmp_path, "embedding", value)
    folder = tmp_path / "00003" / "it"
    assert np.array_equal(np.loadtxt(folder / "tensors.tsv"), np.eye(3))
    assert (folder / "metadata.tsv").read_text() == "a\nb c\nd e\n"
    assert (folder / "sprite.png").read_bytes().startswith(b"\x89PNG")
    assert 'tensor_name: "it:00003"' in (tmp_path / "projector_config.pbtxt").read_text()


def test_table_of_dicts_and_rows(tmp_path: Path) -> None:
    columns = {"label": ["cat", None], "p": [0.5, math.inf], "n": [1, 2], "ok": [True, False], "mixed": [1, "x"]}
    found = cells(table(tmp_path / "columns", columns))
    assert found == {
        "label": ("text", ["cat", None]),
        "p": ("number", [0.5, math.inf]),
        "n": ("number", [1, 2]),
        "ok": ("bool", [True, False]),
        "mixed": ("text", ["1", "x"]),
    }
    rows = [{"a": 1}, {"b": "x"}]
    assert cells(table(tmp_path / "rows", rows)) == {"a": ("number", [1, None]), "b": ("text", [None, "x"])}
    plain = {"columns": ["a", "b"], "data": [[1, "x"], [2, "y"]]}
    assert cells(table(tmp_path / "data", plain)) == {"a": ("number", [1, 2]), "b": ("text", ["x", "y"])}
    assert cells(table(tmp_path / "array", np.array([[1.0, 2.0]]))) == {"0": ("number", [1]), "1": ("number", [2])}
    assert table(tmp_path / "empty", {}).rows == 0


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_table_of_a_frame(tmp_path: Path, library: str) -> None:
    module: Any = pytest.importorskip(library)
    data = {"a": [1, 2], "b": ["x", None], "c": [0.5, math.nan]}
    frame = module.table(data) if library == "pyarrow" else module.DataFrame(data)
    found = cells(table(tmp_path, frame))
    assert found["a"] == ("number", [1, 2])
    assert found["b"][1][0] == "x"
    assert found["c"][1][0] == 0.5
    assert math.isnan(found["c"][1][1])


def test_media_in_cells(tmp_path: Path) -> None:
    from PIL import Image

    picture = np.zeros((4, 5, 3), np.uint8)
    sound = {"samples": np.zeros(10), "sample_rate": 8000}
    found = table(tmp_path, {"image": [picture, Image.new("L", (3, 2)), None], "sound": [sound, None, None]})
    assert cells(found) == {"image": ("media", [0, 1, None]), "sound": ("media", [2, None, None])}
    assert [kind for kind, _ in found.media] == ["image/png", "image/png", "audio/wav"]
    assert Image.open(io.BytesIO(found.media[0][1])).size == (5, 4)


@pytest.mark.framework
def test_figure_leaves_the_figure_as_it_is(tmp_path: Path) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure: Any = plt.figure(figsize=(2, 1))
    figure.add_subplot().plot([1, 2])
    canvas, dpi = figure.canvas, figure.dpi
    image = record(tmp_path, "figure", figure).images("it")[0].value[0]
    assert (image.width, image.height) == (200, 100)
    assert figure.canvas is canvas
    assert figure.dpi == dpi
    assert plt.fignum_exists(figure.number)
    figure.canvas.draw()
    assert np.array_equal(image.pixels(), np.asarray(figure.canvas.buffer_rgba())[:, :, :3])
    plt.close(figure)


@pytest.mark.framework
def test_values_of_frameworks(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    jax = pytest.importorskip("jax.numpy")
    run = record(tmp_path / "torch", "audio", torch.zeros(1, 10, requires_grad=True))
    assert run.audio("it")[0].value.frames == 10
    run = record(tmp_path / "jax", "pr_curve", {"labels": jax.array([0, 1]), "predictions": jax.array([0.1, 0.9])})
    assert len(run.pr_curves("it")) == 1
    found = cells(table(tmp_path / "table", {"loss": [torch.tensor(0.5), jax.array(2.0)]}))
    assert found == {"loss": ("number", [0.5, 2.0])}


BAD: list[tuple[str, Any]] = [
    ("text", 3),
    ("html", b"x"),
    ("audio", np.zeros((20, 20, 20))),
    ("audio", "x"),
    ("audio", {"samples": [0.0], "rate": 1}),
    ("audio", {"samples": [0.0], "sample_rate": 0}),
    ("pr_curve", {"labels": [1]}),
    ("pr_curve", {"labels": [1], "predictions": [2]}),
    ("mesh", np.zeros((3, 4))),
    ("mesh", {"faces": []}),
    ("hparams", 3),
    ("hparams", {"a": object()}),
    ("embedding", np.zeros(3)),
    ("embedding", {"vectors": np.eye(2), "metadata": ["a"]}),
    ("table", 3),
    ("table", {"a": [1], "b": []}),
    ("table", {"a": "text"}),
    ("figure", np.zeros(3)),
]


@pytest.mark.parametrize(("plugin", "value"), BAD)
def test_a_bad_value_is_said_and_loses_nothing_else(
    tmp_path: Path, plugin: str, value: Any, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "mindscope"), SummaryRecord(tmp_path) as recorder:
        recorder.add_value(plugin, "it", value)
        recorder.add_value("scalar", "loss", 1.0)
        recorder.record(1)
    assert f"{plugin} 'it' was not recorded" in caplog.text
    run = open_run(str(tmp_path))
    assert run.dropped == 1
    assert run.scalars("loss").step.tolist() == [1]
    with SummaryRecord(tmp_path / "raises", raise_exception=True) as recorder, pytest.raises(ValueRejectedError):
        recorder.add_value(plugin, "it", value)


def test_plugin_filter(tmp_path: Path) -> None:
    with SummaryRecord(tmp_path) as recorder:
        recorder.add_value("text", "kept", "a")
        recorder.add_value("table", "filtered", {"a": [1]})
        recorder.record(1, plugin_filter=lambda plugin: plugin != "table")
    run = open_run(str(tmp_path))
    assert run.tags("text") == ("kept",)
    assert Kind.TABLE not in run.kinds


FORK = """
import os, sys
from mindscope import SummaryRecord
recorder = SummaryRecord(sys.argv[1])
recorder.add_value("text", "parent", "a")
recorder.record(1)
child = os.fork()
if child == 0:
    recorder.add_value("text", "child", "b")
    recorder.record(2)
    recorder.close()
    os._exit(0)
os.waitpid(child, 0)
recorder.close()
"""


def test_a_forked_child_writes_to_its_own_file(log: Any, run_program: Callable[..., Any]) -> None:
    run_program(FORK)
    assert set(open_run(str(log.directory)).tags("text")) == {"parent", "child"}
    assert len(list(log.directory.glob("*tfevents*"))) == 2


def test_a_small_picture_of_pillow_keeps_its_axes(tmp_path: Path) -> None:
    from PIL import Image

    image = record(tmp_path, "figure", Image.new("RGB", (7, 3), "red")).images("it")[0].value[0]
    assert (image.width, image.height) == (7, 3)
    assert image.pixels()[0, 0].tolist() == [255, 0, 0]


def test_damaged_tables_are_errors(tmp_path: Path) -> None:
    from mindscope.errors import FormatError
    from mindscope.formats import wire
    from mindscope.formats.kinds.table import TABLE
    from mindscope.formats.tensorboard_schemas import VALUE
    from mindscope.formats.tensorboard_values import plugin_metadata, text_tensor

    assert TABLE.tensorboard
    text = '{"name": "a", "type": "text", "values": '
    columns = [
        '[{"name": "a", "type": "odd", "values": []}]',
        '[{"name": "a", "type": "media", "values": [0]}]',
        '[{"name": "a", "type": "media", "values": [true]}]',
        '[{"name": "a", "type": "number", "values": ["x"]}]',
        f"[{text}[1]}}, {text}[]}}]",
        "3",
    ]
    texts = [f'{{"columns": {each}, "media": []}}' for each in columns]
    for content in ("{", "[]", "[" * 100_000, *texts):
        value = {"tag": "t", "tensor": text_tensor([content.encode()]), "metadata": plugin_metadata("mindscope_table")}
        with pytest.raises(FormatError):
            TABLE.tensorboard.decode(wire.encode(VALUE, value))


def test_export_writes_tables_and_pages(tmp_path: Path) -> None:
    from mindscope.reading import ExportOptions, export_run

    run = record(tmp_path / "a", "table", {"a": [1.5, None], "b": ["x,y", "z"]})
    report = export_run(run, tmp_path / "out", ExportOptions())
    (file,) = (path for path in (tmp_path / "out").rglob("*.csv") if "tables" in path.parts)
    assert file.read_text().splitlines() == ["a,b", '1.5,"x,y"', ",z"]
    assert not report.failures
    export_run(record(tmp_path / "b", "html", "<p>"), tmp_path / "pages", ExportOptions())
    (file,) = (tmp_path / "pages").rglob("*.html")
    assert file.read_text() == "<p>"
