# SPDX-License-Identifier: Apache-2.0
"""Bad values, full disks, forks, kills and threads: a training goes on, and what was written stays."""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mindscope import SummaryWriter, open_run
from mindscope.errors import ValueRejectedError


class Hostile:
    """Raises whatever is done with it."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(f"no {name}")

    def __str__(self) -> str:
        raise RuntimeError("no text")


def program(code: str, *arguments: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False
    )


BAD: list[Any] = [None, "text", object(), [], {}, 1 + 2j, Hostile(), 10**400]


@pytest.mark.parametrize("number", range(len(BAD)))
def test_no_bad_value_raises_and_each_is_counted(tmp_path: Path, number: int, caplog: pytest.LogCaptureFixture) -> None:
    bad = BAD[number]
    no_dict = None if bad in ([], {}) else bad  # an empty one is good
    calls: list[Callable[[Any], object]] = [
        lambda w: w.add_scalar("t", bad, 1),
        lambda w: w.add_scalars("t", no_dict, 1),
        lambda w: w.add_histogram("t", None if type(bad) in (np.ndarray, int) else bad, 1),
        lambda w: w.add_image("t", bad, 1),
        lambda w: w.add_images("t", bad, 1),
        lambda w: w.add_figure("t", bad, 1),
        lambda w: w.add_video("t", bad, 1),
        lambda w: w.add_text("t", bad if not isinstance(bad, str) else 3, 1),
        lambda w: w.add_pr_curve("t", bad, bad, 1),
        lambda w: w.add_mesh("t", bad, global_step=1),
        lambda w: w.add_embedding(bad),
        lambda w: w.add_hparams(no_dict, {}),
        lambda w: w.add_custom_scalars(no_dict),
        lambda w: w.add_graph(bad),
        lambda w: w.add_onnx_graph(bad),
    ]
    with caplog.at_level(logging.CRITICAL, "mindscope"), SummaryWriter(tmp_path) as writer:
        for call in calls:
            call(writer)
        writer.add_scalar("good", 1.0, 1)
    run = open_run(str(tmp_path))
    assert run.scalars("good").value.tolist() == [1.0]
    assert run.dropped == len(calls)


@pytest.mark.parametrize("tag", ["", None, 3, b"x"])
def test_a_bad_tag_is_counted(tmp_path: Path, tag: Any) -> None:
    with SummaryWriter(tmp_path) as writer:
        writer.add_scalar(tag, 1.0, 1)
        writer.add_text(tag, "x", 1)
        writer.add_scalar("good", 1.0, 1)
    assert open_run(str(tmp_path)).dropped >= 1


@pytest.mark.parametrize("step", ["x", float("nan"), float("inf"), 1 << 63, object(), np.zeros(2)])
def test_a_bad_step_is_counted(tmp_path: Path, step: Any) -> None:
    with SummaryWriter(tmp_path) as writer:
        writer.add_scalar("loss", 1.0, step)
        writer.add_text("text", "x", step)
    assert open_run(str(tmp_path)).dropped == 2


def test_steps_of_other_types_are_numbers(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path) as writer:
        for step in (1.0, np.int32(2), np.array(3), np.array([4]), True):
            writer.add_scalar("loss", 1.0, step)
    assert sorted(open_run(str(tmp_path)).scalars("loss").step.tolist()) == [1, 2, 3, 4]


def test_raise_exception_raises(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path, raise_exception=True) as writer:
        with pytest.raises(ValueRejectedError, match="'loss' was not recorded"):
            writer.add_scalar("loss", np.zeros(3))
        with pytest.raises(ValueRejectedError, match="dataformats"):
            writer.add_image("image", np.zeros((3, 4, 4)), dataformats="CHX")


def test_a_number_beyond_float32_is_infinite_and_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with SummaryWriter(tmp_path) as writer:
        writer.add_scalar("loss", 1e300, 1)
        writer.add_scalar("loss", -1e39, 2)
        writer.add_scalar("loss", float("-inf"), 3)
    assert open_run(str(tmp_path)).scalars("loss").value.tolist() == [np.inf, -np.inf, -np.inf]
    assert "beyond float32" in caplog.text


def test_a_hostile_key_stays_below_the_run(tmp_path: Path) -> None:
    run = tmp_path / "run"
    with SummaryWriter(run) as writer:
        writer.add_scalars("../..", {"../../../escaped": 1.0, "/absolute": 2.0}, 1)
        writer.add_hparams({"lr": 1}, {"a": 1}, run_name="../../out")
        writer.add_embedding(np.zeros((2, 2)), tag="..")
        writer.add_embedding(np.zeros((2, 2)), tag="a/../../b")
    assert [path.name for path in tmp_path.iterdir()] == ["run"]
    assert len(list(run.rglob("*tfevents*"))) == 3
    assert {path.name for path in (run / "00000").iterdir()} == {"%2e%2e", "a%2f..%2f..%2fb"}


FULL_DISK = """
import resource, sys
from mindscope import SummaryWriter
writer = SummaryWriter(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
for step in range(5000):
    writer.add_scalar("loss", float(step), step)
    if step % 500 == 0:
        writer.flush()
writer.add_text("text", "x" * 3000, 1)
writer.flush()
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
for step in range(5000, 5100):
    writer.add_scalar("loss", float(step), step)
writer.close()
print("trained")
"""


@pytest.mark.parametrize("size", [0, 70, 1000, 70_000])
def test_full_disk_costs_only_what_does_not_fit(tmp_path: Path, size: int) -> None:
    code = "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n" + FULL_DISK
    result = program(code, tmp_path, size)
    assert result.stdout == "trained\n", result.stderr
    run = open_run(str(tmp_path))
    assert run.damages == ()
    kept = run.scalars("loss").step.tolist()
    assert kept[-100:] == list(range(5000, 5100))
    assert len(kept) + run.dropped == 5101
    assert "was not written" in result.stderr or "File too large" in result.stderr


KILLED = """
import os, signal, sys
from mindscope import SummaryWriter
writer = SummaryWriter(sys.argv[1])
for step in range(3000):
    writer.add_scalar("loss", float(step), step)
writer.flush()
writer.add_scalar("loss", 1.0, 3000)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_was_flushed_survives_a_kill(tmp_path: Path) -> None:
    assert program(KILLED, tmp_path).returncode == -signal.SIGKILL
    run = open_run(str(tmp_path))
    assert run.damages == ()
    assert run.scalars("loss").step.tolist()[:3000] == list(range(3000))


def test_a_program_that_ends_without_close_loses_nothing(tmp_path: Path) -> None:
    code = "import sys\nfrom mindscope import SummaryWriter\nw = SummaryWriter(sys.argv[1])\n"
    result = program(code + "for i in range(500): w.add_scalar('loss', i / 2, i)\nraise SystemExit(3)", tmp_path)
    assert result.returncode == 3
    assert len(open_run(str(tmp_path)).scalars("loss").step) == 500


FORK = """
import os, sys
from mindscope import SummaryWriter
writer = SummaryWriter(sys.argv[1])
for step in range(100):
    writer.add_scalar("parent", 1.0, step)
child = os.fork()
if child == 0:
    for step in range(50):
        writer.add_scalar("child", 2.0, step)
    writer.close()
    os._exit(0)
os.waitpid(child, 0)
for step in range(100, 200):
    writer.add_scalar("parent", 1.0, step)
writer.close()
"""


def test_a_forked_child_writes_to_its_own_file(tmp_path: Path) -> None:
    result = program(FORK, tmp_path)
    assert result.returncode == 0, result.stderr
    run = open_run(str(tmp_path))
    assert len(list(tmp_path.glob("*tfevents*"))) == 2
    assert run.damages == ()
    assert run.scalars("parent").step.tolist() == list(range(200))
    assert run.scalars("child").step.tolist() == list(range(50))


def test_threads_lose_nothing(tmp_path: Path) -> None:
    """Also while one of them records other kinds, flushes and closes."""
    writer = SummaryWriter(tmp_path)

    def record(name: str) -> None:
        for step in range(4000):
            writer.add_scalar(name, float(step), step)

    def disturb() -> None:
        for step in range(30):
            writer.add_text("text", "x", step)
            writer.add_scalars("more", {"a": 1.0}, step)
            writer.flush()

    threads = [threading.Thread(target=record, args=(f"t{number}",)) for number in range(4)]
    threads.append(threading.Thread(target=disturb))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    writer.close()
    run = open_run(str(tmp_path))
    assert run.dropped == 0
    for number in range(4):
        assert run.scalars(f"t{number}").step.tolist() == list(range(4000))
    assert len(run.texts("text/text_summary")) == 30


def test_a_value_after_close_begins_a_new_file(tmp_path: Path) -> None:
    writer = SummaryWriter(tmp_path)
    for step in range(3):
        writer.add_scalar("loss", 1.0, step)
        writer.close()
        writer.close()
    assert len(list(tmp_path.glob("*tfevents*"))) == 3
    assert open_run(str(tmp_path)).scalars("loss", overwritten=True).step.tolist() == [0, 1, 2]


def test_a_directory_that_vanishes_is_made_again(tmp_path: Path) -> None:
    import shutil

    with SummaryWriter(tmp_path / "run") as writer:
        writer.add_scalar("loss", 1.0, 1)
        writer.flush()
        shutil.rmtree(tmp_path / "run")
        writer.add_scalar("loss", 2.0, 2)
    assert open_run(str(tmp_path / "run")).scalars("loss").step.tolist() == [2]


MANY_RUNS = """
import os, resource, sys
from mindscope import SummaryWriter
resource.setrlimit(resource.RLIMIT_NOFILE, (160, 160))
with SummaryWriter(sys.argv[1]) as writer:
    for step in range(3):
        writer.add_scalars("loss", {f"k{number}": 1.0 for number in range(300)}, step)
        writer.flush()
    for number in range(200):
        writer.add_hparams({"lr": number}, {"accuracy": 0.5}, run_name=f"session{number}")
"""


def test_many_runs_below_need_few_descriptors(tmp_path: Path) -> None:
    result = program(MANY_RUNS, tmp_path)
    assert (result.returncode, result.stderr) == (0, "")
    assert len(list(tmp_path.rglob("*tfevents*"))) == 500
    for number in (0, 150, 299):
        assert open_run(str(tmp_path / f"loss_k{number}")).scalars("loss").step.tolist() == [0, 1, 2]
    assert open_run(str(tmp_path / "session199")).hparams == {"lr": 199.0}


def test_the_order_of_events_is_that_of_the_calls(tmp_path: Path) -> None:
    from mindscope.formats import wire
    from mindscope.formats.frames import FrameReader
    from mindscope.formats.tensorboard_schemas import EVENT

    with SummaryWriter(tmp_path) as writer:
        for step in range(50):
            writer.add_scalar("loss", 1.0, step)
            writer.add_histogram("weights", np.arange(5.0), step)
    (path,) = tmp_path.iterdir()
    events = [wire.decode(EVENT, payload) for _, payload in FrameReader(str(path)).records(path.read_bytes())]
    tags = [event["summary"]["value"][0]["tag"] for event in events[1:-1]]
    assert tags == ["loss", "weights"] * 50


def test_values_are_copied(tmp_path: Path) -> None:
    array = np.zeros(1000)
    with SummaryWriter(tmp_path) as writer:
        writer.add_tensor("tensor", array, 1)
        writer.add_histogram("histogram", array, 1)
        writer.add_audio("audio", array, 1)
        array[:] = 1
    run = open_run(str(tmp_path))
    assert run.tensors("tensor")[0].value.value.sum() == 0
    assert run.histograms("histogram")[0].value.maximum == 0


def test_write_to_disk_false_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with SummaryWriter("runs/x", write_to_disk=False) as writer:
        writer.add_scalar("loss", 1.0, 1)
        writer.add_scalar("loss", 1.0, 1, new_style=True)
        writer.add_scalars("more", {"a": 1.0}, 1)
        writer.add_hparams({"a": 1}, {"b": 1})
        writer.add_text("text", "x")
        writer.add_image("bad", "x")
        writer.add_embedding(np.zeros((2, 2)))
        writer.flush()
        assert writer.get_logdir() == "runs/x"
    assert list(tmp_path.iterdir()) == []


def test_the_default_directory_names_time_host_and_comment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with SummaryWriter(comment="_lr_0.1") as writer:
        writer.add_scalar("loss", 1.0)
    (run,) = (tmp_path / "runs").iterdir()
    assert run.name.endswith(f"_{os.uname().nodename}_lr_0.1")
    with SummaryWriter(logdir=str(tmp_path / "named"), comment="_unused") as writer:
        writer.add_scalar("loss", 1.0)
    assert open_run(str(tmp_path / "named")).scalars("loss").step.tolist() == [0]


def test_tensorboardx_has_texts_in_the_fifth_and_sixth_position(tmp_path: Path) -> None:
    from mindscope.formats import wire
    from mindscope.formats.frames import FrameReader
    from mindscope.formats.tensorboard_schemas import EVENT

    with SummaryWriter(tmp_path) as writer:
        writer.add_scalar("loss", 1.0, 1, 5.0, "Loss", "of the training")
        with writer.use_metadata(global_step=9, walltime=7.0):
            writer.add_scalar("loss", 2.0)
            writer.add_text("text", "x")
            writer.add_scalar("loss", 3.0, 4)
        writer.add_scalar("loss", 4.0)
    (path,) = tmp_path.iterdir()
    _, first, *others = (wire.decode(EVENT, each) for _, each in FrameReader(str(path)).records(path.read_bytes()))
    assert first["summary"]["value"][0]["metadata"] == {
        "display_name": "Loss", "summary_description": "of the training",
    }  # fmt: skip
    assert [(each["step"], each["wall_time"]) for each in others[:3]] == [(9, 7.0), (9, 7.0), (4, 7.0)]
    assert others[3]["step"] == 0


def test_export_scalars_to_json(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path / "run") as writer:
        writer.add_scalars("loss", {"a": 1.0, "b": float("nan")}, 3, 5.0)
        writer.export_scalars_to_json(tmp_path / "all.json")
    directory = tmp_path / "run"
    assert json.loads((tmp_path / "all.json").read_text()) == {
        str(directory / "loss_a"): [[5.0, 3, 1.0]],
        str(directory / "loss_b"): [[5.0, 3, "NaN"]],
    }


def test_add_openvino_graph_says_that_it_does_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with SummaryWriter(tmp_path) as writer:
        writer.add_openvino_graph("model.xml")
        writer.add_openvino_graph("model.xml")
    assert caplog.text.count("records nothing") == 1


def test_torch_is_not_imported(tmp_path: Path) -> None:
    code = "import sys\nfrom mindscope import SummaryWriter\n"
    code += "with SummaryWriter(sys.argv[1]) as w: w.add_scalar('a', 1.0)\n"
    result = program(
        code + "print([n for n in ('torch', 'tensorboard', 'PIL', 'matplotlib') if n in sys.modules])", tmp_path
    )
    assert result.stdout == "[]\n", result.stderr
