# SPDX-License-Identifier: Apache-2.0
"""Our schema tables against the descriptors of the real packages, field by field, and their codecs against ours."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindscope.formats import mindspore_schemas, tensorboard_schemas, wire
from mindscope.formats.wire import Schema

pytestmark = pytest.mark.framework

TYPES = {1: "double", 2: "float", 3: "int64", 4: "uint64", 5: "int32", 6: "fixed64", 7: "fixed32", 8: "bool"}
TYPES |= {9: "string", 11: "message", 12: "bytes", 13: "uint32", 14: "enum"}


OURS = {
    ("TensorProto", "is_float_exact"),
    ("Value", "text"),
    ("Value", "exact_scalar_value"),
    ("Value", "tensor_statistics"),
    ("LossLandscape", "facts"),
    ("UserDefinedInfo", "map_bool"),
    ("UserDefinedInfo", "map_int64"),
    ("ParameterProto", "part"),
}
"""What we add to MindSpore's messages; its package keeps it as an unknown field."""


def check(schema: Schema, descriptor: Any, checked: set[str], may_lack: bool) -> None:
    """Compare a schema with a protobuf descriptor, and both with all that they refer to."""
    if descriptor.full_name in checked:
        return
    checked.add(descriptor.full_name)
    theirs = {field.number: field for field in descriptor.fields}
    ours = {field.number: field for field in schema.fields if (schema.name, field.name) not in OURS}
    assert ours.keys() <= theirs.keys(), descriptor.full_name
    if not may_lack:
        assert ours.keys() == theirs.keys(), descriptor.full_name
    for number, field in ours.items():
        other = theirs[number]
        place = f"{descriptor.full_name}.{other.name}"
        assert field.name == other.name, place
        is_map = other.message_type is not None and other.message_type.GetOptions().map_entry
        assert field.is_map == is_map, place
        assert field.is_required == other.is_required, place
        assert (field.is_repeated or field.is_map) == other.is_repeated, place
        if field.schema is not None:
            assert other.message_type is not None, place
            check(field.schema, other.message_type, checked, may_lack)
        else:
            assert field.type_name == TYPES[other.type], place


@pytest.fixture(scope="module")
def summary_pb2() -> Any:
    return pytest.importorskip("mindspore.train.summary_pb2")


@pytest.fixture(scope="module")
def lineage_pb2() -> Any:
    return pytest.importorskip("mindspore.train.lineage_pb2")


def test_mindspore_tables_are_those_of_the_package(summary_pb2: Any, lineage_pb2: Any) -> None:
    checked: set[str] = set()
    check(mindspore_schemas.EVENT, summary_pb2.Event.DESCRIPTOR, checked, may_lack=False)
    check(mindspore_schemas.LINEAGE_EVENT, lineage_pb2.LineageEvent.DESCRIPTOR, checked, may_lack=False)
    from mindspore.train import anf_ir_pb2

    check(mindspore_schemas.MODEL, anf_ir_pb2.ModelProto.DESCRIPTOR, checked, may_lack=False)
    names = anf_ir_pb2.DataType.keys()
    assert [f"DT_{name}" for name in mindspore_schemas.DATA_TYPES] == names


def test_tensorboard_tables_are_those_of_the_package() -> None:
    from tensorboard.compat.proto import event_pb2, graph_pb2
    from tensorboard.plugins.custom_scalar import layout_pb2
    from tensorboard.plugins.hparams import plugin_data_pb2

    checked: set[str] = set()
    for schema, message in (
        (tensorboard_schemas.EVENT, event_pb2.Event),
        (tensorboard_schemas.GRAPH, graph_pb2.GraphDef),
        (tensorboard_schemas.HPARAMS, plugin_data_pb2.HParamsPluginData),
        (tensorboard_schemas.LAYOUT, layout_pb2.Layout),
    ):
        check(schema, message.DESCRIPTOR, checked, may_lack=True)


def messages(schema: Schema, depth: int = 3) -> st.SearchStrategy[dict[str, Any]]:
    """Messages of a schema with any of its fields."""
    numbers = {
        "double": st.floats(allow_nan=False),
        "float": st.floats(width=32, allow_nan=False),
        "int32": st.integers(-(2**31), 2**31 - 1),
        "int64": st.integers(-(2**63), 2**63 - 1),
        "uint64": st.integers(0, 2**64 - 1),
        "uint32": st.integers(0, 2**32 - 1),
        "bool": st.booleans(),
        "enum": st.just(1),
        "string": st.text(max_size=6),
        "bytes": st.binary(max_size=6),
    }
    required: dict[str, Any] = {}
    optional: dict[str, Any] = {}
    for field in schema.fields:
        if field.schema is not None and depth == 0:
            continue
        if field.is_map:
            key, value = field.schema.fields
            values = messages(value.schema, 0) if value.schema else numbers[value.type_name]
            content = st.dictionaries(numbers[key.type_name], values, min_size=1, max_size=2)
        else:
            content = messages(field.schema, depth - 1) if field.schema else numbers[field.type_name]
            content = st.lists(content, min_size=1, max_size=2) if field.is_repeated else content
        (required if field.is_required else optional)[field.name] = content
    return st.fixed_dictionaries(required, optional=optional)


def assert_agrees(schema: Schema, message: dict[str, Any], theirs: Any) -> None:
    """The package reads what we write, and we read and write again what it writes, to the same message."""
    theirs.ParseFromString(wire.encode(schema, message))
    assert bool(theirs.ListFields()) == bool(message)
    again = type(theirs)()
    again.ParseFromString(wire.encode(schema, wire.decode(schema, theirs.SerializeToString())))
    assert again == theirs


@given(messages(mindspore_schemas.EVENT))
def test_mindspore_reads_what_we_write_and_we_read_what_it_writes(message: dict[str, Any]) -> None:
    from mindspore.train import summary_pb2

    assert_agrees(mindspore_schemas.EVENT, message, summary_pb2.Event())


@given(messages(mindspore_schemas.LINEAGE_EVENT))
def test_mindspore_lineage_likewise(message: dict[str, Any]) -> None:
    from mindspore.train import lineage_pb2

    assert_agrees(mindspore_schemas.LINEAGE_EVENT, message, lineage_pb2.LineageEvent())


@given(messages(tensorboard_schemas.VALUE))
def test_tensorboard_likewise(message: dict[str, Any]) -> None:
    from tensorboard.compat.proto import summary_pb2

    assert_agrees(tensorboard_schemas.SUMMARY, {"value": [message]}, summary_pb2.Summary())
