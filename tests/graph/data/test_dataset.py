# SPDX-License-Identifier: Apache-2.0
"""Data pipelines as trees."""

from __future__ import annotations

from mindscope.formats import wire
from mindscope.formats.mindspore_schemas import DATASET_GRAPH
from mindscope.graph import DatasetNode, DatasetOperation, read_dataset_graph


def test_stages_operations_and_samplers() -> None:
    message = {
        "parameter": {
            "mapStr": {"op_type": "Map", "mode": "plain text"},
            "mapBool": {"shuffle": True},
            "mapInt": {"workers": 4},
            "mapDouble": {"ratio": 0.5},
            "mapStrList": {"columns": {"strValue": ['"image"', '{"a": [1]}', "not json"]}},
        },
        "operations": [
            {"operationParam": {"mapStr": {"tensor_op_name": "Resize", "tensor_op_params": '{"size": [32, 32]}'}}},
            {"operationParam": {"mapStr": {"tensor_op_name": "HwcToChw", "tensor_op_params": "None"}}},
            {"operationParam": {"mapStr": {"tensor_op_name": "Odd", "tensor_op_params": "x y"}}, "size": [1, 2]},
            {"weights": [0.25, 0.75]},
        ],
        "sampler": {"operationParam": {"mapStr": {"sampler_name": "RandomSampler"}, "mapInt": {"num_samples": 9}}},
        "children": [{"parameter": {"mapStr": {"op_type": "Mnist"}}}, {}],
    }
    root = read_dataset_graph(wire.decode(DATASET_GRAPH, wire.encode(DATASET_GRAPH, message)))
    assert root == DatasetNode(
        op_type="Map",
        parameters={
            "mode": "plain text",
            "shuffle": True,
            "workers": 4,
            "ratio": 0.5,
            "columns": ["image", {"a": [1]}, "not json"],
        },
        operations=(
            DatasetOperation("Resize", {"size": [32, 32]}),
            DatasetOperation("HwcToChw"),
            DatasetOperation("Odd", {"tensor_op_params": "x y"}, size=(1, 2)),
            DatasetOperation("", weights=(0.25, 0.75)),
        ),
        sampler=DatasetOperation("RandomSampler", {"num_samples": 9}),
        children=(DatasetNode("Mnist"), DatasetNode("")),
    )
    assert [stage.op_type for stage in root.walk()] == ["Map", "Mnist", ""]
