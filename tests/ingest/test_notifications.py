# SPDX-License-Identifier: Apache-2.0
"""What is told of event files: dialect, facts, and which of several events counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from mindscope.ingest import RunLoader, find_run
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
    append(second, version() + steps([5, 10], begun=100.0))
    assert visible_steps(load(directory)) == [1, 2, 3, 4, 5, 10]
    append(second, steps([7, 11, 3], begun=100.0))
    store = load(directory)
    assert visible_steps(store) == [1, 2, 3, 5, 7, 10, 11]
    assert [step for step, _ in scalar_points(store, overwritten=True)] == [*range(2, 10), 1, 5, 10, 7, 11, 3]


def test_writers_that_overlap_in_time_hide_nothing(directory: Path) -> None:
    for writer in range(4):
        log = steps(range(writer, 64, 4), begun=100.0) + steps([64], tag="end", begun=writer)
        append(directory / MINDSPORE_NAME.format(1 + writer), version() + log)
    assert visible_steps(load(directory)) == [*range(64)]
    store = load(directory)
    append(directory / MINDSPORE_NAME.format(9), version() + steps([7, 9], begun=1000.0))
    assert visible_steps(load(directory)) == [*range(8), 9]
    assert store.scalars("loss").hidden() == (0, 0)
    assert load(directory).scalars("loss").hidden() == (57, 0)


def test_a_writer_that_turns_out_to_go_on_is_no_restart(directory: Path) -> None:
    older, newer = (directory / MINDSPORE_NAME.format(number) for number in (1, 2))
    append(older, version() + steps([1, 2, 3]))
    append(newer, version() + steps([2], begun=10.0))
    found = find_run(directory)
    assert found is not None
    loader = RunLoader(found)
    loader.read_all()
    assert visible_steps(loader.store) == [1, 2]
    seen = loader.store.scalars("loss").version
    append(older, steps([20], tag="other"))
    loader.read_all()
    assert visible_steps(loader.store) == [1, 2, 2, 3]
    assert loader.store.scalars("loss").version > seen
    assert sum(part["step"].size for part in loader.store.scalars("loss").visible_parts().parts) == 4


@pytest.mark.framework
@pytest.mark.parametrize(
    ("first_record", "want"),
    [
        ({"file_version": "brain.Event:2"}, [1, 2, 3, 4, 9]),
        ({"file_version": "brain.Event:1"}, [1, 2, 9]),
        ({}, [1, 2, 9]),
    ],
)
def test_steps_that_fall_back_follow_the_rule_of_tensorboard(
    directory: Path, first_record: dict[str, str], want: list[int]
) -> None:
    log = tensorboard_event(0, wall_time=1.0, **first_record)
    for step in (1, 2, 3, 4, 2, 9):
        log += tensorboard_event(step, {"tag": "loss", "simple_value": float(step)})
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    path = directory / TENSORBOARD_NAME.format(1)
    append(path, log)
    assert visible_steps(load(directory)) == want
    accumulator = EventAccumulator(str(path))
    accumulator.Reload()
    theirs = [event.step for event in accumulator.Scalars("loss")]
    assert theirs == ([1, 2, 3, 4, 2, 9] if len(want) == 5 else want)


def test_restart_example_within_one_file(directory: Path) -> None:
    append(directory / NAME, version() + steps([1, 3, 5, 7, 9, 2, 3, 4, 15]))
    assert visible_steps(load(directory)) == [1, 2, 3, 4, 5, 7, 9, 15]
