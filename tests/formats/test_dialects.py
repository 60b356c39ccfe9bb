# SPDX-License-Identifier: Apache-2.0
"""Events of both dialects: each kind is found, placed and decoded; what is wrong is named."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindscope.errors import FormatError
from mindscope.formats import (
    dialects,
    mindspore,
    mindspore_schemas,
    mindspore_tensors,
    tensorboard,
    tensorboard_schemas,
    tensorboard_tensors,
    wire,
)
from mindscope.formats._scalar_events import encode_scalar_values, encode_summary_event
from mindscope.formats.kinds import KINDS
from mindscope.reasons import reason_of
from mindscope.types import Audio, DialectName, EncodedGraph, GraphFormat, Histogram, Kind, Located

OFFSET = 4096


def mindspore_values(event: dict[str, Any]) -> list[tuple[Located, Any]]:
    payload = wire.encode(mindspore_schemas.EVENT, {"wall_time": 7.5, "step": 3} | event)
    return [
        (at, dialects.decode(DialectName.MINDSPORE, at.kind, cut(payload, at)))
        for at in mindspore.locate(payload, OFFSET)
    ]


def tensorboard_values(*events: dict[str, Any]) -> list[tuple[Located, Any]]:
    kinds: dict[str, Kind] = {}
    found: list[tuple[Located, Any]] = []
    for event in events:
        payload = wire.encode(tensorboard_schemas.EVENT, {"wall_time": 7.5, "step": 3} | event)
        places = tensorboard.locate(payload, OFFSET, kinds)
        found += [
            (at, dialects.decode(DialectName.TENSORBOARD, at.kind, cut(payload, at)))
            for at in places
            if isinstance(at, Located)
        ]
    return found


def cut(payload: bytes, at: Located) -> bytes:
    return payload[at.offset - OFFSET : at.offset - OFFSET + at.length]


def summary(*values: dict[str, Any]) -> dict[str, Any]:
    return {"summary": {"value": list(values)}}


def plugin(name: str, content: bytes = b"") -> dict[str, Any]:
    return {"plugin_data": {"plugin_name": name, "content": content}}


def strings(*texts: bytes) -> dict[str, Any]:
    return {"dtype": 7, "tensor_shape": {"dim": [{"size": len(texts)}]}, "string_val": list(texts)}


# ---- which dialect --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "payload", "want"),
    [
        ("events.out.events.summary.1.0.host_MS", mindspore.version_event(1.0), DialectName.MINDSPORE),
        ("anything.tfevents.1", mindspore.version_event(1.0), DialectName.MINDSPORE),
        ("events.out.events.summary.1.0.host_MS", tensorboard.version_event(1.0), DialectName.TENSORBOARD),
        ("events.out.tfevents.1.host", None, DialectName.TENSORBOARD),
        ("events.out.events.summary.1.0.host_MS", b"\xff", DialectName.MINDSPORE),
        ("events.out.events.summary.1.0.host_lineage", b"", DialectName.MINDSPORE_LINEAGE),
    ],
)
def test_version_decides_before_the_name(name: str, payload: bytes | None, want: DialectName) -> None:
    assert dialects.detect(name, payload) is want


# ---- MindSpore ------------------------------------------------------------------------------------------------------


def test_mindspore_scalars_carry_step_time_and_place() -> None:
    found = mindspore_values({"step": -1} | summary({"tag": "a", "scalar_value": 0.5}, {"tag": "b", "scalar_value": 2}))
    assert [(at.kind, at.tag, at.step, at.wall_time, at.scalar) for at, _ in found] == [
        (Kind.SCALAR, "a", -1, 7.5, 0.5),
        (Kind.SCALAR, "b", -1, 7.5, 2.0),
    ]
    assert [value for _, value in found] == [0.5, 2.0]


POINTS = st.lists(st.tuples(st.text(max_size=300), st.floats(width=32, allow_nan=False)), max_size=20)


@given(POINTS, st.integers(-(2**63), 2**63 - 1))
def test_compiled_scalar_path_is_the_codec(points: list[tuple[str, float]], step: int) -> None:
    values = [{"tag": tag, "scalar_value": value} for tag, value in points]
    want = wire.encode(mindspore_schemas.EVENT, {"wall_time": 1.0, "step": step, "summary": {"value": values}})
    tags = [tag.encode("utf-8", "backslashreplace") for tag, _ in points]
    assert encode_summary_event(1.0, step, encode_scalar_values(tags, [value for _, value in points])) == want


def test_mindspore_image_tensor_histogram_landscape() -> None:
    tensor = {"dims": [2, 2], "data_type": 5, "float_data": [1, 2, 3, 4]}
    axis = {"dims": [2], "data_type": 12, "float_data": [0, 1]}
    point = {name: {"dims": [1], "data_type": 5, "float_data": [2]} for name in "xyz"}
    found = mindspore_values(
        summary(
            {"tag": "i", "image": {"height": 2, "width": 3, "colorspace": 3, "encoded_image": b"png"}},
            {"tag": "t", "tensor": tensor},
            {"tag": "h", "histogram": {"buckets": [{"left": 0, "width": 0.5, "count": 4}], "nan_count": 1, "count": 5}},
            {
                "tag": "l",
                "loss_landscape": {
                    "landscape": {"x": axis, "y": axis, "z": tensor},
                    "loss_path": {"intervals": [1, 2], "points": {"x": axis, "y": axis, "z": axis}},
                    "convergence_point": point,
                    "metadata": {"decomposition": "PCA", "unit": "epoch", "step_per_epoch": 9},
                },
            },
        )
    )
    image, array, histogram, landscape = (value for _, value in found)
    assert (image[0].height, image[0].width, image[0].encoded) == (2, 3, b"png")
    assert array.value.dtype == np.int64
    assert array.value.tolist() == [[1, 2], [3, 4]]
    assert not array.is_exact
    assert isinstance(histogram, Histogram)
    assert (histogram.left[0], histogram.right[0], histogram.count[0], histogram.total) == (0, 0.5, 4, 5)
    assert landscape.z.shape == (2, 2)
    assert landscape.convergence_point == (2.0, 2.0, 2.0)
    assert landscape.path_intervals == (1, 2)


@pytest.mark.parametrize(
    ("number", "array"),
    [
        (1, np.array([True, False])),
        (5, np.array([2**53 + 1, -5], np.int64)),
        (9, np.array([2**64 - 1, 0], np.uint64)),
        (10, np.array([0.5, np.nan], np.float16)),
        (12, np.array([1e300, -np.inf], np.float64)),
        (46, np.array([1.5, 2.0], ml_dtypes.bfloat16)),
        (43, np.array([1 + 2j, 0], np.complex64)),
    ],
)
def test_raw_data_keeps_every_bit(number: int, array: np.ndarray[Any, Any]) -> None:
    message = {"dims": [2], "data_type": number, "raw_data": array.tobytes()}
    got = mindspore_tensors.decode_tensor(
        wire.decode(mindspore_schemas.TENSOR, wire.encode(mindspore_schemas.TENSOR, message))
    )
    assert got.value.dtype == array.dtype
    assert got.value.tobytes() == array.tobytes()
    assert got.is_exact


@pytest.mark.parametrize("dims", [[3], [-1], [2**40, 2**40]])
def test_tensor_whose_shape_lies_is_an_error_and_allocates_nothing(dims: list[int]) -> None:
    with pytest.raises(FormatError, match="has 2 values"):
        mindspore_tensors.decode_tensor({"dims": dims, "data_type": 11, "float_data": np.zeros(2, np.float32)})


def test_mindspore_graph_and_explain_are_found() -> None:
    graph = {"name": "net", "node": [{"name": "1", "op_type": "Add", "input": [{"name": "x", "type": 0}]}]}
    ((at, value),) = mindspore_values({"graph_def": graph})
    assert at.kind is Kind.GRAPH
    assert value == EncodedGraph(GraphFormat.MINDSPORE, wire.encode(mindspore_schemas.GRAPH, graph))
    ((at, value),) = mindspore_values({"explain": {"sample_id": 4}})
    assert (at.kind, value) == (Kind.EXPLAIN, {"sample_id": 4})


@pytest.mark.parametrize(
    ("field", "kind", "message"),
    [
        ("train_lineage", Kind.TRAIN_LINEAGE, {"hyper_parameters": {"optimizer": "Adam", "batch_size": 32}}),
        ("evaluation_lineage", Kind.EVAL_LINEAGE, {"metric": '{"acc": 1}'}),
        ("dataset_graph", Kind.DATASET_GRAPH, {"children": [{"parameter": {"mapStr": {"op_type": "Batch"}}}]}),
        ("user_defined_info", Kind.CUSTOM_LINEAGE, {"user_info": [{"map_str": {"名": "值"}}]}),
    ],
)
def test_lineage_events_are_found(field: str, kind: Kind, message: dict[str, Any]) -> None:
    payload = wire.encode(mindspore_schemas.LINEAGE_EVENT, {"wall_time": 2.0, field: message})
    (at,) = dialects.locate(DialectName.MINDSPORE_LINEAGE, payload, OFFSET, {})
    assert (at.kind, at.wall_time) == (kind, 2.0)
    assert dialects.decode(DialectName.MINDSPORE_LINEAGE, at.kind, cut(payload, at)) == message


def test_value_without_its_field_is_named() -> None:
    with pytest.raises(FormatError, match="'image' of “a” is missing"):
        dialects.decode(DialectName.MINDSPORE, Kind.IMAGE, wire.encode(mindspore_schemas.VALUE, {"tag": "a"}))


@pytest.mark.parametrize(
    ("kind", "plugin_name", "tensor"),
    [
        (Kind.IMAGE, "images", {"dtype": 7, "string_val": [b"2"]}),
        (Kind.IMAGE, "images", {"dtype": 7, "string_val": [b"two", b"1", b"png"]}),
        (Kind.HISTOGRAM, "histograms", {"dtype": 2, "double_val": [1.0, 2.0]}),
    ],
)
def test_half_a_value_is_a_format_error(kind: Kind, plugin_name: str, tensor: dict[str, Any]) -> None:
    value = {"tag": "a", "tensor": tensor, "metadata": plugin(plugin_name)}
    with pytest.raises(FormatError) as told:
        dialects.decode(DialectName.TENSORBOARD, kind, wire.encode(tensorboard_schemas.VALUE, value))
    assert reason_of(told.value).code in ("value_malformed", "tensor_shape")


# ---- TensorBoard ----------------------------------------------------------------------------------------------------


def test_tensorboard_old_fields() -> None:
    found = tensorboard_values(
        summary(
            {"tag": "s", "simple_value": 0.5},
            {"tag": "i", "image": {"height": 1, "width": 2, "colorspace": 4, "encoded_image_string": b"png"}},
            {"tag": "a", "audio": {"sample_rate": 8000, "num_channels": 1, "encoded_audio_string": b"wav"}},
            {
                "tag": "h",
                "histo": {"min": -1, "max": 3, "num": 4, "sum": 4, "bucket_limit": [0, 1e308], "bucket": [1, 3]},
            },
        )
    )
    assert [at.kind for at, _ in found] == [Kind.SCALAR, Kind.IMAGE, Kind.AUDIO, Kind.HISTOGRAM]
    scalar, image, audio, histogram = (value for _, value in found)
    assert scalar == 0.5
    assert image[0].channels == 4
    assert audio == Audio(8000.0, 1, 0, b"wav", "")
    assert (histogram.left.tolist(), histogram.right.tolist(), histogram.count.tolist()) == ([-1, 0], [0, 3], [1, 3])


def test_tensorboard_tensors_are_what_their_plugin_says() -> None:
    float_tensor = {"dtype": 1, "tensor_shape": {}, "float_val": [0.25]}
    buckets = np.array([[0, 1, 2], [1, 2, 3.0]])
    histogram = {
        "dtype": 2,
        "tensor_shape": {"dim": [{"size": 2}, {"size": 3}]},
        "tensor_content": buckets.tobytes(),
    }
    layout = wire.encode(tensorboard_schemas.LAYOUT, {"category": [{"title": "L"}]})
    hparams = wire.encode(
        tensorboard_schemas.HPARAMS, {"session_start_info": {"hparams": {"lr": {"number_value": 0.1}}}}
    )
    found = tensorboard_values(
        summary(
            {"tag": "s", "tensor": float_tensor, "metadata": plugin("scalars")},
            {"tag": "i", "tensor": strings(b"2", b"1", b"png1", b"png2"), "metadata": plugin("images")},
            {"tag": "h", "tensor": histogram, "metadata": plugin("histograms")},
            {"tag": "t", "tensor": strings("文本".encode()), "metadata": plugin("text")},
            {"tag": "a", "tensor": strings(b"wav", b"label"), "metadata": plugin("audio")},
            {"tag": "p", "tensor": float_tensor, "metadata": plugin("pr_curves")},
            {"tag": "c", "tensor": strings(layout), "metadata": plugin("custom_scalars")},
            {"tag": "hp", "metadata": plugin("hparams", hparams)},
            {"tag": "x", "tensor": float_tensor, "metadata": plugin("mine")},
        )
    )
    assert [at.kind.value for at, _ in found] == (
        "scalar image histogram text audio pr_curve custom_scalars hparams tensor".split()
    )
    values = [value for _, value in found]
    assert found[0][0].scalar == values[0] == 0.25
    assert [(image.width, image.height, image.encoded) for image in values[1]] == [(2, 1, b"png1"), (2, 1, b"png2")]
    assert (values[2].count.tolist(), values[2].total) == ([2, 3], 5)
    assert values[3] == ("文本",)
    assert values[4].encoded == b"wav"
    assert values[6] == {"category": [{"title": "L"}]}
    assert values[7]["session_start_info"]["hparams"]["lr"] == {"number_value": 0.1}


def test_later_events_of_a_tag_keep_its_kind() -> None:
    tensor = {"dtype": 1, "tensor_shape": {}, "float_val": [1]}
    found = tensorboard_values(
        summary({"tag": "s", "tensor": tensor, "metadata": plugin("scalars")}), summary({"tag": "s", "tensor": tensor})
    )
    assert [at.kind for at, _ in found] == [Kind.SCALAR, Kind.SCALAR]


def test_tensorboard_events_without_a_summary() -> None:
    graph = wire.encode(tensorboard_schemas.GRAPH, {"node": [{"name": "a", "op": "Add", "input": ["b", "^c"]}]})
    found = tensorboard_values(
        {"graph_def": graph},
        {"session_log": {"status": 1}},
        {"log_message": {"level": 20, "message": "hello"}},
        {"tagged_run_metadata": {"tag": "step1", "run_metadata": b"x"}},
        {"meta_graph_def": b"m"},
    )
    assert [(at.kind.value, at.tag) for at, _ in found] == [
        ("graph", "graph"),
        ("session", "session"),
        ("log_message", "log_message"),
        ("run_metadata", "step1"),
        ("meta_graph", "meta_graph"),
    ]
    assert found[0][1] == EncodedGraph(GraphFormat.TENSORFLOW, graph)
    assert found[4][1] == {"meta_graph_def": b"m"}


@pytest.mark.parametrize("name", ["graph_run_metadata", "graph_run_metadata_graph", "graph_tagged_run_metadata"])
def test_run_metadata_in_a_summary_reads_as_in_an_event(name: str) -> None:
    tensor = {"dtype": 7, "string_val": [b"metadata"]}
    found = tensorboard_values(
        {"tagged_run_metadata": {"tag": "step1", "run_metadata": b"metadata"}},
        summary({"tag": "step1", "tensor": tensor, "metadata": plugin(name)}),
    )
    assert [(at.kind, at.tag) for at, _ in found] == [(Kind.RUN_METADATA, "step1")] * 2
    assert [value for _, value in found] == [{"tag": "step1", "run_metadata": b"metadata"}] * 2


@pytest.mark.parametrize(
    ("message", "want"),
    [
        ({"dtype": 1, "tensor_shape": {"dim": [{"size": 3}]}, "float_val": [2.0]}, [2, 2, 2]),
        ({"dtype": 19, "tensor_shape": {"dim": [{"size": 2}]}, "half_val": [0x3C00, 0x4000]}, [1, 2]),
        ({"dtype": 14, "tensor_shape": {"dim": [{"size": 1}]}, "half_val": [0x3FC0]}, [1.5]),
        ({"dtype": 10, "tensor_shape": {"dim": [{"size": 2}]}, "bool_val": [True, False]}, [True, False]),
        ({"dtype": 8, "tensor_shape": {"dim": [{"size": 1}]}, "scomplex_val": [1.0, 2.0]}, [1 + 2j]),
        ({"dtype": 9, "tensor_shape": {"dim": [{"size": 0}]}}, []),
        ({"dtype": 23, "tensor_shape": {"dim": [{"size": 1}]}, "uint64_val": [2**64 - 1]}, [2**64 - 1]),
    ],
)
def test_tensorboard_tensor_forms(message: dict[str, Any], want: list[Any]) -> None:
    decoded = wire.decode(tensorboard_schemas.TENSOR, wire.encode(tensorboard_schemas.TENSOR, message))
    assert tensorboard_tensors.decode_tensor(decoded).tolist() == want


def test_tensorboard_shape_that_lies_allocates_nothing() -> None:
    message = {"dtype": 1, "tensor_shape": {"dim": [{"size": 2**40}]}, "float_val": np.ones(1, np.float32)}
    with pytest.raises(FormatError, match=r"has 1 values; its shape .* needs 1099511627776"):
        tensorboard_tensors.decode_tensor(message)


@given(st.binary(max_size=150), st.sampled_from(list(DialectName)))
def test_any_payload_is_located_or_a_format_error(payload: bytes, dialect: DialectName) -> None:
    try:
        places = list(dialects.locate(dialect, payload, OFFSET, {}))
    except FormatError:
        return
    for at in places:
        try:
            isinstance(at, Located) and dialects.decode(dialect, at.kind, cut(payload, at))
        except FormatError:
            continue


@given(st.binary(max_size=60), st.sampled_from(list(Kind)))
def test_any_value_bytes_are_decoded_or_a_format_error(encoded: bytes, kind: Kind) -> None:
    for dialect in DialectName:
        try:
            dialects.decode(dialect, kind, encoded)
        except FormatError:
            continue


def test_every_kind_has_a_descriptor_and_no_two_share_a_field() -> None:
    assert set(KINDS) == set(Kind)
    for dialect in dialects.EVENT_DIALECTS:
        storages = [getattr(each, dialect.value) for each in KINDS.values()]
        fields = [field for storage in storages if storage for field in storage.value_fields]
        events = [storage.event_field for storage in storages if storage and storage.event_field is not None]
        assert len(set(fields)) == len(fields)
        assert len(set(events)) == len(events)
    plugins = [name for each in KINDS.values() for name in each.plugins]
    assert len(set(plugins)) == len(plugins)
