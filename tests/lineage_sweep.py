# SPDX-License-Identifier: Apache-2.0
"""What MindSpore's own protobuf classes find in the lineage files of a real sweep."""

from __future__ import annotations

import json
import math
from typing import Any

from tests.event_log import DATA

SWEEP = DATA / "mindspore" / "lineage_sweep"
HYPER = "optimizer learning_rate loss_function epoch parallel_mode device_num batch_size".split()


def number(text: Any) -> Any:
    return {"Infinity": math.inf, "-Infinity": -math.inf, "NaN": math.nan}.get(text, text)


def expected_rows() -> dict[str, dict[str, Any]]:
    """What MindSpore's own protobuf classes find in the lineage files of the sweep, by run."""
    oracle = json.loads(SWEEP.with_suffix(".expected.json").read_text())
    rows: dict[str, dict[str, Any]] = {}
    for name, file in sorted(oracle["files"].items()):
        row = rows.setdefault(name.partition("/")[0], {})
        for event in file.get("events", []):
            train, evaluation = event.get("train_lineage", {}), event.get("evaluation_lineage", {})
            row |= {key: number(train["hyper_parameters"][key]) for key in HYPER if train}
            for key, value in train.get("train_dataset", {}).items():
                row[f"dataset/{key.replace('_dataset', '')}"] = value
            for key, value in train.get("algorithm", {}).items():
                row[f"algorithm/{key}"] = number(value)
            model = train.get("model", {})
            if path := json.loads(model.get("path", "{}")).get("ckpt"):
                row |= {"model/path": path, "model/size": int(model["size"])}
            for key, value in json.loads(evaluation.get("metric", "{}")).items():
                row[f"metric/{key}"] = value
            for key, value in evaluation.get("valid_dataset", {}).items():
                row[f"dataset/{key.replace('valid_dataset', 'eval')}"] = value
            for info in event.get("user_defined_info", {}).get("user_info", []):
                for values in info.values():
                    row |= {f"custom/{key}": value for key, value in values.items()}
    return rows
