# SPDX-License-Identifier: Apache-2.0
"""Projector files of real writers: what was written, and what TensorBoard's projector reads of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mindscope
from mindscope.embeddings.config import EmbeddingFiles, embeddings_of
from mindscope.embeddings.embedding import read_embedding

RANDOM = np.random.default_rng(5)
MATRIX = RANDOM.normal(size=(9, 4)).astype(np.float32)
IMAGES = RANDOM.random(size=(9, 3, 8, 8)).astype(np.float32)
LABELS = [["a b", str(number)] for number in range(9)]
TORCH = pytest.mark.framework


def torch_writer(directory: Path) -> Any:
    return pytest.importorskip("torch.utils.tensorboard").SummaryWriter(str(directory))


def tensorboardx_writer(directory: Path) -> Any:
    return pytest.importorskip("tensorboardX").SummaryWriter(str(directory))


def our_writer(directory: Path) -> Any:
    from mindscope.tensorboard import SummaryWriter

    return SummaryWriter(str(directory))


@pytest.fixture(
    params=[pytest.param(torch_writer, marks=TORCH), pytest.param(tensorboardx_writer, marks=TORCH), our_writer]
)
def written(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    make: Callable[[Path], Any] = request.param
    writer = make(tmp_path)
    writer.add_embedding(
        MATRIX,
        metadata=LABELS,
        metadata_header=["name", "number"],
        label_img=images_for(make),
        global_step=7,
        tag="x/y",
    )
    writer.add_embedding(MATRIX + 1, tag="plain", metadata=list(range(9)))
    writer.close()
    return tmp_path


def images_for(make: Callable[[Path], Any]) -> Any:
    return pytest.importorskip("torch").from_numpy(IMAGES) if make is torch_writer else IMAGES


def by_tag(run: Path) -> dict[str, EmbeddingFiles]:
    return {files.tag: files for files in embeddings_of(run)}


def test_values_are_those_that_were_written(written: Path) -> None:
    files = by_tag(written)
    assert set(files) == {"x/y", "plain"}
    assert (files["x/y"].step, files["plain"].step) == (7, 0)
    first = read_embedding(written, files["x/y"])
    np.testing.assert_array_equal(first.vectors.values, MATRIX)
    assert (first.vectors.total, first.vectors.stride, first.vectors.not_finite) == (9, 1, 0)
    assert [column.name for column in first.metadata] == ["name", "number"]
    name, number = first.metadata
    assert name.numbers is None
    assert [name.texts[code] for code in name.codes] == ["a b"] * 9
    assert number.numbers is not None
    assert number.numbers.tolist() == list(range(9))
    plain = read_embedding(written, files["plain"])
    np.testing.assert_array_equal(plain.vectors.values, MATRIX + 1)
    assert [column.name for column in plain.metadata] == ["label"]
    assert not first.problems
    assert not plain.problems
    assert files["x/y"].sprite_size == (8, 8)
    assert (written / files["x/y"].sprite_path).read_bytes().startswith(b"\x89PNG")


@pytest.mark.framework
def test_files_are_those_that_the_projector_of_tensorboard_reads(written: Path) -> None:
    context = pytest.importorskip("tensorboard.plugins.base_plugin")
    plugin_module = pytest.importorskip("tensorboard.plugins.projector.projector_plugin")
    multiplexer_module = pytest.importorskip("tensorboard.backend.event_processing.plugin_event_multiplexer")
    provider = pytest.importorskip("tensorboard.backend.event_processing.data_provider")
    werkzeug = pytest.importorskip("werkzeug.test")
    wrappers = pytest.importorskip("werkzeug.wrappers")
    multiplexer = multiplexer_module.EventMultiplexer({".": str(written)}).Reload()
    data = provider.MultiplexerDataProvider(multiplexer, str(written))
    context = context.TBContext(logdir=str(written), multiplexer=multiplexer, data_provider=data)
    plugin = plugin_module.ProjectorPlugin(context)
    plugin._determine_is_active()

    def answer(environ: Any, start: Any) -> Any:
        return plugin.get_plugin_apps()[environ["PATH_INFO"]](environ, start)

    client = werkzeug.Client(answer, wrappers.Response)
    info = json.loads(client.get("/info?run=.").data)["embeddings"]
    ours = {files.name: files for files in embeddings_of(written)}
    assert {entry["tensorName"] for entry in info} == set(ours)
    for entry in info:
        got = read_embedding(written, ours[entry["tensorName"]])
        assert entry["tensorShape"] == list(got.vectors.values.shape)
        tensor = client.get(f"/tensor?run=.&name={entry['tensorName']}&num_rows=100").data
        np.testing.assert_array_equal(got.vectors.values.ravel(), np.frombuffer(tensor, np.float32))


def test_what_a_recorder_writes_as_an_embedding_is_read(tmp_path: Path) -> None:
    with mindscope.SummaryRecord(tmp_path) as record:
        record.add_value("embedding", "words", {"vectors": MATRIX, "metadata": ["x"] * 9, "images": IMAGES})
        record.record(3)
    (files,) = embeddings_of(tmp_path)
    assert (files.tag, files.step) == ("words", 3)
    np.testing.assert_array_equal(read_embedding(tmp_path, files).vectors.values, MATRIX)


def test_large_embeddings_are_recorded(tmp_path: Path) -> None:
    """The encoder pool took them, and their files were never written."""
    vectors, images = RANDOM.normal(size=(2000, 64)).astype(np.float32), RANDOM.random(size=(2000, 1, 16, 16))
    with mindscope.SummaryRecord(tmp_path) as record:
        for tag in ("first", "second"):
            record.add_value("embedding", tag, {"vectors": vectors, "images": images})
        record.record(1)
    assert [files.tag for files in embeddings_of(tmp_path)] == ["first", "second"]


def test_bytes_are_read_by_the_shape(tmp_path: Path) -> None:
    (tmp_path / "tensors.bytes").write_bytes(MATRIX.astype("<f4").tobytes())
    config(tmp_path, 'tensor_name: "words"\n tensor_path: "tensors.bytes"\n tensor_shape: 9\n tensor_shape: 4')
    (files,) = embeddings_of(tmp_path)
    assert (files.tag, files.step, files.shape) == ("words", None, (9, 4))
    np.testing.assert_array_equal(read_embedding(tmp_path, files).vectors.values, MATRIX)


def test_all_of_the_text_format_is_understood(tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_text("1\t2\n3\t4\n")
    text = """# a comment
    model_checkpoint_path: 'x'
    embeddings < tensor_name: "w" "ör\\104s\\u00e9"; tensor_path: 't.tsv', tensor_shape: [2, 2] >
    embeddings: { tensor_name: "in_checkpoint" }"""
    (tmp_path / "projector_config.pbtxt").write_text(text)
    first, second = embeddings_of(tmp_path)
    assert second.name == "wörDsé"
    assert second.shape == (2, 2)
    assert second.problem is None
    assert first.problem is not None
    assert first.problem.code == "embedding_in_checkpoint"


def config(directory: Path, *entries: str) -> None:
    text = "".join(f"embeddings {{ {entry} }}\n" for entry in entries)
    (directory / "projector_config.pbtxt").write_text(text)
