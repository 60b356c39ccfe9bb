# SPDX-License-Identifier: Apache-2.0
"""The summary that MindSpore writes of a data pipeline."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mindscope.profile.advice import advise
from mindscope.profile.model.profile_data import Part
from mindscope.profile.open import read_profile
from mindscope.profile.texts import Missing
from tests.profile.formats.test_mindspore_profiles import ascend

SUMMARY: dict[str, Any] = {
    "pipeline_ops": ["Batch(id=0)", "Map(id=1)", "TFReader(id=2)"], "op_names": ["Batch", "Map", "TFReader"],
    "op_ids": [0, 1, 2], "num_workers": [4, 2, 1], "queue_average_size": [-1, 3.0, 6.0],
    "queue_utilization_pct": [-1, 37.5, 75.0], "children_ids": [[1], [2], []], "parent_id": [-1, 0, 1],
    "avg_cpu_pct": [90.0, 160.0, 20.0], "per_batch_time": [4.0],
}  # fmt: skip
LINES = "\n".join(
    ",".join([key, *(f'"{json.dumps(each)}"' if isinstance(each, list) else str(each) for each in values)])
    for key, values in SUMMARY.items()
)


@pytest.mark.parametrize(("suffix", "text"), [("json", json.dumps(SUMMARY)), ("csv", LINES)])
def test_operations_of_a_summary_alone(tmp_path: Path, suffix: str, text: str) -> None:
    profile = read_profile(ascend(tmp_path, **{f"minddata_pipeline_summary_1__{suffix}": text}))
    operations = profile.data_pipeline.operations
    assert operations is not None
    assert list(operations.name) == ["TFReaderOp_2", "MapOp_1", "BatchOp_0"]
    assert operations.parent.tolist() == [1, 2, -1]
    assert operations.workers is not None
    assert operations.workers.tolist() == [1, 2, 4]
    assert operations.queue_usage is not None
    assert operations.queue_size is not None
    assert operations.cpu is not None
    assert operations.queue_usage[:2].tolist() == [0.75, 0.375]
    assert np.isnan(operations.queue_usage[2])
    assert operations.queue_size.tolist() == [6, 3, 0]
    assert operations.cpu.tolist() == [20, 160, 90]
    (busy,) = [each for each in advise(profile) if each.code == "busy_workers"]
    assert busy.values["operations"] == "MapOp_1", "80 percent of a core for each worker"


def test_inputs_of_an_operation_are_in_their_order(tmp_path: Path) -> None:
    summary = {
        "op_ids": [0, 1, 2, 3, 4],
        "op_names": ["Zip", "Map", "Mnist", "Csv", "Lost"],
        "parent_id": [-1, 0, 1, 0, 4],
    }
    profile = read_profile(ascend(tmp_path, minddata_pipeline_summary_1__json=json.dumps(summary)))
    operations = profile.data_pipeline.operations
    assert operations is not None
    assert list(operations.name) == ["MnistOp_2", "MapOp_1", "CsvOp_3", "ZipOp_0", "LostOp_4"]
    assert operations.parent.tolist() == [1, 3, 3, -1, 4]


def test_use_of_processors_comes_from_the_summary_where_no_other_file_has_it(tmp_path: Path) -> None:
    raw = {"sampling_interval": 10, "op_info": [{"op_id": 1, "op_type": "MapOp", "num_workers": 2, "children": None}]}
    profile = read_profile(
        ascend(
            tmp_path, pipeline_profiling_1__json=json.dumps(raw), minddata_pipeline_summary_1__json=json.dumps(SUMMARY)
        )
    )
    operations = profile.data_pipeline.operations
    assert operations is not None
    assert operations.cpu is not None
    assert (list(operations.name), operations.cpu.tolist()) == (["MapOp_1"], [160])


@pytest.mark.parametrize("text", ["", "[", "[]", "{}", '{"op_ids": 5}', '{"op_ids": []}', '{"op_ids": [[], {}]}'])
def test_a_damaged_summary_loses_nothing_else(tmp_path: Path, text: str) -> None:
    profile = read_profile(ascend(tmp_path, minddata_pipeline_summary_1__json=text))
    assert isinstance(profile.part(Part.DATA_PIPELINE), Missing) == (text != '{"op_ids": [[], {}]}')
    assert len(profile.operators)
