# SPDX-License-Identifier: Apache-2.0
"""Which step a row gets: W&B's rules, and true resuming."""

from __future__ import annotations

import logging
import math
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import mindscope
from mindscope.errors import MindscopeError

Log = Callable[..., None]


def program(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)


def points(tag: str, name: str = "a") -> dict[int, float]:
    curve = mindscope.open_run(f"runs/{name}").scalars(tag)
    return dict(zip(curve.step.tolist(), curve.value.tolist(), strict=True))


def rows(log: Log) -> None:
    log({"x": 1.0})
    log({"x": 2.0})


def open_rows(log: Log) -> None:
    log({"x": 1.0}, commit=False)
    log({"y": 5.0})
    log({"x": 2.0})


def merged(log: Log) -> None:
    log({"x": 1.0}, step=4)
    log({"y": 5.0}, step=4)
    log({"x": 2.0}, step=9)


def smaller(log: Log) -> None:
    log({"x": 1.0}, step=4)
    log({"x": 9.0}, step=3)
    log({"x": 2.0}, step=5)


def closed(log: Log) -> None:
    log({"x": 1.0}, step=4, commit=True)
    log({"x": 9.0}, step=4)
    log({"x": 2.0})


def joined(log: Log) -> None:
    log({"x": 1.0}, step=4)
    log({"y": 5.0})
    log({"x": 2.0})


def twice(log: Log) -> None:
    log({"x": 7.0}, commit=False)
    log({"x": 1.0})


def last_open(log: Log) -> None:
    log({"x": 1.0})
    log({"x": 2.0}, commit=False)


@pytest.mark.parametrize(
    ("script", "x", "y"),
    [
        (rows, {0: 1, 1: 2}, {}),
        (open_rows, {0: 1, 1: 2}, {0: 5}),
        (merged, {4: 1, 9: 2}, {4: 5}),
        (smaller, {4: 1, 5: 2}, {}),
        (closed, {4: 1, 5: 2}, {}),
        (joined, {4: 1, 5: 2}, {4: 5}),
        (twice, {0: 1}, {}),
        (last_open, {0: 1, 1: 2}, {}),
    ],
)
def test_rows_have_the_steps_that_wandb_gives(script: Any, x: dict[int, float], y: dict[int, float]) -> None:
    mindscope.init(name="a")
    script(mindscope.log)
    mindscope.finish()
    assert points("x") == x
    if y:
        assert points("y") == y


def test_a_smaller_step_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "mindscope"), mindscope.init(name="a") as run:
        run.log({"x": 1.0}, step=7)
        assert not caplog.records
        for _ in range(5):
            run.log({"x": 2.0}, step=3)
    said = [record.getMessage() for record in caplog.records if "step 3 after step 7" in record.getMessage()]
    assert len(said) == 1


def test_a_step_metric_is_copied_into_the_rows_of_its_metrics() -> None:
    with mindscope.init(name="a") as run:
        run.define_metric("val/*", step_metric="epoch")
        run.log({"epoch": 3})
        run.log({"train": 0.5})
        run.log({"val/loss": 0.25})
        run.log({"val/loss": 0.2, "epoch": 4})
    assert points("epoch") == {0: 3, 2: 3, 3: 4}


def test_numbers_are_kept_as_they_are() -> None:
    given = [math.nan, math.inf, -math.inf, 1e300, 1e-300, 2**40 + 1, -(2**33 + 1), True, 0.0, -1.5, 3]
    with mindscope.init(name="a") as run:
        for number in given:
            run.log({"x": number})
    found = list(points("x").values())
    assert [str(each) for each in found] == [str(float(each)) for each in given]


def test_nested_names_are_joined() -> None:
    with mindscope.init(name="a") as run:
        run.log({"a": {"b": 1.0, "c": {"d": 2.0}}, "e": 3.0})
        assert dict(run.summary) == {"a/b": 1.0, "a/c/d": 2.0, "e": 3.0}
    assert points("a/b") == {0: 1}
    assert points("a/c/d") == {0: 2}
    assert points("e") == {0: 3}


def test_a_run_resumes_behind_its_last_step() -> None:
    for first in (0.0, 10.0):
        with mindscope.init(project="p", name="a") as run:
            for number in range(3):
                run.log({"x": first + number})
    assert points("x", "p/a") == {0: 0, 1: 1, 2: 2, 3: 10, 4: 11, 5: 12}


def test_a_killed_run_resumes_behind_its_last_step() -> None:
    code = (
        "import mindscope, os, signal\nrun = mindscope.init(id='a')\nfor n in range(50): run.log({'x': float(n)})\n"
        "run.flush()\nos.kill(os.getpid(), signal.SIGKILL)"
    )
    assert program(code).returncode == -signal.SIGKILL
    with mindscope.init(id="a", resume="must") as run:
        assert run.step == 50
        run.log({"x": 99.0})
    assert points("x") == {**{number: number for number in range(50)}, 50: 99}


def test_a_run_resumes_before_damage() -> None:
    with mindscope.init(name="a") as run:
        for number in range(20):
            run.log({"x": float(number)})
    (file,) = Path("runs/a").iterdir()
    file.write_bytes(file.read_bytes()[:-500])
    with mindscope.init(name="a") as run:
        assert 1 < run.step < 20
    mindscope.open_run("runs/a")


def test_the_newest_value_of_a_step_wins_after_resuming() -> None:
    code = "import mindscope; run = mindscope.init(name='a')\nfor n in range(6): run.log({'x': float(n)})"
    assert program(code).returncode == 0  # in a process of its own: files of a living one are those of another rank
    code = (
        "import mindscope; run = mindscope.init(name='a')\nassert run.step == 6\n"
        "run.log({'x': 77.0}, step=3)\nrun.log({'x': 78.0}, step=4)\nrun.log({'x': 79.0}, step=2)"
    )
    done = program(code)
    assert done.returncode == 0, done.stderr
    assert "step 2 after step 4" in done.stderr
    assert {step: points("x")[step] for step in range(5)} == {0: 0, 1: 1, 2: 2, 3: 77, 4: 78}


def test_a_script_that_runs_twice_replaces_its_rows() -> None:
    code = "import mindscope; mindscope.init(name='a')\nfor n in (1, 2): mindscope.log({'x': n * factor}, n)"
    for factor in (1.0, 10.0):
        assert program(f"factor = {factor}\n{code}").stderr == ""
    assert points("x") == {1: 10, 2: 20}


def test_processes_of_one_run_write_side_by_side() -> None:
    code = (
        "import mindscope, sys\nrun = mindscope.init(name='a')\nprint(run.step, flush=True)\n"
        "for n in range(5): run.log({sys.argv[1]: float(n)})\nrun.flush()\nprint('there', flush=True)\n"
        "sys.stdin.readline()\nrun.finish()"
    )
    both = [
        subprocess.Popen([sys.executable, "-c", code, tag], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for tag in ("one", "two")
    ]
    for process in both:
        assert process.stdout is not None
        assert process.stdout.readline() == "0\n"  # also of the second: the first still runs
        assert process.stdout.readline() == "there\n"
    for process in both:
        process.communicate("\n", timeout=60)
        assert process.returncode == 0
    expected = {number: number for number in range(5)}
    assert points("one") == expected
    assert points("two") == expected


def test_a_forked_child_writes_to_the_same_run() -> None:
    code = (
        "import mindscope, os\nrun = mindscope.init(name='a')\nrun.log({'x': 1.0})\npid = os.fork()\n"
        "if pid == 0:\n    run.log({'child': 5.0}); run.finish(); os._exit(0)\n"
        "assert os.waitpid(pid, 0)[1] == 0\nrun.log({'x': 2.0})\nrun.finish()"
    )
    done = program(code)
    assert done.returncode == 0, done.stderr
    assert points("x") == {0: 1, 1: 2}
    assert points("child") == {1: 5}


@pytest.mark.parametrize(
    ("resume", "is_there", "error"),
    [
        ("must", False, FileNotFoundError),
        ("never", True, FileExistsError),
        (False, True, FileExistsError),
        ("maybe", True, ValueError),
    ],
)
def test_resume_is_kept(resume: Any, is_there: bool, error: type[Exception]) -> None:
    if is_there:
        mindscope.init(name="a").finish()
    with pytest.raises(error, match="resume"):
        mindscope.init(name="a", resume=resume)


def test_log_before_init_says_what_to_call() -> None:
    code = "import mindscope\nmindscope.finish()\nmindscope.log({'x': 1})"
    assert "MindscopeError: mindscope.log() has no run yet: call mindscope.init() first" in program(code).stderr
    assert issubclass(MindscopeError, Exception)


def test_a_second_init_finishes_the_first(caplog: pytest.LogCaptureFixture) -> None:
    first = mindscope.init(name="a")
    second = mindscope.init(name="b")
    assert first.is_finished
    assert not second.is_finished
    mindscope.log({"x": 1.0})
    second.finish()
    second.finish()
    with caplog.at_level(logging.WARNING, "mindscope"):
        first.log({"x": 2.0})
        mindscope.log({"x": 3.0})
    assert points("x", "b") == {0: 1}
    assert sum("is finished" in record.getMessage() for record in caplog.records) == 2


def test_disabled_writes_nothing() -> None:
    with mindscope.init(name="a", mode="disabled", config={"lr": 1}) as run:
        run.log({"x": 1.0, "h": mindscope.Histogram([1, 2])})
        run.alert("title")
        run.summary["best"] = 1
        assert run.config.lr == 1
    assert not Path("runs").exists()


@pytest.mark.parametrize(
    "bad", [None, 3, "x", {"x": object()}, {3: 1.0}, {"": 1.0}, {"x": {}}, {"x": None}, {None: {"a": 1}}]
)
def test_bad_rows_do_not_raise(bad: Any) -> None:
    with mindscope.init(name="a") as run:
        run.log(bad)
        run.log({"good": 1.0}, step="seven")  # type: ignore[arg-type]
        run.log({"good": 2.0}, step=7)
    assert points("good") == {7: 2}


def test_a_dict_that_contains_itself_is_refused() -> None:
    own: dict[str, Any] = {}
    own["own"] = own
    with mindscope.init(name="a", config={"own": own, "lr": 1}) as run:
        run.log({"bad": own})
        run.log({"good": 1.0})
    assert len(points("good")) == 1
    assert mindscope.open_run("runs/a").dropped == 2


def test_names_stay_below_the_directory(tmp_path: Path) -> None:
    for name in ("../../evil", "/etc/x", "a/b"):
        run = mindscope.init(project="../p", name=name)
        assert Path(run.dir).resolve().parent.parent == tmp_path / "runs"
    for name in ("..", ".", " ", "\0"):
        with pytest.raises(ValueError, match="name of a directory"):
            mindscope.init(name=name)
    assert [each.name for each in tmp_path.iterdir()] == ["runs"]


@pytest.mark.parametrize(("end", "status"), [("", "success"), ("1 / 0", "failure")])
def test_the_end_of_the_process_ends_the_run(end: str, status: str) -> None:
    program(f"import mindscope\nmindscope.init(name='a')\nmindscope.log({{'x': 1.0}})\n{end}")
    assert status in str(mindscope.open_runs("runs").lineage()[0])
    assert points("x") == {0: 1}
