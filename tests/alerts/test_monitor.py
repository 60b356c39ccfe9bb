# SPDX-License-Identifier: Apache-2.0
"""Rules over runs that grow, restart and go."""

from __future__ import annotations

import math
import os
import shutil
import time
from pathlib import Path

import numpy as np
import pytest

from mindscope.alerts import check_rule, expression_rule
from mindscope.errors import ExpressionError
from tests.event_log import append, scalars, version
from tests.reading.test_failures import write_failure

from .made_logs import NAME, Watch, healthy, write_losses


def test_an_alert_keeps_its_id_while_it_grows_and_for_the_next_viewer(tmp_path: Path):
    write_losses(tmp_path / "run", [1.0, np.nan])
    watch = Watch(tmp_path)
    (first,) = watch.look()
    write_losses(tmp_path / "run", [np.nan, 1.0], first_step=3)
    (grown,) = watch.look()
    assert grown.id == first.id
    assert (first.finding.count, grown.finding.count) == (1, 2)
    (other,) = Watch(tmp_path).look()
    assert repr(other) == repr(grown)  # NaN is not equal to itself


def test_only_what_is_new_changes_the_version(tmp_path: Path):
    write_losses(tmp_path / "run", [1.0, np.nan])
    watch = Watch(tmp_path)
    watch.look()
    version_before = watch.monitor.version
    assert not watch.monitor.update("run")
    assert watch.monitor.version == version_before
    write_losses(tmp_path / "run", [np.nan], first_step=3)
    watch.look()
    assert watch.monitor.version > version_before


def test_an_alert_of_points_that_a_restart_wrote_over_is_gone(tmp_path: Path):
    write_losses(tmp_path / "run", [1.0, np.nan, 1.0, 1.0])
    watch = Watch(tmp_path)
    assert len(watch.look()) == 1
    write_losses(tmp_path / "run", [0.5, 0.4, 0.3], first_step=2)
    assert watch.look() == []


def test_the_alerts_of_a_run_go_with_it(tmp_path: Path):
    write_losses(tmp_path / "a", [np.nan])
    write_losses(tmp_path / "b", [np.nan])
    watch = Watch(tmp_path)
    assert {alert.run for alert in watch.look()} == {"a", "b"}
    shutil.rmtree(tmp_path / "a")
    assert {alert.run for alert in watch.look()} == {"b"}


def test_a_run_that_rests_takes_no_memory_and_may_go_on(tmp_path: Path):
    write_losses(tmp_path / "run", [1.0, np.nan])
    os.utime(tmp_path / "run" / NAME, (1002.0, 1002.0))
    watch = Watch(tmp_path)
    (first,) = watch.look()
    assert not watch.monitor._watched
    write_losses(tmp_path / "run", [np.nan, 1.0], first_step=3)
    (grown,) = watch.look()
    assert (grown.id, grown.finding.count) == (first.id, 2)
    assert set(watch.monitor._watched) == {"run"}
    watch.monitor.rest(time.time() + 3600)
    assert not watch.monitor._watched


def test_only_losses_are_looked_at_for_what_is_wrong_with_a_loss(tmp_path: Path):
    write_losses(tmp_path / "run", [np.nan], tag="accuracy")
    assert Watch(tmp_path).look() == []


def test_a_condition_fires_where_it_holds(tmp_path: Path):
    write_losses(tmp_path / "run", [1.0, 3.0, 4.0, 1.0, 5.0], tag="loss")
    alerts = Watch(tmp_path, expression_rule("high", "loss > 2")).look()
    assert [(a.rule, a.finding.step, a.finding.last_step, a.finding.value, a.finding.is_active) for a in alerts] == [
        ("high", 5, 5, 5.0, True), ("high", 2, 3, 3.0, False)
    ]  # fmt: skip
    assert alerts[0].message == "loss > 2"


def test_a_condition_may_have_to_last(tmp_path: Path):
    write_losses(tmp_path / "run", [3.0, 1.0, 3.0, 3.0], tag="loss")
    watch = Watch(tmp_path, expression_rule("high", "loss > 2", for_steps=3))
    assert watch.look() == []
    write_losses(tmp_path / "run", [3.0], tag="loss", first_step=5)
    (alert,) = watch.look()
    assert (alert.finding.step, alert.finding.count) == (3, 3)


def test_tags_of_a_condition_meet_at_their_steps(tmp_path: Path):
    path = tmp_path / "run" / NAME
    path.parent.mkdir()
    append(path, version() + scalars(1, {"loss": 3.0, "acc": 0.1}) + scalars(2, {"loss": 3.0}))
    watch = Watch(tmp_path, expression_rule("both", "loss > 2 and acc < 0.5"))
    (alert,) = watch.look()
    assert alert.finding.count == 1
    append(path, scalars(3, {"acc": 0.2, "loss": 5.0}) + scalars(4, {"acc": 0.9, "loss": 5.0}))
    (alert,) = watch.look()
    assert (alert.finding.step, alert.finding.last_step, alert.finding.count) == (1, 3, 2)


def test_a_tag_that_comes_late_is_waited_for(tmp_path: Path):
    write_losses(tmp_path / "run", [3.0, 3.0], tag="loss")
    watch = Watch(tmp_path, expression_rule("both", "loss > 2 and acc < 0.5"))
    assert watch.look() == []
    late = NAME.replace("1795225259", "1795225260")
    append(tmp_path / "run" / late, version() + scalars(1, {"acc": 0.9}) + scalars(2, {"acc": 0.1}))
    (alert,) = watch.look()
    assert alert.finding.step == 2


def test_a_threshold_calls_its_tag_value_and_chooses_runs(tmp_path: Path):
    for run in ("a/1", "a/2", "b/1"):
        write_losses(tmp_path / run, [3.0], tag="train/loss")
    rule = expression_rule("mine", "value > 2 and step > 0", tag="train/loss", runs="a/*")
    assert sorted((alert.run, alert.tag) for alert in Watch(tmp_path, rule).look()) == [
        ("a/1", "train/loss"), ("a/2", "train/loss")
    ]  # fmt: skip


def test_rules_may_change_while_it_looks(tmp_path: Path):
    write_losses(tmp_path / "run", [*healthy(100), np.nan])
    watch = Watch(tmp_path, check_rule("spike"))
    assert watch.look() == []
    watch.monitor.set_rules([check_rule("nan"), expression_rule("low", "`train/loss` < 100")])
    watch.monitor.update("run")
    assert {alert.rule for alert in watch.monitor.alerts(0.0)} == {"nan", "low"}
    watch.monitor.set_rules([])
    watch.monitor.update("run")
    assert watch.monitor.alerts(0.0) == []


@pytest.mark.parametrize(
    ("text", "want"), [("loss +", "is incomplete"), ("loss", "expected a condition"), ("1 > 2", "names no tag")]
)
def test_a_condition_that_is_none_is_refused(text: str, want: str):
    with pytest.raises(ExpressionError, match=want):
        expression_rule("x", text)


def test_an_unknown_check_is_refused_with_the_known_ones():
    with pytest.raises(ExpressionError, match="want one of failed nan spike"):
        check_rule("nann")


TRACEBACK = 'Traceback (most recent call last):\n  File "train.py", line 7, in <module>\nValueError: bad record\n'


@pytest.mark.parametrize(
    ("log", "later", "error"),
    [
        (f"step 1\n{TRACEBACK}", 0, "ValueError: bad record"),
        (f"step 1\n{TRACEBACK}step 2\n", 0, None),  # caught: messages follow
        (f"step 1\n{TRACEBACK}", 60, None),  # caught: the training recorded further steps
        (TRACEBACK.replace("ValueError: bad record", "KeyboardInterrupt"), 0, None),
        ("step 1\ndone\n", 0, None),
    ],
)
def test_a_training_whose_log_ends_with_an_error_failed(log: str, later: int, error: str | None, tmp_path: Path):
    write_losses(tmp_path / "run", [1.0, 0.5])  # until second 1002
    path = tmp_path / "run" / "train.log"
    path.write_text(log)
    os.utime(path, (1003 - later, 1003 - later))
    for rank in range(2):
        write_losses(tmp_path / "ranks" / f"rank_{rank}", [1.0])
    shutil.copytree(tmp_path / "run", tmp_path / "ranks" / "rank_1", dirs_exist_ok=True)
    watch = Watch(tmp_path, check_rule("failed"))
    watch.look()
    watch.monitor.watch(math.inf)
    want = [] if error is None else [("ranks/rank_0", error, 2), ("run", error, 2)]
    assert sorted((each.run, each.message, each.finding.step) for each in watch.look()) == [
        (run, message, 1 if run == "ranks/rank_0" else step) for run, message, step in want
    ]  # fmt: skip
    if error is not None:
        path.write_text(f"{log}going on\n")
        watch.monitor.update("run")
        shutil.rmtree(tmp_path / "ranks")
        watch.look()
        watch.monitor.watch(math.inf)
        assert [each.run for each in watch.look()] == []


def test_an_error_that_a_recorder_wrote_is_a_failure_without_a_log(tmp_path: Path):
    write_losses(tmp_path / "run", [1.0])
    write_failure(tmp_path / "run")
    watch = Watch(tmp_path, check_rule("failed"))
    watch.look()
    watch.monitor.watch(math.inf)
    assert [each.message for each in watch.look()] == ["ValueError: loss is nan"]
