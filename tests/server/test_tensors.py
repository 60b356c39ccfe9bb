# SPDX-License-Identifier: Apache-2.0
"""Tensors over HTTP: every cell, number and byte against NumPy on the same array."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import mindscope
from mindscope.analysis import tensors as tensor_source
from mindscope.analysis.slices import read_slice
from mindscope.formats import mindspore
from mindscope.server.tensors.json_file import json_chunks
from tests.event_log import TENSORBOARD_NAME, tensorboard_event, tensorboard_version

from .live_viewer import DATA, GrowingLog, LiveViewer, eventually, running_viewer, unpack

CUSTOM_LOOP = "mindspore/custom_loop"
RNG = np.random.default_rng(7)
ODD = np.array([[1.5, np.nan, -2.0], [np.inf, 0.0, -np.inf]], np.float32)
ARRAYS: dict[str, np.ndarray[Any, Any]] = {
    "f16": RNG.normal(size=(3, 4)).astype(np.float16),
    "f32": RNG.normal(size=(2, 3, 4, 5)).astype(np.float32),
    "f64": RNG.normal(size=(7,)),
    "i8": RNG.integers(-100, 100, (4, 3), np.int8),
    "i64": np.array([[2**62 + 1, -(2**62) - 1], [0, 5]]),
    "i64 beyond float64": np.array([2**53 + 1, -(2**53) - 1]),
    "i64 in float32": np.array([3, -7]),
    "f64 in float32": np.array([0.5, -np.inf, np.nan]),
    "bool": np.array([True, False, True]),
    "bf16": RNG.normal(size=(2, 2)).astype(ml_dtypes.bfloat16),
    "scalar": np.array(3.25, np.float32),
    "empty": np.zeros((0, 3), np.float32),
    "odd": ODD,
}
SLICES: dict[str, list[tuple[str, ...]]] = {
    "f32": [("0", "0", ":", ":"), ("-1", ":", "1", "::2"), ("1", "2", "::-1", "4:0:-2"), ("0", "0", "3", "-1")],
    "i8": [(":", ":"), ("1:3", "0"), ("::3", "-2:"), ("2:1", ":")],
    "f64": [(":",), ("2",), ("5:1:-2",)],
}


def number_or_slice(text: str) -> int | slice:
    parts = [int(part) if part else None for part in text.split(":")]
    return slice(*parts) if len(parts) > 1 else int(text)


class Tensors:
    """The tensors of one run of a viewer."""

    def __init__(self, live: LiveViewer, run: str) -> None:
        self.live, self.run = live, run

    def ids(self, tag: str) -> list[str]:
        query = {"run": self.run, "kind": "tensor", "tag": tag}
        return self.live.http.get("/api/values", params=query).raise_for_status().json()["id"]

    def ask(self, what: str, tag: str, **query: Any) -> Any:
        params = {"run": self.run, "tag": tag, "id": self.ids(tag)[-1], **query}
        return self.live.http.get(f"/api/tensor{what}", params=params)

    def json(self, what: str, tag: str, **query: Any) -> Any:
        return self.ask(what, tag, **query).raise_for_status().json()


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = tmp_path_factory.mktemp("tensors") / "logs" / "run"
    with mindscope.SummaryRecord(run) as record:
        for tag, array in ARRAYS.items():
            record.add_value("tensor", tag, array)
        record.record(1)
    return run


@pytest.fixture(scope="module")
def tensors(recorded: Path) -> Iterator[Tensors]:
    with running_viewer(recorded.parent, recorded.parent.parent) as live:
        eventually(lambda: live.runs().get("run", {}).get("tags", {}).get("tensor") == len(ARRAYS))
        yield Tensors(live, "run")


def back(text: str, dtype: np.dtype[Any]) -> Any:
    """What a cell reads back to."""
    if dtype.kind == "b":
        return {"True": True, "False": False}[text]
    return np.array([text]).astype(np.float64).astype(dtype)[0] if dtype.kind == "f" else dtype.type(text)


@pytest.mark.parametrize("tag", ARRAYS)
def test_a_tensor_says_what_it_is(tensors: Tensors, tag: str):
    answer = tensors.json("", tag)
    assert (answer["dtype"], answer["shape"], answer["size"]) == (
        str(ARRAYS[tag].dtype), list(ARRAYS[tag].shape), ARRAYS[tag].size
    )  # fmt: skip
    assert answer["is_exact"]


@pytest.mark.parametrize("tag", ARRAYS)
def test_a_tensor_is_read_as_it_was_recorded(recorded: Path, tag: str):
    (got,) = mindscope.open_run(recorded).tensors(tag)
    assert got.value.is_exact
    assert got.value.value.dtype == ARRAYS[tag].dtype
    np.testing.assert_array_equal(got.value.value, ARRAYS[tag])


@pytest.mark.parametrize(("tag", "texts"), [(tag, texts) for tag in SLICES for texts in SLICES[tag]])
def test_a_window_holds_the_very_values_of_the_slice(tensors: Tensors, tag: str, texts: tuple[str, ...]):
    want = ARRAYS[tag][tuple(map(number_or_slice, texts))]
    answer = tensors.json("/window", tag, slice=list(texts), rows=50, columns=50)
    assert answer["shape"] == list(want.shape)
    got = [[back(cell, want.dtype) for cell in row] for row in answer["cells"]]
    table = want.reshape(-1, 1) if want.ndim < 2 else want
    np.testing.assert_array_equal(np.array(got, want.dtype).reshape(table.shape), table)
    for axis, span in zip((0, 1), (answer["rows"], answer["columns"]), strict=True):
        assert span["size"] == (table.shape[axis] if want.ndim > axis else 1)


@pytest.mark.parametrize("tag", [tag for tag in ARRAYS if tag not in ("f32", "empty")])
def test_every_dtype_is_shown_exactly(tensors: Tensors, tag: str):
    cells = tensors.json("/window", tag)["cells"]
    array = ARRAYS[tag].reshape(-1, 1) if ARRAYS[tag].ndim < 2 else ARRAYS[tag]
    got = np.array([[back(cell, array.dtype) for cell in row] for row in cells], array.dtype)
    np.testing.assert_array_equal(got, array)


def test_a_part_of_a_slice_begins_where_it_is_asked_to(tensors: Tensors):
    answer = tensors.json("/window", "f32", slice=["1", ":", ":", "2"], row=1, rows=1, column=2, columns=2)
    want = ARRAYS["f32"][1, :, :, 2][1:2, 2:4]
    np.testing.assert_array_equal(np.array(answer["cells"], np.float32), want)
    assert tensors.json("/window", "f32", row=10**9)["cells"] == []


@pytest.mark.parametrize(
    ("texts", "want"),
    [
        (["x", "0", ":", ":"], "Dimension 0: “x” is not a slice. Use an index such as 3 or -1, or a range such as"),
        (["0", "3", ":", ":"], "Dimension 1: index 3 is out of range; use -3 to 2."),
        (["0", "0", "::0", ":"], "Dimension 2: “::0” has step 0"),
        (["0", "0", "0", ""], "Dimension 3: “” is not a slice"),
        (["0", "0", "0", "1:2:3:4"], "Dimension 3: “1:2:3:4” is not a slice"),
        ([":", ":", ":", "0"], "The slice leaves 3 dimensions (0, 1, 2), but a table has two"),
        (["0"], "The slice has 1 part, the tensor 4 dimensions."),
    ],
)
def test_a_bad_slice_is_told_by_dimension_text_and_what_is_accepted(tensors: Tensors, texts: list[str], want: str):
    answer = tensors.ask("/window", "f32", slice=texts)
    assert answer.status_code == 422
    assert want in answer.json()["error"]["message"]
    assert answer.json()["error"]["remedy"] == "the tensor has the shape (2, 3, 4, 5)"


@pytest.mark.parametrize("tag", ["f16", "f32", "f64", "i8", "i64", "bool", "bf16", "odd"])
def test_statistics_are_those_of_numpy(tensors: Tensors, tag: str):
    got = tensors.json("/statistics", tag, bins=8)
    numbers = ARRAYS[tag].astype(np.float64)
    finite = ARRAYS[tag][np.isfinite(numbers)]
    assert got["count"] == numbers.size
    assert got["zeros"] == np.count_nonzero(numbers == 0)
    assert (got["nan"], got["positive_infinity"], got["negative_infinity"]) == (
        np.isnan(numbers).sum(), (numbers == np.inf).sum(), (numbers == -np.inf).sum()
    )  # fmt: skip
    assert back(got["minimum"], ARRAYS[tag].dtype) == finite.min()
    assert back(got["maximum"], ARRAYS[tag].dtype) == finite.max()
    assert got["mean"] == pytest.approx(finite.astype(np.float64).mean(), rel=1e-6, abs=1e-6)
    assert got["deviation"] == pytest.approx(finite.astype(np.float64).std(), rel=1e-6, abs=1e-6)
    assert sum(got["counts"]) == finite.size


def test_a_histogram_of_whole_numbers_has_a_bucket_for_each(tensors: Tensors):
    got = tensors.json("/statistics", "bool", bins=50)
    assert (got["edges"], got["counts"]) == ([-0.5, 0.5, 1.5], [1, 2])


def test_statistics_of_a_slice_are_over_the_slice_alone(tensors: Tensors):
    got = tensors.json("/statistics", "f32", slice=["0", ":", "1", ":"])
    want = ARRAYS["f32"][0, :, 1, :]
    assert got["count"] == want.size
    assert got["mean"] == pytest.approx(float(want.mean(dtype=np.float64)))


def test_an_empty_tensor_has_no_statistics_and_no_cells(tensors: Tensors):
    got = tensors.json("/statistics", "empty", bins=5)
    assert (got["count"], got["minimum"], got["mean"], got["counts"]) == (0, None, None, [])
    assert tensors.json("/window", "empty")["cells"] == []
    assert tensors.ask("/heat", "empty").status_code == 200


def heat(answer: Any) -> tuple[dict[str, Any], np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    columns = unpack(answer.raise_for_status().content)
    places = columns.header["columns_data"]
    value, odd = (
        np.frombuffer(columns.data, places[name]["dtype"], places[name]["length"], places[name]["offset"])
        for name in ("value", "odd")
    )
    return columns.header, value.reshape(columns.header["cells"]), odd.reshape(columns.header["cells"])


def test_a_heat_map_that_fits_shows_every_element(tensors: Tensors):
    header, value, odd = heat(tensors.ask("/heat", "odd"))
    np.testing.assert_array_equal(np.isfinite(value), np.isfinite(ODD))
    np.testing.assert_array_equal(value[np.isfinite(ODD)], ODD[np.isfinite(ODD)])
    np.testing.assert_array_equal(odd, [[0, 1, 0], [2, 0, 3]])
    assert (header["minimum"], header["maximum"], header["is_reduced"]) == (-2.0, 1.5, False)


def test_a_reduced_heat_map_keeps_every_spike_and_every_nan(tmp_path: Path):
    array = RNG.normal(size=(90, 130)).astype(np.float32)
    array[41, 77], array[8, 3], array[60, 129] = 50.0, -50.0, np.nan
    with mindscope.SummaryRecord(tmp_path / "logs" / "run") as record:
        record.add_value("tensor", "t", array)
        record.record(1)
    with running_viewer(tmp_path / "logs", tmp_path) as live:
        eventually(lambda: live.runs().get("run", {}).get("tags"))
        header, value, odd = heat(Tensors(live, "run").ask("/heat", "t", rows=7, columns=11))
    assert (header["cells"], header["is_reduced"]) == ([7, 11], True)
    assert value[41 * 7 // 90, 77 * 11 // 130] == 50.0
    assert value[8 * 7 // 90, 3 * 11 // 130] == -50.0
    assert odd[60 * 7 // 90, 129 * 11 // 130] == 1
    assert odd.sum() == 1
    assert np.isin(value, array).all()


@pytest.mark.parametrize("tag", ARRAYS)
def test_a_slice_is_downloaded_as_numpy_reads_it(tensors: Tensors, tag: str):
    got = np.load(io.BytesIO(tensors.ask(".npy", tag).raise_for_status().content))
    want = ARRAYS[tag].astype(np.float32) if tag == "bf16" else ARRAYS[tag]
    assert got.dtype == want.dtype
    np.testing.assert_array_equal(got, want)


def test_a_slice_is_downloaded_as_csv(tensors: Tensors):
    answer = tensors.ask(".csv", "f32", slice=["1", "::2", "0", ":"]).raise_for_status()
    rows = list(csv.reader(io.StringIO(answer.text)))
    np.testing.assert_array_equal(np.array(rows, np.float32), ARRAYS["f32"][1, ::2, 0, :])
    assert 'filename="run_f32.csv"' in answer.headers["content-disposition"]


@pytest.mark.parametrize("tag", ARRAYS)
def test_a_slice_is_downloaded_as_json(tensors: Tensors, tag: str):
    whole = ARRAYS[tag]
    texts = ["0"] * (whole.ndim - 2) + ["::-1"] * min(whole.ndim, 2)
    answer = tensors.ask(".json", tag, slice=texts).raise_for_status()
    got = answer.json()
    want = whole[tuple(map(number_or_slice, texts))]
    assert (got["dtype"], got["shape"], got["slice"]) == (str(whole.dtype), list(want.shape), texts)
    values = np.array(got["values"], want.dtype if want.dtype.kind in "biuc" else np.float64).reshape(want.shape)
    np.testing.assert_array_equal(values.astype(want.dtype), want)
    assert "NaN" not in answer.text
    assert re.search(r'filename="run_\w+\.json"', answer.headers["content-disposition"])


def test_tensors_are_those_of_the_oracle(viewer: LiveViewer):
    files = json.loads((DATA / f"{CUSTOM_LOOP}.expected.json").read_text())["files"]
    tags = [tag for file in files.values() for tag in file.get("tags", ()) if tag["plugin"] == "tensor"]
    assert tags
    for tag in tags:
        tensors = Tensors(viewer, CUSTOM_LOOP)
        facts, numbers = tensors.json("", tag["tag"]), tensors.json("/statistics", tag["tag"])
        assert facts["shape"] == tag["last"]["dims"]
        assert facts["dtype"] == tag["last"]["dtype"].removeprefix("DT_").lower()
        assert facts["is_exact"] == (facts["dtype"] not in ("int64", "float64"))
        assert float(numbers["minimum"].replace("False", "0")) == pytest.approx(tag["last"]["min"], rel=1e-3)
        assert numbers["nan"] == tag["last"]["nan"]


class TensorLog(GrowingLog):
    """A log of tensors, whatever their messages are."""

    def tensor(self, step: int, message: dict[str, Any], tag: str = "t") -> None:
        value = {"tag": tag, "tensor": message}
        self._append(mindspore.summary_event(1000.0 + step, step, mindspore.value_field(value)))


def test_a_tensor_in_tensorboards_form_is_read_in_place(tmp_path: Path):
    array = RNG.normal(size=(5, 6))
    shape = {"dim": [{"size": size} for size in array.shape]}
    content = {"dtype": 2, "tensor_shape": shape, "tensor_content": array.tobytes()}
    waves = np.array([3 + 4j, -1j], np.complex64)
    complex_ = {"dtype": 8, "tensor_shape": {"dim": [{"size": 2}]}, "tensor_content": waves.tobytes()}
    texts = {"dtype": 7, "tensor_shape": {"dim": [{"size": 2}]}, "string_val": [b"a,b", "=步".encode()]}
    run = tmp_path / "logs" / "run"
    run.mkdir(parents=True)
    value = {"tag": "t", "tensor": content}, {"tag": "words", "tensor": texts}, {"tag": "waves", "tensor": complex_}
    (run / TENSORBOARD_NAME.format(1)).write_bytes(tensorboard_version() + tensorboard_event(1, *value))
    with running_viewer(tmp_path / "logs", tmp_path) as live:
        eventually(lambda: live.runs().get("run", {}).get("tags"))
        tensors = Tensors(live, "run")
        np.testing.assert_array_equal(np.array(tensors.json("/window", "t")["cells"], np.float64), array)
        assert tensors.json("/window", "words")["cells"] == [["a,b"], ["=步"]]
        assert tensors.json("", "words")["is_text"]
        assert tensors.json("/window", "waves")["cells"] == [["(3+4j)"], ["(-0-1j)"]]
        assert tensors.json("/statistics", "waves")["maximum"] == "5.0"
        assert tensors.ask(".csv", "words").text == '"a,b"\r\n\'=步\r\n'
        assert tensors.json(".json", "words")["values"] == ["a,b", "=步"]
        assert tensors.json(".json", "waves")["values"] == ["(3+4j)", "(-0-1j)"]
        assert tensors.ask("/heat", "words").status_code == 422


def test_a_tensor_that_is_gone_or_damaged_is_said_to_be(tmp_path: Path):
    log = TensorLog(tmp_path / "logs" / "run")
    log.tensor(1, {"dims": [2, 2], "data_type": 11, "float_data": [1.0, 2.0, 3.0]})
    with running_viewer(tmp_path / "logs", tmp_path) as live:
        eventually(lambda: live.runs().get("run", {}).get("tags"))
        tensors = Tensors(live, "run")
        answer = tensors.ask("", "t")
        assert (answer.status_code, answer.json()["error"]["code"]) == (415, "tensor_shape")
        assert "3 values; its shape (2, 2) needs 4" in answer.json()["error"]["message"]
        assert tensors.ask("", "t", id="0-0-0").json()["error"]["code"] == "value_not_found"


@pytest.mark.parametrize("shape", [(3, 700), (700, 3), (2, 5, 150), (40, 40)])
def test_a_tensor_of_many_blocks_is_the_same(shape: tuple[int, ...], monkeypatch: pytest.MonkeyPatch):
    """Blocks of 64 numbers: every way in which a slice can be cut into parts."""
    monkeypatch.setattr(tensor_source, "BLOCK_BYTES", 256)
    array = RNG.normal(size=shape).astype(np.float32)
    flat = array.reshape(-1)
    source = tensor_source.TensorSource(
        shape, array.dtype, True, array.nbytes, lambda start, count: flat[start : start + count]
    )
    for texts in (
        ["::1"] * len(shape),
        ["::-1"] * len(shape),
        ["1::2"] * len(shape),
        ["1", *["::3"] * (len(shape) - 1)],
    ):
        key = read_slice(texts, shape)
        want = array[tuple(map(number_or_slice, texts))]
        np.testing.assert_array_equal(source.take(key), want)
        placed = np.full(want.shape, np.nan, np.float32)
        for origin, block in source.blocks(key):
            assert block.size <= 64
            placed[tuple(slice(at, at + size) for at, size in zip(origin, block.shape, strict=True))] = block
        np.testing.assert_array_equal(placed, want)
        if want.ndim <= 2:
            values = json.loads("".join(json_chunks(source, key, {})))["values"]
            np.testing.assert_array_equal(np.array(values, np.float32), want)
