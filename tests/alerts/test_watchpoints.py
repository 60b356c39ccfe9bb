# SPDX-License-Identifier: Apache-2.0
"""Watchpoints as alerts: over runs that record further steps, of several ranks, over dumps of other tools."""

from __future__ import annotations

import math
import shutil
import time
from pathlib import Path

import numpy as np

import mindscope
from mindscope.alerts import Alert, Rule, find_alerts, watchpoint_rules
from mindscope.debug.model.loaded import LoadedSource
from tests.debug.made_sources import Recorded, output, source_of
from tests.debug.recorded_runs import write_run

from .made_logs import Watch

LARGE = "tensor_too_large max_gt=2.5 @ a.*"


def training(steps: range, values: dict[int, float] | None = None, rank: int = 0) -> LoadedSource:
    """The maximum of a tensor is its step, or what is given; another tensor is always large."""

    def rows(step: int) -> list[Recorded]:
        value = step if values is None else values.get(step, 1.0)
        return [Recorded(output("b"), np.array([100.0]), 1), Recorded(output("a.0", stack=("net.py:3",)), value, 2)]

    return source_of({(step, rank): rows(step) for step in steps})


def looked(watch: Watch) -> list[Alert]:
    watch.look()
    while watch.monitor.is_watching:
        watch.monitor.watch(time.monotonic())  # a step at a time
    return watch.monitor.alerts(0.0)


def rules(*texts: str) -> list[Rule]:
    return [rule for text in texts for rule in watchpoint_rules(text)]


def test_an_alert_names_tensor_step_value_and_limit(tmp_path: Path) -> None:
    write_run(tmp_path / "run", training(range(1, 6)))
    (alert,) = looked(Watch(tmp_path, *rules(LARGE)))
    assert (alert.rule, alert.run, alert.tag, alert.message) == (LARGE, "run", "a.0/Linear output 0", LARGE)
    finding, hits = alert.finding, alert.hits
    assert (finding.step, finding.value, finding.last_step, finding.count) == (3, 3.0, 5, 3)
    assert abs(finding.wall_time - time.time()) < 3600
    assert hits is not None
    assert (hits.source, hits.rank, hits.row, hits.parameter, hits.set_value) == (".", 0, 1, "max_gt", 2.5)
    assert (hits.ranges, hits.tensor.stack) == (((3, 5),), ("net.py:3",))


def test_steps_that_a_training_adds_are_evaluated_once_and_the_alert_grows(tmp_path: Path) -> None:
    write_run(tmp_path / "run", training(range(1, 4)))
    watch = Watch(tmp_path, *rules(LARGE))
    with mindscope.SummaryRecord(tmp_path / "run") as record:  # keeps the run live
        record.add_value("scalar", "loss", 1.0)
        record.record(1)
        record.flush()
        (first,) = looked(watch)
        assert not watch.monitor.watch()  # nothing is left, nothing changed
        write_run(tmp_path / "run", training(range(4, 6)))
        (grown,) = looked(watch)
    assert (first.id, first.finding.count) == (grown.id, 1)
    assert (grown.finding.count, grown.hits and grown.hits.ranges) == (3, ((3, 5),))
    (other,) = looked(Watch(tmp_path, *rules(LARGE)))
    assert (other.id, other.finding.count) == (grown.id, 3)


def test_gaps_between_hits_are_kept_and_long_ones_part_alerts(tmp_path: Path) -> None:
    hits = {5: 3.0, 6: 4.0, 9: 5.0, 60: 6.0}
    write_run(tmp_path / "run", training(range(1, 100), hits))
    late, early = looked(Watch(tmp_path, *rules(LARGE)))
    assert early.hits is not None
    assert (early.finding.step, early.hits.ranges, early.finding.is_active) == (5, ((5, 6), (9, 9)), False)
    assert (late.finding.step, late.finding.value, late.finding.is_active) == (60, 6.0, False)


def test_hits_without_end_stay_few_alerts_with_few_ranges(tmp_path: Path) -> None:
    write_run(tmp_path / "run", training(range(1, 2000), dict.fromkeys(range(2, 2000, 2), 3.0)))
    (alert,) = looked(Watch(tmp_path, *rules(LARGE)))
    assert alert.hits is not None
    assert (alert.finding.count, len(alert.hits.ranges), alert.hits.ranges[-1]) == (999, 50, (100, 1998))


def test_nan_of_a_recommended_watchpoint_does_not_change_by_itself(tmp_path: Path) -> None:
    loss = source_of({step: [Recorded(output("", "aten::mse_loss"), np.array(math.nan))] for step in range(1, 4)})
    write_run(tmp_path / "run", loss)
    watch = Watch(tmp_path, *rules("recommended"))
    (alert,) = looked(watch)
    assert (alert.rule, alert.finding.step, alert.finding.value) == ("overflow", 1, 1.0)
    version = watch.monitor.version
    watch.monitor.update("run")
    watch.monitor.watch()
    assert watch.monitor.version == version


def test_ranks_are_one_training_and_an_alert_is_of_its_rank(tmp_path: Path) -> None:
    quiet: dict[int, float] = {}
    write_run(tmp_path / "rank_1", training(range(1, 4), rank=1), rank=1)
    watch = Watch(tmp_path, *rules(LARGE))
    (alone,) = looked(watch)
    write_run(tmp_path / "rank_0", training(range(1, 4), quiet))
    (joined,) = looked(watch)
    assert (alone.run, joined.run, joined.id) == ("rank_1", "rank_1", alone.id)
    assert joined.hits is not None
    assert joined.hits.rank == 1
    shutil.rmtree(tmp_path / "rank_0")
    assert [alert.id for alert in looked(watch)] == [alone.id]
    shutil.rmtree(tmp_path / "rank_1")
    assert looked(watch) == []


def test_of_long_data_only_the_newest_steps_are_evaluated_and_all_that_follow(tmp_path: Path) -> None:
    write_run(tmp_path / "run", training(range(1, 101)))
    watch = Watch(tmp_path, *rules(LARGE), most_rows=20)  # two tensors in each step
    (alert,) = looked(watch)
    assert (alert.finding.step, alert.finding.count) == (91, 10)


def test_rules_may_change_and_runs_without_debugging_data_cost_nothing(tmp_path: Path) -> None:
    with mindscope.SummaryRecord(tmp_path / "other") as record:
        record.add_value("scalar", "loss", 1.0)
        record.record(1)
    watch = Watch(tmp_path, *rules(LARGE))
    assert looked(watch) == []
    assert not watch.monitor.has_debugging_data
    write_run(tmp_path / "run", training(range(1, 6)))
    assert len(looked(watch)) == 1
    watch.monitor.set_rules(rules("tensor_too_large max_gt=50"))
    (alert,) = looked(watch)
    assert alert.tag == "b/Linear output 0"
    watch.monitor.set_rules([])
    assert looked(watch) == []


def test_damaged_steps_are_left_out(tmp_path: Path) -> None:
    write_run(tmp_path / "run", training(range(1, 9)))
    watch = Watch(tmp_path, *rules(LARGE))
    (file,) = (tmp_path / "run").iterdir()
    file.chmod(0o600)
    content = file.read_bytes()
    place = content.index(b"/steps", len(content) * 4 // 5)
    file.write_bytes(content[: place + 40] + b"\xff" * 8 + content[place + 48 :])
    (alert,) = looked(watch)
    assert 0 < alert.finding.count < 6


def dump(root: Path, steps: range) -> None:
    root.mkdir(parents=True, exist_ok=True)
    for step in steps:
        np.save(root / f"loss_float32_{step}.npy", np.full(3, 1.0 if step < 4 else np.nan, np.float32))


def test_a_directory_with_a_dump_only_is_watched(tmp_path: Path) -> None:
    dump(tmp_path / "dump", range(6))
    (alert,) = find_alerts(tmp_path, rules("tensor_overflow"))
    assert (alert.run, alert.finding.step, alert.finding.last_step, alert.finding.value) == ("dump", 4, 5, 3)
    assert alert.hits is not None
    assert alert.hits.source == "./"
    (same,) = find_alerts(tmp_path / "dump", rules("tensor_overflow"))
    assert (same.run, same.finding.step) == (".", 4)


def test_the_last_step_of_a_dump_that_grows_waits_until_it_is_complete(tmp_path: Path) -> None:
    watch = Watch(tmp_path, *rules("tensor_overflow"))

    def hits() -> int:
        watch.look()
        watch.monitor.update_dumps(is_followed=True)
        watch.monitor.watch()
        return sum(alert.finding.count for alert in watch.monitor.alerts(0.0))

    dump(tmp_path / "dump", range(5))
    assert [hits(), hits()] == [0, 1]  # unchanged since: complete
    dump(tmp_path / "dump", range(5, 7))
    assert [hits(), hits()] == [2, 3]
    shutil.rmtree(tmp_path / "dump")
    assert hits() == 0
