# SPDX-License-Identifier: Apache-2.0
"""``mindscope watch`` in real processes, over finished logs and such that grow."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.alerts.made_logs import NAME, healthy, losses, write_losses

from .conftest import CommandLine

DEADLINE_S = 30


def test_finished_logs_are_looked_at_once(mindscope: CommandLine):
    for name, values in losses().items():
        write_losses(mindscope.room / "runs" / name, values)
    printed = mindscope("watch", "runs", "--once").stdout.splitlines()
    assert sorted(line.split()[0] for line in printed) == ["divergence", "nan", "plateau", "spike"]
    (nan,) = [line for line in printed if line.startswith("nan ")]
    assert nan == "nan  train/loss  step 401  nan: the loss is NaN or infinite (nan, 20 values to step 429)"


@pytest.mark.parametrize(
    ("rule", "want"), [("nan", 3), ("any", 3), ("spike", 0), ("`train/loss` > 2", 3), ("`train/loss` < 0", 0)]
)
def test_it_fails_when_a_rule_fires(mindscope: CommandLine, rule: str, want: int):
    write_losses(mindscope.room / "runs" / "a", losses()["nan"])
    mindscope("watch", "runs", "--once", "--fail-on", rule, want=want)


def test_a_condition_may_have_to_last(mindscope: CommandLine):
    write_losses(mindscope.room / "runs" / "a", [3.0, 3.0, 1.0], tag="loss")
    arguments = ("watch", "runs", "--once", "--fail-on", "loss > 2 and step >= 1", "--for")
    mindscope(*arguments, "2", want=3)
    mindscope(*arguments, "3", want=0)


def test_each_alert_is_an_object_a_line(mindscope: CommandLine):
    write_losses(mindscope.room / "runs" / "a", losses()["nan"])
    (alert,) = map(json.loads, mindscope("watch", "runs", "--once", "--json").stdout.splitlines())
    assert (alert["rule"], alert["run"], alert["step"], alert["value"], alert["count"]) == ("nan", "a", 401, "nan", 20)


@pytest.mark.parametrize(
    ("arguments", "status", "want"),
    [
        (["--fail-on", "los > 2"], 1, "there is no scalar tag “los”; did you mean `loss`"),
        (["--fail-on", "nann"], 2, "is no check, want one of failed nan spike"),
        (["--fail-on", "loss >"], 2, "'loss >': The expression is incomplete"),
        (["--fail-on", "loss + 1"], 2, "expected a condition"),
        (["--alerts", "spike=3"], 2, "sets no parameter"),
        (["--alerts", "spike_factor=-3"], 2, "want a number above 0"),
        (["--watchpoint", "no"], 2, "condition 'no' does not exist"),
    ],
)
def test_what_can_not_be_looked_for_is_one_line(mindscope: CommandLine, arguments: list[str], status: int, want: str):
    write_losses(mindscope.room / "runs" / "a", [1.0], tag="loss")
    refused = mindscope("watch", "runs", "--once", *arguments, want=status)
    assert want in refused.stderr
    assert len(refused.stderr.splitlines()) == 1


def test_without_a_run_there_is_nothing_to_look_at(mindscope: CommandLine):
    assert "holds no event file, profile" in mindscope("watch", ".", "--once", want=1).stderr
    said = mindscope("watch", "nope", want=1).stderr
    assert said == "mindscope: nope is no directory; give the one that holds your runs, or create it first\n"


def test_a_loss_that_comes_back_is_not_lost_for_good(mindscope: CommandLine):
    rising = np.concatenate([np.full(100, 1.0), *[np.full(100, level) for level in (5.0, 1.0, 6.0, 1.0)]])
    write_losses(mindscope.room / "runs" / "a", np.concatenate([np.linspace(9.0, 1.0, 100), rising]).tolist())
    printed = mindscope("watch", "runs", "--once").stdout.splitlines()
    told = [line for line in printed if "divergence" in line]
    assert len(told) == 2
    assert all("the loss is far above its lowest value" in line for line in told)


def watching(mindscope: CommandLine, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "mindscope", "watch", "runs", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=mindscope.room,
        env=mindscope.environment | {"PYTHONUNBUFFERED": "1"},
    )


def test_a_live_training_fails_as_soon_as_the_rule_fires(mindscope: CommandLine):
    run = mindscope.room / "runs" / "a"
    write_losses(run, [*healthy(100), np.nan])
    with watching(mindscope, "--fail-on", "loss > 2 and step > 300") as process:
        assert process.stdout is not None
        assert "nan" in process.stdout.readline()  # told, but nobody asked to fail on it
        write_losses(run, [1.0] * 250, tag="loss", first_step=102)
        write_losses(run, [5.0], tag="loss", first_step=352)
        assert "loss > 2 and step > 300" in process.stdout.readline()
        assert process.wait(DEADLINE_S) == 3


def test_it_ends_with_the_last_training(mindscope: CommandLine):
    runs = [mindscope.room / "runs" / name for name in "ab"]
    for run in runs:
        write_losses(run, [*healthy(100), np.inf])
    with watching(mindscope, "--fail-on", "spike") as process:
        assert process.stdout is not None
        assert {process.stdout.readline().split()[0] for _ in runs} == {"a", "b"}
        for run in runs:
            Path(run / NAME).chmod(0o400)
        assert process.wait(DEADLINE_S) == 0


@pytest.mark.parametrize(
    ("number", "interrupts"),
    [(signal.SIGINT, signal.SIG_DFL), (signal.SIGTERM, signal.SIG_DFL), (signal.SIGTERM, signal.SIG_IGN)],
)
def test_a_signal_ends_it_without_a_trace(mindscope: CommandLine, number: signal.Signals, interrupts: signal.Handlers):
    """Where the parent ignores Ctrl-C, as nohup and CI may, SIGTERM is left."""
    write_losses(mindscope.room / "runs" / "a", [1.0, np.nan])
    before = signal.signal(signal.SIGINT, interrupts)
    try:
        process = watching(mindscope)
    finally:
        signal.signal(signal.SIGINT, before)
    with process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.send_signal(number)
        assert process.wait(DEADLINE_S) == 128 + number
        assert "Traceback" not in process.stderr.read()
