# SPDX-License-Identifier: Apache-2.0
"""Lineage messages, and what several of them say together."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from mindscope.lineage import (
    EvalLineage,
    Lineage,
    TrainLineage,
    merge,
    read_custom,
    read_eval_lineage,
    read_train_lineage,
)
from mindscope.reading import open_run
from tests.event_log import LINEAGE_NAME, append, lineage


def test_train_lineage() -> None:
    message = {
        "hyper_parameters": {
            "optimizer": "SGD",
            "learning_rate": 0.5,
            "loss_function": "MSE",
            "epoch": 3,
            "parallel_mode": "stand_alone",
            "device_num": 1,
            "batch_size": 16,
        },
        "train_dataset": {"train_dataset_path": "/data", "train_dataset_size": 640},
        "algorithm": {"network": "MLP", "loss": math.inf},
        "model": {"path": '{"ckpt": "/out/mlp.ckpt"}', "size": 1 << 40},
    }
    assert read_train_lineage(message) == TrainLineage(
        optimizer="SGD",
        learning_rate=0.5,
        loss_function="MSE",
        epoch=3,
        parallel_mode="stand_alone",
        device_num=1,
        batch_size=16,
        dataset_path="/data",
        dataset_size=640,
        network="MLP",
        loss=math.inf,
        model_path="/out/mlp.ckpt",
        model_paths={"ckpt": "/out/mlp.ckpt"},
        model_size=1 << 40,
    )
    assert read_train_lineage({}) == TrainLineage()


@pytest.mark.parametrize(
    ("text", "path", "paths"),
    [
        ('{"ckpt": null}', None, {"ckpt": None}),
        ('{"mindir": "/x"}', None, {"mindir": "/x"}),
        ("/plain/path.ckpt", "/plain/path.ckpt", None),
        ("[1]", "[1]", None),
        ("", None, None),
    ],
)
def test_paths_of_the_model(text: str, path: str | None, paths: dict[str, str | None] | None) -> None:
    got = read_train_lineage({"model": {"path": text}})
    assert (got.model_path, got.model_paths) == (path, paths)


def test_eval_lineage() -> None:
    message = {"metric": '{"Accuracy": 0.5, "F1": [1, 2]}', "valid_dataset": {"valid_dataset_size": 9}}
    assert read_eval_lineage(message) == EvalLineage({"Accuracy": 0.5, "F1": [1, 2]}, None, 9)
    assert read_eval_lineage({"metric": "not json"}).metric is None
    assert read_eval_lineage({}) == EvalLineage()


def test_custom_values_of_every_kind_and_depth() -> None:
    message = {
        "user_info": [
            {"map_int32": {"a": 1}},
            {"map_double": {"b": 0.5}},
            {"map_str": {"c": "x"}},
            {"map_int32": {"a": 2}},
        ],
        "map_dict": {"deep": {"map_str": {"d": "y"}, "map_dict": {"er": {"map_int32": {"e": 5}}}}},
    }
    assert read_custom(message) == {"a": 2, "b": 0.5, "c": "x", "deep/d": "y", "deep/er/e": 5}


def test_the_newer_file_wins_where_both_speak() -> None:
    older, newer = TrainLineage(epoch=1, network="A", loss=0.0), TrainLineage(epoch=2, loss=1.0, batch_size=4)
    assert merge(older, newer) == TrainLineage(epoch=2, network="A", loss=1.0, batch_size=4)
    assert merge(None, newer) is newer


def test_a_row_names_what_is_known() -> None:
    row = Lineage(
        TrainLineage(epoch=2, loss=0.0, model_paths={"ckpt": None}),
        EvalLineage({"Accuracy": 0.5}, dataset_size=9),
        {"note": "x"},
    ).row()
    assert row == {"epoch": 2, "loss": 0.0, "eval_dataset_size": 9, "metric/Accuracy": 0.5, "custom/note": "x"}
    assert Lineage().row() == {}


def test_an_empty_lineage_is_false() -> None:
    assert not Lineage()
    assert Lineage(custom={"a": 1})
    assert Lineage(train=TrainLineage())


def test_files_are_merged_from_the_oldest_to_the_newest(tmp_path: Path) -> None:
    first = {"train_lineage": {"algorithm": {"network": "A", "loss": 1.0}, "hyper_parameters": {"epoch": 1}}}
    second = {"train_lineage": {"algorithm": {"loss": 0.5}, "hyper_parameters": {"epoch": 2}}}
    # Written in the order opposite to that of their age.
    append(tmp_path / LINEAGE_NAME.format(20), lineage(second))
    append(tmp_path / LINEAGE_NAME.format(20), lineage({"evaluation_lineage": {"metric": '{"Accuracy": 0.9}'}}))
    append(tmp_path / LINEAGE_NAME.format(3), lineage(first))
    append(tmp_path / LINEAGE_NAME.format(3), lineage({"evaluation_lineage": {"metric": '{"Accuracy": 0.1}'}}))
    append(tmp_path / LINEAGE_NAME.format(3), lineage({"user_defined_info": {"user_info": [{"map_str": {"k": "v"}}]}}))
    got = open_run(tmp_path).lineage
    assert got.train == TrainLineage(network="A", loss=0.5, epoch=2)
    assert got.eval == EvalLineage({"Accuracy": 0.9})
    assert got.custom == {"k": "v"}


def test_float32_reads_as_it_was_written() -> None:
    message = {"hyper_parameters": {"learning_rate": float(np.float32(0.002))}, "algorithm": {"loss": float("nan")}}
    lineage = read_train_lineage(message)
    assert lineage.learning_rate == 0.002
    assert lineage.loss is not None
    assert math.isnan(lineage.loss)
