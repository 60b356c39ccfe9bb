# SPDX-License-Identifier: Apache-2.0
"""Trainings on the CPU with a profiler; run as a program: DIRECTORY. Prints what the test checks as JSON."""

from __future__ import annotations

import csv
import json
import sys
from collections import defaultdict
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from mindscope.mindspore import ArrayRows, Profiler, SummaryCollector
from mindscope.profile.model.profile_data import Part
from mindscope.profile.open import find_profiles, read_profile

mindspore: Any = import_module("mindspore")  # its types are those of no one version
nn: Any = mindspore.nn
STEPS = 8


class Net(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.fc1, self.fc2, self.relu = nn.Dense(16, 32), nn.Dense(32, 4), nn.ReLU()

    def construct(self, x: Any) -> Any:
        return self.fc2(self.relu(self.fc1(x)))


class Cnn(nn.Cell):
    """Nearly all of its work is that of one convolution."""

    def __init__(self) -> None:
        super().__init__()
        self.conv, self.head = nn.Conv2d(4, 32, 5), nn.Dense(32, 4)

    def construct(self, x: Any) -> Any:
        images = mindspore.ops.tile(x.reshape((4, 1, 4, 4)), (1, 4, 4, 4))
        return self.head(self.conv(images).mean((2, 3)))


class Transformer(nn.Cell):
    """Its biases are repeated for each word, which on a CPU takes longer than its matrix products."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(128, 4, 512, dropout=0.0, batch_first=True)
        self.words, self.head = nn.Dense(1, 128), nn.Dense(128, 4)

    def construct(self, x: Any) -> Any:
        return self.head(self.layer(self.words(x.reshape((4, 16, 1)))).mean(1))


def make_model(net: Any = None) -> Any:
    net = Net() if net is None else net
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    return mindspore.train.Model(net, loss, nn.Momentum(net.trainable_params(), 0.1, 0.9))


def rows() -> Any:
    pixels, labels = np.ones((STEPS * 4, 16), np.float32), np.zeros(STEPS * 4, np.int32)
    dataset: Any = import_module("mindspore.dataset")
    return dataset.GeneratorDataset(ArrayRows((pixels, labels)), ["data", "label"], shuffle=False).batch(4)


def compared(path: Path, network: Any) -> dict[str, Any]:
    """What a profile of a network has of its operators, and what MindSpore's own table of them has."""
    profiler = Profiler(output_path=path)
    make_model(network).train(1, rows(), dataset_sink_mode=False)
    profiler.stop()
    (directory,) = profiler.files
    profile = read_profile(directory)
    (table,) = directory.rglob("cpu_op_detail_info_*.csv")
    with table.open() as file:
        entries = list(csv.DictReader(file))
    types: dict[str, float] = defaultdict(float)
    for row in entries:
        types[row["op_type"]] += float(row["op_total_time(ms)"])
    return {
        "raw": sorted(
            (row["full_op_name"], int(row["op_occurrences"]), float(row["op_total_time(ms)"])) for row in entries
        ),
        "ours": sorted((row["name"], row["count"], row["host_total"] / 1e6) for row in profile.operators.rows()),
        "raw_types": types,
        "types": [(row["type"], row["host_total"] / 1e6) for row in profile.operators.group_by("type").rows()],
        "missing": [part.value for part in profile.missing],
    }


def main(base: Path) -> None:
    mindspore.set_context(mode=mindspore.GRAPH_MODE)
    mindspore.set_device("CPU")
    mindspore.set_seed(1)
    profiler = Profiler(output_path=base / "run", schedule={"wait": 1, "warmup": 1, "active": 2, "repeat": 2})
    make_model().train(1, rows(), callbacks=[SummaryCollector(str(base / "run")), profiler], dataset_sink_mode=False)
    profiler.analyse()
    print("====")
    own = Profiler(output_path=base / "own")
    model = make_model()
    model.train(1, rows(), dataset_sink_mode=False)
    own.stop()
    own.stop()
    profiles = [read_profile(path) for path in own.files]
    operators = [list(profile.operators.rows()) for profile in profiles]
    print(
        json.dumps(
            {
                "scheduled": [path.name for path in profiler.files],
                "found": [found.path.name for found in find_profiles(base / "run")],
                "facts": [dict(read_profile(path).facts.properties["mindscope"]) for path in profiler.files],
                "operators": operators,
                "paths": [list(profile.modules.path) for profile in profiles],
                "slices": [0 if profile.trace is None else len(profile.trace.slices) for profile in profiles],
                "problems": [profile.facts.properties["problems"] for profile in profiles],
                "missing": [part.value for part in Part if part in profiles[0].missing],
                "named": json.loads(own.op_analyse("MatMul")),
                "cnn": compared(base / "cnn", Cnn()),
                "transformer": compared(base / "transformer", Transformer()),
            }
        )
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
