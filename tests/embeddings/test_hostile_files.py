# SPDX-License-Identifier: Apache-2.0
"""Damaged, huge and hostile projector files: each costs a message and nothing else."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindscope.embeddings import vectors
from mindscope.embeddings.config import embeddings_of
from mindscope.embeddings.embedding import Embedding, read_embedding
from mindscope.embeddings.text_format import parse_text_format
from mindscope.errors import FormatError
from mindscope.reasons import reason_of


def config(directory: Path, *fields: str) -> None:
    entries = "\n".join(f"embeddings {{\n{each}\n}}" for each in fields)
    (directory / "projector_config.pbtxt").write_text(entries)


def read(run: Path) -> Embedding:
    (files,) = embeddings_of(run)
    return read_embedding(run, files)


def code_of(run: Path) -> str:
    with pytest.raises(FormatError) as caught:
        read(run)
    return reason_of(caught.value).code


@pytest.mark.parametrize("path", ["../secret.tsv", "a/../../secret.tsv", "/etc/passwd", "a\\000b"])
def test_no_path_leads_out_of_the_run(tmp_path: Path, path: str) -> None:
    (tmp_path / "secret.tsv").write_text("1\t2\n")
    run = tmp_path / "run"
    run.mkdir()
    config(run, f'tensor_name: "w" tensor_path: "{path}"')
    assert code_of(run) == "embedding_outside"


def test_no_link_leads_out_of_the_run(tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret/tensors.tsv").write_text("1\t2\n")
    run = tmp_path / "run"
    run.mkdir()
    (run / "link").symlink_to(tmp_path / "secret")
    (run / "tensors.tsv").symlink_to(tmp_path / "secret/tensors.tsv")
    for path in ("link/tensors.tsv", "tensors.tsv"):
        config(run, f'tensor_name: "w" tensor_path: "{path}"')
        with pytest.raises(OSError, match=r"symbolic links|Not a directory"):
            read(run)


def test_a_pipe_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "t.tsv")
    config(tmp_path, 'tensor_name: "w" tensor_path: "t.tsv"')
    with pytest.raises(FileNotFoundError, match="no regular file"):
        read(tmp_path)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("1\t2\n3\n", "Vector 2"),
        ("1\t2\n3\tx\n", "Vector 2"),
        ("1\t2\n\t3\n", "Vector 2"),
        ("1 2\t3\n1\t2\n", "Vector 1"),
        ("é\n", "Vector 1"),
        ("", "no finite vector"),
        ("nan\t1\n1\tinf\n", "no finite vector"),
    ],
)
def test_damaged_text_names_its_vector(tmp_path: Path, content: str, text: str) -> None:
    (tmp_path / "t.tsv").write_text(content)
    config(tmp_path, 'tensor_name: "w" tensor_path: "t.tsv"')
    with pytest.raises(FormatError, match=text):
        read(tmp_path)


def test_vectors_with_nan_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_text("1\t2\nnan\t3\n\n4\t5\r\n")
    (tmp_path / "m.tsv").write_text("a\nb\nc\n")
    config(tmp_path, 'tensor_name: "w" tensor_path: "t.tsv" metadata_path: "m.tsv"')
    got = read(tmp_path)
    assert got.vectors.values.tolist() == [[1, 2], [4, 5]]
    assert got.vectors.rows.tolist() == [0, 2]
    assert got.vectors.not_finite == 1
    (labels,) = got.metadata
    assert [labels.texts[code] for code in labels.codes] == ["a", "c"]


def test_metadata_of_another_length_is_said(tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_text("1\n2\n3\n")
    (tmp_path / "m.tsv").write_text("a\ta\nx\t1\n")
    config(tmp_path, 'tensor_name: "w" tensor_path: "t.tsv" metadata_path: "m.tsv"')
    got = read(tmp_path)
    assert [reason.code for reason in got.problems.values()] == ["embedding_metadata_rows"]
    first, second = got.metadata
    assert (first.name, second.name) == ("a", "a (2)")
    assert [first.texts[code] for code in first.codes] == ["x", "", ""]
    assert second.numbers is not None
    np.testing.assert_array_equal(second.numbers, [1, np.nan, np.nan])


def test_missing_metadata_is_a_problem_of_that_file(tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_text("1\n2\n")
    config(tmp_path, 'tensor_name: "w" tensor_path: "t.tsv" metadata_path: "m.tsv"')
    got = read(tmp_path)
    assert list(got.problems) == ["m.tsv"]
    assert got.metadata == []


@pytest.mark.parametrize(("shape", "size"), [((3, 4), 47), ((10**11, 10**11), 48), ((0, 4), 48)])
def test_bytes_of_another_size_are_refused(tmp_path: Path, shape: tuple[int, int], size: int) -> None:
    (tmp_path / "t.bytes").write_bytes(b"\0" * size)
    config(tmp_path, f'tensor_name: "w" tensor_path: "t.bytes" tensor_shape: {shape[0]} tensor_shape: {shape[1]}')
    assert code_of(tmp_path) == "embedding_size"


@pytest.mark.parametrize(
    "text", ["embeddings {", 'embeddings { tensor_name: "a', "}", "a: {" * 30, "embeddings: [1", "\0"]
)
def test_a_damaged_configuration_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "projector_config.pbtxt").write_text(text)
    with pytest.raises(FormatError, match=r"projector_config\.pbtxt can’t be read"):
        embeddings_of(tmp_path)


@given(st.text(alphabet="embd{}<>:,;[]\"'\\01x \n#-.", max_size=60))
def test_any_text_is_parsed_or_refused(text: str) -> None:
    with contextlib.suppress(FormatError):
        parse_text_format(text)


@pytest.mark.parametrize("suffix", ["tsv", "bytes"])
def test_many_vectors_are_read_evenly_spaced(tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "MOST_VALUES", 100)
    monkeypatch.setattr(vectors, "_CHUNK_BYTES", 64)
    matrix = np.arange(1004, dtype=np.float32).reshape(251, 4)
    if suffix == "tsv":
        (tmp_path / "t.tsv").write_text("".join("\t".join(map(str, row)) + "\n" for row in matrix.tolist()))
    else:
        (tmp_path / "t.bytes").write_bytes(matrix.tobytes())
    (tmp_path / "m.tsv").write_text("".join(f"{row}\n" for row in range(251)))
    config(
        tmp_path,
        f'tensor_name: "w" tensor_path: "t.{suffix}" tensor_shape: 251 tensor_shape: 4 metadata_path: "m.tsv"',
    )
    got = read(tmp_path)
    assert (got.vectors.total, got.vectors.stride, len(got.vectors.values)) == (251, 11, 23)
    np.testing.assert_array_equal(got.vectors.values, matrix[::11])
    assert got.metadata[0].numbers is not None
    np.testing.assert_array_equal(got.metadata[0].numbers, got.vectors.rows)


@pytest.mark.scale
def test_a_million_vectors_take_less_than_a_gigabyte(tmp_path: Path) -> None:
    with (tmp_path / "t.bytes").open("wb") as file:
        file.truncate(1_000_000 * 300 * 4)
        file.write(np.random.default_rng(0).normal(size=(10_000, 300)).astype("<f4").tobytes())
    config(tmp_path, 'tensor_name: "w" tensor_path: "t.bytes" tensor_shape: 1000000 tensor_shape: 300')
    code = f"""
from pathlib import Path
from mindscope.embeddings.config import embeddings_of
from mindscope.embeddings.embedding import read_embedding
run = Path({str(tmp_path)!r})
got = read_embedding(run, embeddings_of(run)[0])
peak = int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0])
print(got.vectors.total, got.vectors.stride, len(got.vectors.values), peak)
"""
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    total, stride, points, kilobytes = map(int, answer.split())
    assert (total, stride, points) == (1_000_000, 8, 125_000)
    assert kilobytes < 1_000_000
