# SPDX-License-Identifier: Apache-2.0
"""Advice about operations of the data pipeline, by the rules of MindInsight and of MindSpore’s summary."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mindscope.profile.advice import Advice, advise
from mindscope.profile.open import read_profile
from tests.profile.formats.test_minddata_summary import SUMMARY
from tests.profile.formats.test_mindspore_profiles import ascend


def advice(directory: Path, types: list[str], usage: list[float], **others: Any) -> dict[str, Advice]:
    """Of a pipeline without branches, the root first; each operation has one worker and uses half of a core."""
    count = len(types)
    summary = {
        "op_names": types, "op_ids": list(range(count)), "num_workers": [1] * count, "queue_utilization_pct": usage,
        "queue_empty_freq_pct": [0 if each >= 0 else -1 for each in usage], "avg_cpu_pct": [50] * count,
        "parent_id": list(range(-1, count - 1)), **others,
    }  # fmt: skip
    root = ascend(directory, minddata_pipeline_summary_1__json=json.dumps(summary))
    codes = ("pipeline_", "slow_", "empty_", "busy_b", "waiting_", "stored_")
    return {each.code: each for each in advise(read_profile(root)) if each.code.startswith(codes)}


@pytest.mark.parametrize(
    ("types", "usage", "code", "words"),
    [
        (["Batch", "Generator"], [-1, 55], "pipeline_generator", "MindRecord"),
        (["Batch", "TFReader"], [-1, 55], "pipeline_reader", "num_parallel_workers"),
        (["Batch", "Map", "TFReader"], [-1, 60, 75], "pipeline_map", "C++"),
        (["DataQueue", "Batch", "TFReader"], [-1, 60, 75], "pipeline_batch", "prefetch_size"),
        (["Batch", "Filter", "TFReader"], [-1, 60, 75], "pipeline_bottleneck", "workers"),
        (["Batch", "Map", "TFReader"], [-1, 80, 85], "pipeline_consumer", "step trace"),
    ],
)
def test_remedies_are_those_of_the_kind_of_operation(
    tmp_path: Path, types: list[str], usage: list[float], code: str, words: str
) -> None:
    found = advice(tmp_path, types, usage)
    assert list(found) == [code]
    assert words in found[code].remedy


READER = {"pipeline_reader": "TFReaderOp_3"}
SLOW_READER = READER | {"slow_reading": "TFReaderOp_3"}


@pytest.mark.parametrize(
    ("usage", "empty", "cpu", "want"),
    [
        ((60, 60), 60, 50, {}),
        ((60, 60), 61, 50, {"empty_input": "MapOp_2"}),
        ((55, 50), 0, 50, READER),
        ((55, 49), 0, 50, SLOW_READER),
        ((30, 80), 0, 50, {"pipeline_map": "MapOp_2"}),
        ((29, 80), 0, 50, {"pipeline_map": "MapOp_2", "slow_consumer": "MapOp_2"}),
        ((60, 60), 0, 76, {"busy_bottleneck": "MapOp_2"}),
        ((60, 60), 0, 19, {}),
        ((59, 9), 0, 19, SLOW_READER | {"waiting_bottleneck": "MapOp_2"}),
        ((61, 10), 0, 19, SLOW_READER | {"waiting_bottleneck": "MapOp_2"}),
        ((60, 10), 0, 19, SLOW_READER),
        ((5, 60), 0, 50, {"pipeline_map": "MapOp_2", "slow_consumer": "MapOp_2"}),
    ],
)
def test_thresholds_of_mindspore(
    tmp_path: Path, usage: tuple[int, int], empty: float, cpu: float, want: dict[str, str]
) -> None:
    """``usage`` is that of Map and of its reader; Repeat runs in the thread of the queue of the device."""
    types, cpus, empties = ["DataQueue", "Repeat", "Map", "TFReader"], [9, 99, cpu, 50], [-1, -1, empty, 0]
    found = advice(tmp_path, types, [-1, -1, *usage], avg_cpu_pct=cpus, queue_empty_freq_pct=empties)
    assert {code: each.values["operations"] for code, each in found.items()} == want


def test_the_bottleneck_is_the_last_such_operation(tmp_path: Path) -> None:
    found = advice(tmp_path, ["Batch", "Map", "TFReader"], [-1, 60, 60], avg_cpu_pct=[50, 90, 80])
    assert (found["busy_bottleneck"].values["operations"], found["busy_bottleneck"].values["share"]) == ("MapOp_1", 0.9)


@pytest.mark.parametrize("suffix", ["json", "csv"])
def test_a_bottleneck_that_the_summary_names_is_shown(tmp_path: Path, suffix: str) -> None:
    stored = {"bottleneck_warning": ["Map is slow {x}"], "bottleneck_suggestion": ["Use 8 workers, or more"]}
    content = json.dumps(SUMMARY | stored)
    if suffix == "csv":
        rows = {"op_ids": [0], "op_names": ["Map"], "num_workers": [2], "avg_cpu_pct": [160]} | stored
        content = "\n".join(",".join([key, *(f'"{each}"' for each in values)]) for key, values in rows.items())
    profile = read_profile(ascend(tmp_path, **{f"minddata_pipeline_summary_1__{suffix}": content}))
    found = {each.code: each for each in advise(profile)}
    assert found["stored_bottleneck"].finding == "MindSpore’s summary of the data pipeline says: Map is slow {x}"
    assert found["stored_bottleneck"].remedy == "Use 8 workers, or more"
    assert "busy_bottleneck" not in found, "which MindSpore's own words take the place of"
    assert "busy_workers" in found


@pytest.mark.parametrize(
    ("warning", "suggestion", "want"),
    [
        ("slow", "", ["stored_warning"]), (["a", "b"], ["c"], ["stored_bottleneck", "stored_warning"]),
        ([["a"]], [["c"]], ["stored_bottleneck"]), ([], ["c"], []), ([""], ["c"], []), ({}, 5, []), ([None], [7], []),
    ],
)  # fmt: skip
def test_odd_findings_of_a_summary(tmp_path: Path, warning: object, suggestion: object, want: list[str]) -> None:
    content = {"bottleneck_warning": warning, "bottleneck_suggestion": suggestion}
    root = ascend(tmp_path, minddata_pipeline_summary_1__json=json.dumps(content))
    assert [each.code for each in advise(read_profile(root)) if each.code.startswith("stored_")] == want
