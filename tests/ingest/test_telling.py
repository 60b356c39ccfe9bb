# SPDX-License-Identifier: Apache-2.0
"""What is told of event files: dialect, facts, and which of several events counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from mindscope.types import DialectName
from tests.event_log import (
    LINEAGE_NAME,
    MINDSPORE_NAME,
    TENSORBOARD_NAME,
    append,
    lineage,
    load,
    scalar_points,
    steps,
    tensorboard_event,
    version,
    visible_steps,
)

from .streams import NAME, STREAM


def test_facts_of_the_file(directory: Path) -> None:
    append(directory / NAME, STREAM + b"\x01\x02")
    (directory / NAME).chmod(0o400)
    (facts,) = load(directory).files
    assert facts.dialect is DialectName.MINDSPORE
    assert (facts.records, facts.size_bytes, facts.read_bytes) == (9 + 1, len(STREAM) + 2, len(STREAM))
    assert (facts.first_wall_time, facts.last_wall_time, facts.last_step) == (1.0, 9.0, 9)
    assert (facts.mode, facts.creation_number) == (0o400, 7)
    assert facts.modified_at == pytest.approx((directory / NAME).stat().st_mtime)


def test_an_empty_file_is_a_run_without_values(directory: Path) -> None:
    (directory / NAME).touch()
    store = load(directory)
    assert store.series == {}
    assert (store.files[0].dialect, store.damages, store.state(0.0)) == (None, (), "empty")


def test_dialects_are_told_by_the_version_and_else_by_the_name(directory: Path) -> None:
    append(directory / LINEAGE_NAME.format(1), lineage({"evaluation_lineage": {"metric": "{}"}}))
    append(directory / TENSORBOARD_NAME.format(2), tensorboard_event(1, {"tag": "loss", "simple_value": 2.0}))
    append(directory / MINDSPORE_NAME.format(3), steps([3]))
    misnamed = directory / TENSORBOARD_NAME.format(4)
    append(misnamed, version() + steps([4]))
    store = load(directory)
    assert [facts.dialect for facts in store.files] == [
        DialectName.MINDSPORE_LINEAGE,
        DialectName.TENSORBOARD,
        DialectName.MINDSPORE,
        DialectName.MINDSPORE,
    ]
    assert visible_steps(store) == [1, 3, 4]
    assert store.dialects == (DialectName.MINDSPORE_LINEAGE, DialectName.TENSORBOARD, DialectName.MINDSPORE)


def test_restart_examples_over_real_files(directory: Path) -> None:
    first, second = directory / MINDSPORE_NAME.format(1), directory / MINDSPORE_NAME.format(2)
    append(first, version() + steps([*range(2, 10), 1]))
    assert visible_steps(load(directory)) == list(range(1, 10))
    append(second, version() + steps([5, 10]))
    assert visible_steps(load(directory)) == [1, 2, 3, 4, 5, 10]
    append(second, steps([7, 11, 3]))
    store = load(directory)
    assert visible_steps(store) == [1, 2, 3, 5, 7, 10, 11]
    assert [step for step, _ in scalar_points(store, overwritten=True)] == [*range(2, 10), 1, 5, 10, 7, 11, 3]


def test_restart_example_within_one_file(directory: Path) -> None:
    append(directory / NAME, version() + steps([1, 3, 5, 7, 9, 2, 3, 4, 15]))
    assert visible_steps(load(directory)) == [1, 2, 3, 4, 5, 7, 9, 15]
