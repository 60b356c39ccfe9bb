# SPDX-License-Identifier: Apache-2.0
"""Statistics of tensors: packed columns, and a source of debugging data from runs."""

from __future__ import annotations

import contextlib
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import mindscope
from mindscope.capture.tensor_statistics import ROUNDED, StepColumns, StepRows, TensorTable
from mindscope.debug.model.fields import FIELDS, Field
from mindscope.debug.model.tensors import DebugTensor, Phase, Role
from mindscope.errors import DebugDataError, FormatError
from mindscope.formats import dialects, wire
from mindscope.formats.mindspore_schemas import VALUE
from mindscope.formats.tensor_statistics import PackedColumn, pack, steps_tag, tensors_tag
from mindscope.reading.debug import RecordedSource, has_statistics
from mindscope.types import DialectName, Kind

FLOATS = arrays.arrays(np.float64, st.integers(0, 40), elements=st.floats())
WHOLE = arrays.arrays(np.uint64, st.integers(0, 40))


def described(slot: str, **more: Any) -> dict[str, Any]:
    return {"module": "net", "type": "Linear", "phase": "forward", "role": "output", "slot": slot, **more}


def columns_of(rows: int, seed: int, tensors: list[int] | None = None) -> StepColumns:
    random = np.random.default_rng(seed)
    statistics = {field.value: random.normal(size=rows) for field in FIELDS}
    statistics |= {"count": np.full(rows, 10.0), "nan": np.zeros(rows), "mean_abs_update": np.full(rows, np.nan)}
    digest = random.integers(1, 1 << 63, rows, dtype=np.uint64)
    return StepColumns(np.array(tensors or range(rows)), np.arange(rows) // 2, statistics, digest)


def write(
    directory: Path,
    steps: dict[int, StepColumns],
    table: int = 7,
    rank: int = 0,
    tensors: list[dict[str, Any]] | None = None,
) -> None:
    count = max(int(each.tensor.max()) for each in steps.values()) + 1
    with mindscope.SummaryRecord(directory) as record:
        described_tensors = [described(str(slot), dtype="float32", shape=[2, 5]) for slot in range(count)]
        table_of = TensorTable(table, rank, 0, tensors or described_tensors, {"framework": "torch"})
        record.add_value("tensor_statistics", tensors_tag(rank), table_of)
        for step, columns in steps.items():
            rows = StepRows(table, rank, 100, lambda columns=columns: columns)
            record.add_value("tensor_statistics", steps_tag(rank), rows)
            record.record(step)


def source_of(*directories: Path) -> RecordedSource:
    return RecordedSource([mindscope.open_run(each).store for each in directories])


@given(FLOATS)
def test_packed_floats_are_exact(values: np.ndarray) -> None:
    packed = pack(values)
    unpacked = packed.unpack("min", values.size).astype(np.float64)
    np.testing.assert_array_equal(unpacked, values)
    np.testing.assert_array_equal(np.signbit(unpacked[values == 0]), np.signbit(values[values == 0]))


@given(WHOLE)
def test_packed_integers_are_exact(values: np.ndarray) -> None:
    np.testing.assert_array_equal(pack(values).unpack("digest", values.size), values)


@given(FLOATS)
def test_rounded_floats_have_the_precision_of_float32(values: np.ndarray) -> None:
    unpacked = pack(values, is_rounded=True).unpack("sum", values.size).astype(np.float64)
    np.testing.assert_allclose(unpacked, values, rtol=1e-7, atol=0)


def test_columns_take_the_bytes_that_their_numbers_need() -> None:
    assert pack(np.full(1000, 4096.0)) == PackedColumn("u2", b"\x00\x10")
    assert pack(np.array([0.0, 255.0])) == PackedColumn("u1", b"\x00\xff")
    assert pack(np.array([0.5, np.nan])).dtype == "f4"
    assert pack(np.array([1e300]), is_rounded=True).dtype == "f8"
    assert len(pack(np.arange(10_000.0) % 7).data) < 500


@pytest.mark.parametrize(
    "packed",
    [
        PackedColumn("f4", b"123"),
        PackedColumn("O", b"12345678"),
        PackedColumn("f4", b"no zlib", is_deflated=True),
        PackedColumn("f4", zlib.compress(bytes(1 << 20)), is_deflated=True),
    ],
)
def test_damaged_columns_are_refused(packed: PackedColumn) -> None:
    with pytest.raises(FormatError, match="column sum"):
        packed.unpack("sum", 3)


def test_what_was_recorded_is_read(tmp_path: Path) -> None:
    steps = {step: columns_of(6, step) for step in (1, 2, 5)}
    write(tmp_path, steps)
    source = source_of(tmp_path)
    assert (source.format, source.framework, source.ranks, source.steps(0)) == ("mindscope", "torch", [0], [1, 2, 5])
    assert source.tensors[1] == DebugTensor(
        "net", "Linear", Phase.FORWARD, Role.OUTPUT, "1", dtype="float32", shape=(2, 5)
    )
    for step, want in steps.items():
        got = source.at(step, 0)
        np.testing.assert_array_equal(got.tensor, want.tensor)
        np.testing.assert_array_equal(got.order, want.order)
        np.testing.assert_array_equal(got.digest, want.digest)
        for field in FIELDS:
            tolerance = 1e-7 if field.value in ROUNDED else 0
            np.testing.assert_allclose(got.column(field), want.statistics[field.value], rtol=tolerance)
    assert source.array(1, 0, 0) is None


def test_history_is_that_of_the_steps(tmp_path: Path) -> None:
    steps = {1: columns_of(4, 1), 2: columns_of(4, 2, [0, 1, 1, 4]), 3: columns_of(3, 3, [3, 1, 0])}
    write(tmp_path, steps)
    source = source_of(tmp_path)
    at, values = source.history([1, 4, 0], Field.MAX, 0)
    want = np.full((3, 3), np.nan)
    for row, columns in enumerate(steps.values()):
        for place, value in zip(columns.tensor, columns.statistics["max"], strict=True):
            if place in (1, 4, 0):
                want[row, [1, 4, 0].index(int(place))] = value
    assert at.tolist() == [1, 2, 3]
    np.testing.assert_array_equal(values, want)
    assert source.history([0], Field.MAX, 9)[1].shape == (0, 1)


def test_a_restart_replaces_steps_and_shares_tensors(tmp_path: Path) -> None:
    write(tmp_path, {step: columns_of(2, step) for step in (1, 2, 3)}, table=1)
    others = [described("9"), described("0", dtype="float32", shape=[2, 5])]  # numbered in another order
    write(tmp_path, {step: columns_of(2, step + 100) for step in (3, 4)}, table=2, tensors=others)
    source = source_of(tmp_path)
    assert source.steps(0) == [1, 2, 3, 4]
    assert [source.tensors[place].slot for place in source.at(1, 0).tensor] == ["0", "1"]
    assert [source.tensors[place].slot for place in source.at(3, 0).tensor] == ["9", "0"]
    assert source.at(3, 0).column(Field.MAX).tolist() == columns_of(2, 103).statistics["max"].tolist()
    assert len(source.tensors) == 3


def test_a_growing_run_reads_new_descriptions_only(tmp_path: Path) -> None:
    write(tmp_path, {1: columns_of(3, 1)}, tensors=[described("0"), described("1", shape=[2])])
    first = source_of(tmp_path)
    assert [first.tensors[place].name != "" for place in first.at(1, 0).tensor] == [False, False, True]  # not described
    with mindscope.SummaryRecord(tmp_path) as record:
        more = [described("1", shape=[3]), described("2")]
        record.add_value("tensor_statistics", tensors_tag(0), TensorTable(7, 0, 1, more, {}))
        record.record(2)
    stores = [mindscope.open_run(tmp_path).store]
    grown, fresh = RecordedSource(stores, first), RecordedSource(stores)
    assert grown.tensors is first.tensors
    assert [grown.tensors[place] for place in grown.at(1, 0).tensor] == list(fresh.tensors)
    assert [each.slot for each in fresh.tensors] == ["0", "1", "2"]
    assert fresh.tensors[1].shape is None
    other = tmp_path / "other"
    write(other, {1: columns_of(2, 1)}, tensors=[described("5"), described("6")])
    assert [each.slot for each in RecordedSource([mindscope.open_run(other).store], first).tensors] == ["5", "6"]


def test_ranks_are_one_source(tmp_path: Path) -> None:
    for rank in (0, 3):
        write(tmp_path / f"rank_{rank}", {1: columns_of(2, rank)}, table=rank + 1, rank=rank)
    source = source_of(tmp_path / "rank_0", tmp_path / "rank_3")
    assert source.ranks == [0, 3]
    assert len(source.tensors) == 2
    assert source.at(1, 3).rank == 3
    assert source.at(1, 0).digest.tolist() != source.at(1, 3).digest.tolist()


def test_a_tensor_of_varying_shape_has_none(tmp_path: Path) -> None:
    tensors = [described("0", shape=[1]), described("1", shape=[2]), described("0", shape=[3])]
    write(tmp_path, {1: columns_of(3, 1)}, tensors=tensors)
    source = source_of(tmp_path)
    assert [(each.slot, each.shape) for each in source.tensors] == [("0", None), ("1", (2,))]


def test_rows_without_a_description_are_kept(tmp_path: Path) -> None:
    bad = [described("0"), {"module": 5}, described("2", shape=[-1]), described("3", phase="sideways")]
    write(tmp_path, {1: columns_of(6, 1)}, table=10, tensors=bad)
    source = source_of(tmp_path)
    recorded = source.at(1, 0)
    names = [source.tensors[place].operator for place in recorded.tensor]
    assert names[0] == "net/Linear"
    assert names[1:] == [f"tensor {place} of table a, whose description is damaged" for place in range(1, 6)]
    assert len(source.failures) == 3
    np.testing.assert_array_equal(recorded.column(Field.MAX), columns_of(6, 1).statistics["max"])


def test_what_is_not_there_is_an_error(tmp_path: Path) -> None:
    with mindscope.SummaryRecord(tmp_path / "other") as record:
        record.add_value("scalar", "loss", 1.0)
        record.record(1)
    with pytest.raises(DebugDataError, match="Debugger"):
        source_of(tmp_path / "other")
    assert not has_statistics(mindscope.open_run(tmp_path / "other").store)
    write(tmp_path / "run", {1: columns_of(1, 1)})
    assert has_statistics(mindscope.open_run(tmp_path / "run").store)
    source = source_of(tmp_path / "run")
    for step, rank in ((2, 0), (0, 0), (1, 1)):
        with pytest.raises(DebugDataError, match=f"rank {rank} has no debugging data of step {step}"):
            source.at(step, rank)


def test_a_recorder_takes_nothing_else_and_loses_nothing_else(tmp_path: Path) -> None:
    broken = StepColumns(np.arange(3), np.arange(2), {}, np.zeros(3, np.uint64))
    with mindscope.SummaryRecord(tmp_path) as record:
        record.add_value("tensor_statistics", "rank_0/steps", {"rows": 1})
        record.add_value("tensor_statistics", "rank_0/steps", StepRows(1, 0, 10, lambda: broken))
        record.add_value("scalar", "loss", 1.0)
        record.record(1)
    run = mindscope.open_run(tmp_path)
    assert run.dropped == 2
    assert run.scalars("loss").value.tolist() == [1.0]


@given(st.binary(max_size=200), st.integers(0, 3))
def test_any_bytes_are_a_value_or_a_format_error(data: bytes, field: int) -> None:
    column = {"name": "sum", "dtype": "f4", "data": data, "is_deflated": field == 1}
    message: dict[str, Any] = {"table": 1, "rows": field * 50, "columns": [column]}
    if field == 2:
        message["tensors"] = data
    if field == 3:
        message["facts"] = data.decode("latin-1")
    encoded = wire.encode(VALUE, {"tag": "rank_0/steps", "tensor_statistics": message})
    with contextlib.suppress(FormatError):
        dialects.decode(DialectName.MINDSPORE, Kind.TENSOR_STATISTICS, encoded).column("sum")
