# SPDX-License-Identifier: Apache-2.0
"""Samples and batches by stage, where the parameters of a pipeline tell them."""

from __future__ import annotations

from typing import Any

import pytest

from mindscope.lineage.pipeline import Branches, Operation
from mindscope.lineage.pipeline_rows import stage_rows


def op(name: str, **parameters: Any) -> Operation:
    return Operation(name, tuple(sorted((key.replace("__", "."), value) for key, value in parameters.items())))


SOURCE = op("MnistDataset", sampler="RandomSampler", RandomSampler__num_samples=320)
SMALL = op("GeneratorDataset", num_samples=100)
UNKNOWN = op("GeneratorDataset")


@pytest.mark.parametrize(
    ("pipeline", "epoch_size", "want"),
    [
        ((), None, ()),
        ((SOURCE, op("Map"), op("Batch", batch_size=32, drop_remainder=True)), None, (320, 320, 10)),
        ((SMALL, op("Batch", batch_size=32, drop_remainder=True)), None, (100, 3)),
        ((SMALL, op("Batch", batch_size=32, drop_remainder=False)), None, (100, 4)),
        ((SMALL, op("Batch", batch_size=32)), None, (100, None)),
        ((SMALL, op("Take", count=30), op("Skip", count=10), op("Repeat", count=3)), None, (100, 30, 20, 60)),
        ((SMALL, op("Take", count=-1), op("Repeat", count=-1), op("Map")), None, (100, 100, None, None)),
        ((SMALL, op("Filter"), op("Map")), None, (100, None, None)),
        ((UNKNOWN, op("Batch", batch_size=16, drop_remainder=True)), 640, (None, 40)),
        ((UNKNOWN, op("Batch", batch_size=16)), 650, (None, 41)),
        ((op("MnistDataset", sampler="S", S__num_samples=0), op("Map")), 640, (None, None)),
        ((Branches(((SMALL,), (SOURCE, op("Map")))), op("Zip"), op("Shuffle")), None, (None, 100, 100)),
        ((Branches(((SMALL,), (SOURCE,))), op("Concat")), None, (None, 420)),
        ((Branches(((SMALL,), (UNKNOWN,))), op("Zip")), None, (None, None)),
        ((Branches(((SMALL,), (UNKNOWN,))), op("Concat")), None, (None, None)),
        ((op("Subset", num_samples=50),), None, (50,)),
    ],
)
def test_rows_of_each_stage(pipeline: Any, epoch_size: int | None, want: tuple[int | None, ...]) -> None:
    assert stage_rows(pipeline, epoch_size) == want
