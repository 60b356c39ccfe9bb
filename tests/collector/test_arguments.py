# SPDX-License-Identifier: Apache-2.0
"""What a collector accepts, and what its errors say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mindscope.collector.arguments import CollectorArguments, check_arguments
from mindscope.collector.collect_options import FACTS
from mindscope.collector.landscape import LandscapeSettings


def check(directory: Path, environment: dict[str, str] | None = None, **given: Any) -> CollectorArguments:
    defaults: dict[str, Any] = {
        "collect_freq": 10, "num_process": 32, "collect_specified_data": None, "keep_default_action": True,
        "custom_lineage_data": None, "collect_tensor_freq": None, "max_file_size": None, "export_options": None,
    }  # fmt: skip
    return check_arguments(**({"summary_dir": directory / "run"} | defaults | given), environment=environment or {})


def landscape(**given: Any) -> dict[str, Any]:
    return {"collect_specified_data": {"collect_landscape": given}}


@pytest.mark.parametrize(("given", "error", "words"), [
    ({"collect_freq": 0}, ValueError, ["collect_freq is 0", "greater than 0"]),
    ({"collect_freq": 2.0}, TypeError, ["collect_freq is float 2.0", "whole number"]),
    ({"collect_freq": True}, TypeError, ["collect_freq", "True", "whole number"]),
    ({"collect_tensor_freq": -1}, ValueError, ["collect_tensor_freq is -1"]),
    ({"max_file_size": 0}, ValueError, ["max_file_size is 0"]),
    ({"queue_timeout": -1}, ValueError, ["queue_timeout is -1"]),
    ({"summary_dir": ""}, ValueError, ["summary_dir is ''", "not blank"]),
    ({"summary_dir": "  "}, ValueError, ["summary_dir is '  '", "not blank"]),
    ({"summary_dir": 3}, TypeError, ["summary_dir is int 3", "directory"]),
    ({"num_process": "2"}, TypeError, ["num_process", "'2'"]),
    ({"keep_default_action": 1}, TypeError, ["keep_default_action", "1", "True or False"]),
    ({"export_options": {"tensor_format": "npz"}}, ValueError, ["tensor_format", "'npz'", "'npy'"]),
    ({"collect_specified_data": ["loss"]}, TypeError, ["collect_specified_data", "['loss']", "dict"]),
    ({"collect_specified_data": {"metric": True}}, ValueError, ["['metric']", "True", "collect_metric"]),
    ({"collect_specified_data": {"collect_graph": 1}}, TypeError, ["['collect_graph']", "int 1", "True or False"]),
    ({"collect_specified_data": {"histogram_regular": 5}}, TypeError, ["['histogram_regular']", "5", "text"]),
    ({"collect_specified_data": {"histogram_regular": "("}}, ValueError, ["histogram_regular", "'('", "expression"]),
    ({"collect_specified_data": {"collect_git": 1}}, TypeError, ["['collect_git']", "int 1", "True or False"]),
    (landscape(size=4), ValueError, ["['size']", "4", "landscape_size"]),
    (landscape(landscape_size=2), ValueError, ["['landscape_size'] is 2", "3 to 256"]),
    (landscape(landscape_size=257), ValueError, ["['landscape_size'] is 257", "3 to 256"]),
    (landscape(unit="batch"), ValueError, ["['unit'] is 'batch'", "'step' or 'epoch'"]),
    (landscape(num_samples=True), TypeError, ["['num_samples']", "True"]),
    (landscape(create_landscape={"all": True}), ValueError, ["['all']", "'train' and 'result'"]),
    (landscape(create_landscape={"train": 1}), TypeError, ["['train']", "1"]),
    (landscape(intervals=[[1, 2]]), ValueError, ["['intervals']", "[1, 2]", "at least 3"]),
    (landscape(intervals=[[1, 2, "3"]]), TypeError, ["['intervals']", "whole numbers"]),
    ({"custom_lineage_data": [1]}, TypeError, ["custom_lineage_data", "[1]", "dict"]),
    ({"custom_lineage_data": {3: 1}}, TypeError, ["key is int 3", "text"]),
    ({"custom_lineage_data": {"a": {"b": [1]}}}, TypeError, ["custom_lineage_data['a.b']", "list", "[1]", "number"]),
    ({"custom_lineage_data": {"a": {"b": 1}, "a.b": 2}}, TypeError, ["two values of 'a.b'"]),
    ({"custom_lineage_data": {"a": [1]}}, TypeError, ["custom_lineage_data['a']", "list", "[1]", "number"]),
    ({"custom_lineage_data": {"a": None}}, TypeError, ["custom_lineage_data['a']", "None"]),
    ({"custom_lineage_data": {"a": 1j}}, TypeError, ["custom_lineage_data['a']", "complex"]),
])  # fmt: skip
def test_error_names_key_value_and_what_is_accepted(
    tmp_path: Path, given: dict[str, Any], error: type[Exception], words: list[str]
) -> None:
    with pytest.raises(error) as raised:
        check(tmp_path, **given)
    assert type(raised.value) is error
    assert all(word in str(raised.value) for word in [*words, "want"]), str(raised.value)
    assert not (tmp_path / "run").exists()


def test_everything_but_landscapes_is_collected_by_default(tmp_path: Path) -> None:
    specified = check(tmp_path).options
    assert specified.collect_metric
    assert specified.collect_histogram
    assert specified.collect_eval_lineage
    assert specified.landscape is None
    assert (tmp_path / "run").is_dir()


def test_only_what_is_named_is_collected_without_the_default_action(tmp_path: Path) -> None:
    named = {"collect_metric": True, "histogram_regular": "^conv"}
    specified = check(tmp_path, collect_specified_data=named, keep_default_action=False).options
    assert (specified.collect_metric, specified.collect_histogram, specified.collect_graph) == (True, True, False)
    nothing = check(tmp_path, keep_default_action=False).options
    assert [nothing.collect_metric, nothing.collect_histogram, nothing.collect_train_lineage] == [False] * 3


def test_named_things_win_over_the_default(tmp_path: Path) -> None:
    specified = check(tmp_path, collect_specified_data={"collect_metric": False}).options
    assert (specified.collect_metric, specified.collect_graph) == (False, True)


def test_numbers_of_any_width_are_lineage(tmp_path: Path) -> None:
    data = {"wide": 1 << 40, "numpy": np.int64(3), "single": np.float32(0.5), "flag": True, "np_flag": np.bool_(True)}
    assert check(tmp_path, custom_lineage_data=data).custom_lineage_data == data
    nested = {"model": {"depth": 3, "norm": {"is_on": True}}, "note": "x"}
    assert check(tmp_path, custom_lineage_data=nested).custom_lineage_data == {
        "model.depth": 3, "model.norm.is_on": True, "note": "x"
    }  # fmt: skip


def test_environment_adds_lineage_and_the_argument_wins(tmp_path: Path) -> None:
    environment = {"MINDINSIGHT_HYPER_CONFIG": json.dumps({"custom_lineage_data": {"a": 1, "b": 2}})}
    assert check(tmp_path, environment, custom_lineage_data={"b": 3}).custom_lineage_data == {"a": 1, "b": 3}


@pytest.mark.parametrize("text", ["{", "[]", '{"custom_lineage_data": {"a": [1]}}', '"' + "x" * 100_000 + '"', "{}"])
def test_environment_that_can_not_be_used_is_left_out(tmp_path: Path, text: str) -> None:
    assert check(tmp_path, {"MINDINSIGHT_HYPER_CONFIG": text}).custom_lineage_data == {}


def test_landscape_says_when_weights_are_due_and_what_its_file_holds(tmp_path: Path) -> None:
    given = landscape(unit="epoch", intervals=[[1, 2, 3]], create_landscape={"train": False}, landscape_size=8)
    settings = check(tmp_path, **given).options.landscape
    assert settings is not None
    assert [settings.is_due("epoch", each) for each in (1, 3, 4)] == [True, True, False]
    assert not settings.is_due("step", 1)
    assert settings.metadata({1: "a.ckpt"}, 5) == {
        "epoch_group": {"0": [1, 2, 3]}, "model_params_file_map": {"1": "a.ckpt"}, "step_per_epoch": 5,
        "unit": "epoch", "num_samples": 128, "landscape_size": 8, "create_landscape": {"train": False, "result": True},
    }  # fmt: skip
    assert LandscapeSettings().is_due("step", 19)


def test_each_fact_is_switched_off_by_its_name(tmp_path: Path) -> None:
    assert check(tmp_path).options.facts == set(FACTS)
    for name in FACTS:
        without = check(tmp_path, collect_specified_data={f"collect_{name}": False}).options
        assert without.facts == set(FACTS) - {name}
    assert not check(tmp_path, collect_specified_data={"collect_dataset_size": False}).options.collect_dataset_size


def test_facts_are_collected_as_the_lineage_is_unless_they_are_named(tmp_path: Path) -> None:
    assert check(tmp_path, keep_default_action=False).options.facts == frozenset()
    assert check(tmp_path, collect_specified_data={"collect_train_lineage": False}).options.facts == frozenset()
    lineage = {"collect_train_lineage": True, "collect_git": False}
    options = check(tmp_path, collect_specified_data=lineage, keep_default_action=False).options
    assert options.facts == set(FACTS) - {"git"}
    only = {"collect_seed": True}
    assert check(tmp_path, collect_specified_data=only, keep_default_action=False).options.facts == {"seed"}
