# SPDX-License-Identifier: Apache-2.0
"""When is collected, which parameters, and how lineage and pipelines become messages."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from mindscope.capture.lineage import lineage_bytes
from mindscope.collector.lineage import eval_message, train_message
from mindscope.collector.parameters import select_parameters
from mindscope.collector.pipeline import dataset_message
from mindscope.collector.schedule import Schedule, tensor_steps
from mindscope.formats import wire
from mindscope.formats.mindspore_schemas import DATASET_GRAPH, EVALUATION_LINEAGE, TRAIN_LINEAGE
from mindscope.graph.data.dataset import DatasetNode, DatasetOperation, read_dataset_graph
from mindscope.lineage import EvalLineage, TrainLineage, read_eval_lineage, read_train_lineage


def collected(freq: int, tensor_freq: int | None, total: int) -> tuple[list[int], list[int]]:
    schedule = Schedule(freq, tensor_freq, total)
    due = {step: schedule.next(step) for step in range(1, total + 1)}
    return [step for step in due if due[step].others], [step for step in due if due[step].tensors]


def test_first_step_and_multiples_are_collected() -> None:
    assert collected(10, None, 35)[0] == [1, 10, 20, 30]
    assert collected(4, None, 8)[0] == [1, 4, 8]
    assert collected(1, None, 3)[0] == [1, 2, 3]


def test_documented_counts_of_tensor_steps() -> None:
    others, tensors = collected(10, None, 600)
    assert (len(others), len(tensors)) == (61, 20)
    assert collected(10, None, 20) == ([1, 10, 20], [1, 10, 20])


def test_tensor_steps_are_those_that_mindspore_was_seen_to_take() -> None:
    assert collected(2, None, 60)[1] == [1, *range(3, 58, 3)]
    assert collected(10, 25, 60)[1] == [1, 25, 50]


@given(freq=st.integers(1, 50), total=st.integers(1, 5000))
def test_tensors_take_at_most_twenty_steps_and_no_more_than_the_others(freq: int, total: int) -> None:
    others, tensors = collected(freq, None, total)
    assert len(tensors) <= min(20, max(len(others), 1)) or len(tensors) <= 20
    assert tensors[0] == 1


def test_training_of_unknown_length_takes_twenty_too() -> None:
    assert len(tensor_steps(10, None, None)) == 20


def test_parameters_are_the_first_five_or_those_that_match_from_the_beginning() -> None:
    names = "conv1.weight conv1.bias conv2.weight fc1.weight fc1.bias fc2.weight".split()
    assert select_parameters(names, None) == names[:5]
    assert select_parameters(names, "conv1.*|fc2") == ["conv1.weight", "conv1.bias", "fc2.weight"]
    assert select_parameters(names, "weight") == []


def test_lineage_comes_back_as_it_was() -> None:
    train = TrainLineage(
        optimizer="SGD", learning_rate=0.002, loss_function="CrossEntropyLoss", epoch=3, parallel_mode="stand_alone",
        device_num=1, batch_size=32, dataset_path="/data/x", dataset_size=1500, network="LeNet5", loss=0.25,
        model_path="/ckpt/a.ckpt", model_paths={"ckpt": "/ckpt/a.ckpt"}, model_size=77,
    )  # fmt: skip
    encoded = lineage_bytes("train_lineage", train_message(train))
    assert read_train_lineage(wire.decode(TRAIN_LINEAGE, encoded)) == train
    result = EvalLineage(metric={"accuracy": 0.5, "recall": [1.0, 0.5]}, dataset_size=10)
    encoded = lineage_bytes("eval_lineage", eval_message(result))
    assert read_eval_lineage(wire.decode(EVALUATION_LINEAGE, encoded)) == result


def test_numbers_beyond_the_message_are_bounded() -> None:
    message = train_message(TrainLineage(loss=1e300, learning_rate=math.nan, dataset_size=1 << 40))
    decoded = wire.decode(TRAIN_LINEAGE, lineage_bytes("train_lineage", message))
    assert decoded["algorithm"]["loss"] == math.inf
    assert math.isnan(decoded["hyper_parameters"]["learning_rate"])
    assert decoded["train_dataset"]["train_dataset_size"] == (1 << 31) - 1


def test_pipeline_comes_back_as_it_was() -> None:
    source = DatasetNode(
        "Mnist", {"root": "/data", "num_samples": 4}, sampler=DatasetOperation("Random", {"replacement": True})
    )
    resize = DatasetOperation("Resize", {"size": [32, 32], "mode": "area"})
    mapped = DatasetNode("Map", {"input": "transform"}, (resize, DatasetOperation("ToTensor")), children=(source,))
    node = DatasetNode(
        "Batch", {"batch_size": 4, "drop_remainder": False, "ratio": 0.5, "wide": str(1 << 40)}, children=(mapped,)
    )
    encoded = lineage_bytes("dataset_graph", dataset_message(node))
    read = read_dataset_graph(wire.decode(DATASET_GRAPH, encoded))
    assert read.children == node.children
    assert read.parameters | {"wide": str(read.parameters["wide"])} == node.parameters


def test_pipeline_message_is_refused_nowhere() -> None:
    odd = DatasetNode("X", {"a": None, "b": {"c": 1}, "d": [None, "e", 2], "f": object})
    assert wire.decode(DATASET_GRAPH, lineage_bytes("dataset_graph", dataset_message(odd)))["parameter"]["mapStr"]["a"]
