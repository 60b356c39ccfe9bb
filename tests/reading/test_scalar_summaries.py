# SPDX-License-Identifier: Apache-2.0
"""Columns of scalars from the cache: as they are without it, and not computed again by the next process."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from mindscope.reading import scalar_summaries
from mindscope.reading.lineage_rows import ScalarChoice
from mindscope.store.run_index import RunIndex
from tests.event_log import MINDSPORE_NAME, append, scalars, version
from tests.reading.lineage_cache import opened, truth

ALL = ScalarChoice(("*",), mean_of=3)
NAME = MINDSPORE_NAME.format(1)


@pytest.fixture
def base(tmp_path: Path) -> Path:
    base = tmp_path / "logs"
    curves = {
        "a": [{"loss": 1.0 / (step + 1), "acc": 0.1 * step} for step in range(20)],
        "b": [{"loss": math.nan}, {"loss": math.inf}, {"loss": -math.inf}, {"loss": 0.5}],
        "c": [{"other": 1.0}, {"only nan": math.nan}],
        "d": [],
    }
    for run, points in curves.items():
        (base / run).mkdir(parents=True)
        append(base / run / NAME, version() + b"".join(scalars(step, values) for step, values in enumerate(points)))
    return base


def index_of(base: Path) -> RunIndex:
    (path,) = (base.parent / "workspace").glob("cache/*/lineage-scalars.index")
    return RunIndex(path, str(base), scalar_summaries.FORMAT)


def saved(base: Path) -> dict[str, dict[str, list[float]]]:
    return {id: json.loads(body) for id, (_, body) in index_of(base).load().items()}


def replace(base: Path, run: str, body: bytes) -> None:
    states = index_of(base).load()
    states[run] = (states[run][0], body)
    index_of(base).write(states)


def test_the_next_process_computes_no_summary(base: Path) -> None:
    want = opened(base, ALL)
    assert want == truth(base, ALL)
    assert saved(base)["a"]["loss"][:3] == [0.05, 0.05, 19]
    replace(base, "a", json.dumps({**saved(base)["a"], "loss": [7.0, 1.0, 2, 8.0, 3, 4.5]}).encode())
    got = opened(base, ALL)
    assert [got["a"][f"scalar/loss:{name}"] for name in ("last", "min_step", "mean")] == ["7.0", "2", "4.5"]
    assert {**got, "a": {}} == {**want, "a": {}}


def test_more_points_another_mean_and_more_tags_are_computed(base: Path) -> None:
    opened(base, ScalarChoice(("loss",), mean_of=3))
    assert set(saved(base)["a"]) == {"loss"}
    assert opened(base, ALL) == truth(base, ALL)
    assert set(saved(base)["a"]) == {"loss", "acc"}
    other = ScalarChoice(("*",), mean_of=5)
    assert opened(base, other) == truth(base, other)
    append(base / "b" / NAME, scalars(9, {"loss": -3.0}))
    got = opened(base, ALL)
    assert got == truth(base, ALL)
    assert got["b"]["scalar/loss:min_step"] == "2"
    assert got["b"]["scalar/loss:last"] == "-3.0"


@pytest.mark.parametrize(
    "body",
    [b"", b"[]", b'{"loss": 3}', b'{"loss": [1, 2]}', b'{"loss": ["x"]}', b"\xff", b"[" * 9999, b'{"loss": [true]}'],
)
def test_a_record_that_makes_no_sense_is_not_used(base: Path, body: bytes) -> None:
    want = opened(base, ALL)
    replace(base, "a", body)
    assert opened(base, ALL) == want


def test_runs_of_very_many_tags_and_removed_runs_take_no_room(base: Path) -> None:
    append(base / "d" / NAME, scalars(1, {f"tag {n}": 1.0 for n in range(scalar_summaries.MOST_TAGS + 5)}))
    assert opened(base, ALL) == truth(base, ALL)
    assert len(saved(base)["d"]) == scalar_summaries.MOST_TAGS
    (base / "a" / NAME).unlink()
    append(base / "b" / NAME, scalars(9, {"loss": -3.0}))
    opened(base, ALL)
    assert set(saved(base)) <= {"b", "c", "d"}
