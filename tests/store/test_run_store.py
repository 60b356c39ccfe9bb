# SPDX-License-Identifier: Apache-2.0
"""What a run store says of its run."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from mindscope.errors import FormatError
from mindscope.formats.scan import Scanned
from mindscope.natural_order import natural_key
from mindscope.store import FileFacts, RunStore, read_encoded
from mindscope.types import Damage, DamageKind, DialectName, Kind

NOW = 1_000_000.0


Value = tuple[Kind, str, int, float]


def scalar(tag: str, step: int, value: float) -> Value:
    return Kind.SCALAR, tag, step, value


def scanned(*values: Value) -> Scanned:
    """Rows of a stretch of a file; values of other kinds stand at eight times their step."""
    batch = Scanned(len(values))
    for kind, tag, step, value in values:
        row = {"step": np.array([step]), "wall_time": np.array([100.0 + step])}
        series, key, more = (
            (batch.scalars, tag, {"value": np.array([value], np.float32)})
            if kind is Kind.SCALAR
            else (batch.references, (kind, tag), {"offset": np.array([8 * step]), "length": np.array([8])})
        )
        known = series.get(key)
        series[key] = {n: c if known is None else np.append(known[n], c) for n, c in (row | more).items()}
    return batch


def facts(name: str, number: int = 1, **known: object) -> FileFacts:
    return FileFacts(name, name, number, **known)  # type: ignore[arg-type]


@pytest.fixture
def store(tmp_path: Path) -> RunStore:
    return RunStore("a/run", tmp_path)


def test_tags_come_in_the_order_of_their_first_value_by_kind(store: RunStore) -> None:
    file = store.add_file(facts("one"))
    store.append(file, scanned(scalar("b", 1, 1.0), scalar("same", 1, 2.0), (Kind.IMAGE, "same", 1, 0.0)), facts("one"))
    store.append(file, scanned(scalar("a", 2, 1.0)), facts("one"))
    assert store.tags(Kind.SCALAR) == ("b", "same", "a")
    assert store.tags(Kind.IMAGE) == ("same",)
    assert store.tag_counts() == {Kind.SCALAR: 3, Kind.IMAGE: 1}
    assert store.scalars("nope") is None
    assert store.references(Kind.IMAGE, "b") is None


def test_every_change_raises_the_version(store: RunStore) -> None:
    versions = [store.version]
    file = store.add_file(facts("one"))
    versions.append(store.version)
    store.append(file, scanned(scalar("a", 1, 1.0)), facts("one", records=1))
    versions.append(store.version)
    store.update_file(file, facts("one", records=2))
    versions.append(store.version)
    store.remove_files({file})
    versions.append(store.version)
    assert versions == sorted(set(versions))
    assert store.series == {}


def test_telling_the_same_again_is_no_change(store: RunStore) -> None:
    file = store.add_file(facts("one"))
    version = store.version
    store.update_file(file, facts("one"))
    assert store.version == version


def test_files_come_from_the_oldest_to_the_newest(store: RunStore) -> None:
    for name, number in (("b.10", 5), ("b.9", 5), ("a", 7), ("c", 2)):
        store.add_file(facts(name, number))
    assert [each.name for each in store.files] == ["c", "b.9", "b.10", "a"]


def test_an_older_file_found_later_is_still_older(store: RunStore) -> None:
    newer = store.add_file(facts("newer", 9))
    store.append(newer, scanned(scalar("a", 5, 50.0)), facts("newer", 9))
    older = store.add_file(facts("older", 1))
    store.append(older, scanned(scalar("a", 4, 4.0), scalar("a", 5, 5.0), scalar("a", 6, 6.0)), facts("older", 1))
    series = store.scalars("a")
    assert series is not None
    assert series.visible().value.tolist() == [4.0, 50.0]


def test_dropped_is_the_latest_count_of_the_recorder(store: RunStore) -> None:
    assert store.dropped == 0
    file = store.add_file(facts("one"))
    store.append(file, scanned(scalar("mindscope/dropped", 1, 3.0), scalar("mindscope/dropped", 2, 8.0)), facts("one"))
    assert store.dropped == 8


@pytest.mark.parametrize(
    ("known", "want"),
    [
        ({"records": 0, "modified_at": NOW}, "empty"),
        ({"records": 1, "modified_at": NOW - 59, "mode": 0o600, "dialect": DialectName.MINDSPORE}, "live"),
        ({"records": 1, "modified_at": NOW - 61, "mode": 0o600, "dialect": DialectName.MINDSPORE}, "idle"),
        ({"records": 1, "modified_at": NOW, "mode": 0o400, "dialect": DialectName.MINDSPORE}, "finished"),
        ({"records": 1, "modified_at": NOW, "mode": 0o400, "dialect": DialectName.TENSORBOARD}, "live"),
        ({"records": 1, "modified_at": NOW, "last_wall_time": NOW - 59}, "live"),
        ({"records": 1, "modified_at": NOW - 59, "last_wall_time": NOW - 118}, "live"),
        ({"records": 1, "modified_at": NOW, "last_wall_time": NOW - 61}, "idle"),
        ({"records": 1, "modified_at": NOW, "last_wall_time": NOW - 61, "has_grown": True}, "live"),
        ({"records": 1, "modified_at": NOW - 61, "last_wall_time": NOW, "has_grown": True}, "idle"),
    ],
)
def test_state(store: RunStore, known: dict[str, object], want: str) -> None:
    store.add_file(facts("one", **known))
    assert store.state(NOW) == want


@pytest.mark.parametrize(
    ("known", "want"),
    [
        ({"modified_at": NOW - 59}, True),
        ({"modified_at": NOW - 61}, False),
        ({"modified_at": NOW, "mode": 0o400, "dialect": DialectName.MINDSPORE}, False),
        ({"modified_at": NOW, "mode": 0o600, "dialect": DialectName.MINDSPORE}, True),
    ],
)
def test_what_was_copied_just_now_may_be_written_still(store: RunStore, known: dict[str, object], want: bool) -> None:
    store.add_file(facts("one", records=1, last_wall_time=1.0, **known))
    assert store.may_be_written(NOW) is want


@pytest.mark.parametrize(
    ("older", "state", "is_written"),
    [
        ({"modified_at": NOW, "last_wall_time": NOW}, "live", True),
        ({"modified_at": NOW, "last_wall_time": NOW - 61, "has_grown": True}, "live", True),
        ({"modified_at": NOW, "last_wall_time": NOW - 61}, "finished", False),
        ({"modified_at": NOW - 61, "last_wall_time": NOW - 61, "has_grown": True}, "finished", False),
        ({"modified_at": NOW - 31, "last_wall_time": NOW - 31}, "finished", False),  # killed before the newer began
        ({"modified_at": NOW, "last_wall_time": NOW, "mode": 0o400}, "finished", False),
    ],
)
def test_a_run_goes_on_while_an_older_file_is_written(
    store: RunStore, older: dict[str, object], state: str, is_written: bool
) -> None:
    known: dict[str, object] = {"mode": 0o600, "records": 1, "dialect": DialectName.MINDSPORE}
    store.add_file(facts("older", 1, **{**known, **older}))
    times = {"first_wall_time": NOW - 30, "last_wall_time": NOW, "modified_at": NOW}
    store.add_file(facts("newer", 2, **{**known, "mode": 0o400, **times}))
    assert (store.state(NOW), store.may_be_written(NOW)) == (state, is_written)


def test_a_run_without_files_is_empty(store: RunStore) -> None:
    assert store.state(NOW) == "empty"
    assert (store.last_step, store.first_wall_time, store.last_wall_time, store.size_bytes) == (None, None, None, 0)


def test_last_step_is_that_of_the_newest_file_with_steps(store: RunStore) -> None:
    store.add_file(facts("one", 1, last_step=90, first_wall_time=5.0, last_wall_time=8.0))
    store.add_file(facts("two", 2, last_step=40, first_wall_time=7.0, last_wall_time=9.0))
    store.add_file(facts("three", 3))
    assert (store.last_step, store.first_wall_time, store.last_wall_time) == (40, 5.0, 9.0)


def test_damages_come_by_age_of_their_file(store: RunStore) -> None:
    new, old = (Damage(name, 7, DamageKind.MESSAGE, "odd") for name in ("new", "old"))
    store.add_file(facts("new", 2, damages=(new,)))
    store.add_file(facts("old", 1, damages=(old,)))
    assert store.damages == (old, new)


def test_name_of_the_base_itself_is_its_directory(tmp_path: Path) -> None:
    assert RunStore(".", tmp_path / "mnist").name == "mnist"
    assert RunStore("a/b", tmp_path / "a" / "b").name == "a/b"


def test_natural_order_compares_numbers_as_numbers() -> None:
    names = ["run_10", "run_2", "run_2/b", "b1", "10", "9"]
    assert sorted(names, key=natural_key) == ["9", "10", "b1", "run_2", "run_2/b", "run_10"]


def test_natural_order_keeps_the_runs_of_a_directory_together() -> None:
    names = [f"adam/lr{rate}/seed{seed}" for rate in ("0.0001", "0.001", "0.01", "0.1", "1") for seed in (1, 2, 10)]
    shuffled = random.Random(0).sample(names, len(names))
    assert sorted(shuffled, key=natural_key) == names


def test_natural_order_takes_numbers_below_one_by_their_size() -> None:
    names = ["lr0/x", "lr0.005", "lr0.02", "lr0.05", "lr0.25", "lr0.5", "lr1", "lr2.9", "lr2.10", "v0.9.1", "v0.10.2"]
    shuffled = random.Random(0).sample(names, len(names))
    assert sorted(shuffled, key=natural_key) == names


def test_reading_by_reference_stays_within_the_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"0123456789")
    assert read_encoded(path, 2, 3) == b"234"
    assert read_encoded(path, 10, 0) == b""
    for offset, length in ((8, 3), (11, 0), (-1, 2), (0, 1 << 60), (0, -1)):
        with pytest.raises(FormatError, match="now ends at byte 10"):
            read_encoded(path, offset, length)
