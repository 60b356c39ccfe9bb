# SPDX-License-Identifier: Apache-2.0
"""Messages with columns: every value comes back in the type of its field."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from pydantic import ConfigDict

from mindscope.server.http.columns import (
    CompactFloat64,
    CompactInt32,
    CompactUint8,
    CompactUint32,
    Float32,
    Float64,
    Floats,
    Int32,
    Uint8,
    Uint16,
    Uint32,
    Utf8Column,
    pack,
)
from mindscope.server.http.schema import Answer

Array = np.ndarray[Any, Any]


class Table(Answer):
    """A column of each type."""

    model_config = ConfigDict(validate_default=True)

    name: str = "table"
    uint8: Uint8 = ()
    uint16: Uint16 = ()
    uint32: Uint32 = ()
    int32: Int32 = ()
    float32: Float32 = ()
    float64: Float64 = ()
    floats: Floats = ()
    by_name: dict[str, Float64] = {}
    several: list[Float64] = []
    missing: Float64 | None = None
    compact_uint8: CompactUint8 = ()
    compact_uint32: CompactUint32 = ()
    compact_int32: CompactInt32 = ()
    compact_float64: CompactFloat64 = ()
    texts: Utf8Column | None = None


def sent(**columns: Any) -> tuple[dict[str, Any], bytes]:
    """The header and the data of a message."""
    body = bytes(pack(Table.model_validate(columns)))
    data = 8 + int.from_bytes(body[4:8], "little")
    assert len(body) % 8 == data % 8 == 0
    return json.loads(body[8:data]), body[data:]


def read(data: bytes, column: dict[str, Any]) -> Array:
    stored = np.frombuffer(
        data, column["dtype"], 1 if column.get("is_constant") else column["length"], column["offset"]
    )
    return np.repeat(stored, column["length"]) if column.get("is_constant") else stored


def arrays_of(dtype: str) -> st.SearchStrategy[Array]:
    return arrays.arrays(dtype, st.integers(0, 5))


@given(st.sampled_from(["uint8", "uint16", "uint32", "int32", "float32", "float64"]).flatmap(arrays_of))
def test_every_value_comes_back(values: Array) -> None:
    header, data = sent(**{values.dtype.name: values})
    got = read(data, header[values.dtype.name])
    assert got.dtype == values.dtype
    np.testing.assert_array_equal(got, values)


@given(st.sampled_from(["uint8", "uint32", "int32", "float64"]).flatmap(arrays_of))
def test_a_compact_column_holds_every_value(values: Array) -> None:
    header, data = sent(**{f"compact_{values.dtype.name}": values})
    column = header[f"compact_{values.dtype.name}"]
    got = read(data, column)
    assert column["value_type"] == values.dtype.name
    assert got.dtype.itemsize <= values.dtype.itemsize
    np.testing.assert_array_equal(got, values)


@pytest.mark.parametrize(
    ("field", "values", "dtype", "stored"),
    [
        ("compact_int32", [1, 2, 250], "uint8", 3),
        ("compact_int32", [1, 2, 256], "uint16", 3),
        ("compact_int32", [-1, 2, 3], "int32", 3),
        ("compact_float64", np.full(1000, np.nan), "float32", 1),
        ("compact_uint32", np.full(1000, 7), "uint8", 1),
        ("compact_float64", [0.5, np.inf, np.nan], "float32", 3),
        ("compact_float64", [0.1, 1.0], "float64", 2),
    ],
)
def test_the_type_is_the_smallest(field: str, values: Any, dtype: str, stored: int) -> None:
    header, data = sent(**{field: values})
    column = header[field]
    assert (column["dtype"], column["length"], column["is_constant"]) == (dtype, len(values), stored == 1)
    assert len(data) == -(-stored * np.dtype(dtype).itemsize // 8) * 8


@given(st.lists(st.text(max_size=5), max_size=5))
def test_texts_come_back(texts: list[str]) -> None:
    header, data = sent(texts=Utf8Column.of(texts))
    utf8, ends = (read(data, header["texts"][name]) for name in ("utf8", "ends"))
    got = [part.tobytes().decode() for part in np.split(utf8, ends.tolist())[:-1]]
    assert got == texts


def test_values_that_a_type_cannot_hold() -> None:
    header, data = sent(
        float64=[2**53 + 1, None, -(2**63), float("inf")], uint8=[True, False], floats=np.array([1, 2]),
        by_name={"__proto__": [1.5]}, several=[np.ones((2, 2)), []], name="\ud800",
    )  # fmt: skip
    np.testing.assert_array_equal(read(data, header["float64"]), [2.0**53, np.nan, -(2.0**63), np.inf])
    assert read(data, header["uint8"]).tolist() == [1, 0]
    assert header["floats"]["dtype"] == "float64"
    assert read(data, header["by_name"]["__proto__"]).tolist() == [1.5]
    assert [read(data, each).tolist() for each in header["several"]] == [[1.0] * 4, []]
    assert (header["missing"], header["texts"], header["name"]) == (None, None, "\\ud800")


class Tables(Answer):
    """Several tables."""

    tables: list[Table]


def test_equal_tables_share_their_data() -> None:
    table = Table(float64=np.arange(100.0), compact_uint8=[1, 2])
    body = bytes(pack(Tables(tables=[table, table])))
    data = 8 + int.from_bytes(body[4:8], "little")
    one, other = json.loads(body[8:data])["tables"]
    assert one == other
    assert len(body) - data < 900
