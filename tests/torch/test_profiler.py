# SPDX-License-Identifier: Apache-2.0
"""Profiler: what it writes, how it numbers steps, and that it never stops a training."""

from __future__ import annotations

import gzip
import json
import logging
import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import pytest
import torch
from digits import batches, make_model
from torch import nn

import mindscope
from mindscope.profile.open import read_profile
from mindscope.torch import Callback, Profiler, RunContext, SummaryCollector, SummaryRecord

pytestmark = pytest.mark.framework
HERE = Path(__file__).parent
ONCE = {"wait": 1, "warmup": 1, "active": 2}


def contents(file: Path) -> dict[str, Any]:
    return json.loads(gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_text("utf-8"))


def marks(file: Path) -> list[str]:
    """The steps that a trace holds, in order of time."""
    events = [each for each in contents(file)["traceEvents"] if each.get("name", "").startswith("ProfilerStep#")]
    return [each["name"].partition("#")[2] for each in sorted(events, key=lambda each: each["ts"])]


def names(file: Path) -> set[str]:
    return {each.get("name", "") for each in contents(file)["traceEvents"]}


def multiply() -> None:
    torch.mm(torch.ones(4, 4), torch.ones(4, 4))


def test_steps_of_a_profile_are_those_of_the_curves(tmp_path: Path) -> None:
    profiler = Profiler(output_path=tmp_path, schedule=ONCE | {"repeat": 2})
    make_model().train(2, batches(), callbacks=[SummaryCollector(tmp_path, collect_freq=1), profiler])
    assert [marks(file) for file in profiler.files] == [["3", "4"], ["7", "8"]]
    assert contents(profiler.files[1])["mindscope"]["steps"] == {"7": 7, "8": 8}
    assert list(mindscope.open_run(tmp_path).scalars("loss/auto").step) == list(range(1, 9))
    assert all(re.fullmatch(r".+_\d+_rank0\.\d{19}\.pt\.trace\.json", file.name) for file in profiler.files)


def test_a_model_finds_a_profiler_that_runs(tmp_path: Path) -> None:
    profiler = Profiler(output_path=tmp_path, use_gzip=True)
    make_model().train(1, batches())
    profiler.stop()
    (file,) = profiler.files
    assert file.name.endswith(".pt.trace.json.gz")
    assert marks(file) == ["1", "2", "3", "4"]
    assert {"aten::conv2d", "aten::convolution_backward"} <= names(file)
    make_model().train(1, batches())
    assert profiler.files == [file], "a profiler that was stopped stays so"


def test_a_forgotten_profiler_ends_when_it_is_collected(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    profiler = Profiler(output_path=tmp_path)
    multiply()
    del profiler
    assert len(list(tmp_path.glob("*.pt.trace.json"))) == 1
    assert "was not stopped" in caplog.text


def test_evaluations_belong_to_no_step(tmp_path: Path) -> None:
    profiler = Profiler(output_path=tmp_path)
    make_model(metrics={"accuracy"}).fit(2, batches(), batches(), callbacks=[profiler])
    (file,) = profiler.files
    assert marks(file) == [str(step) for step in range(1, 9)]
    events = [each for each in contents(file)["traceEvents"] if each.get("ph") == "X"]
    steps = sorted((each["ts"], each["ts"] + each["dur"]) for each in events if each["name"].startswith("ProfilerStep"))
    forward = [each["ts"] for each in events if each["name"] == "aten::conv2d"]
    outside = [time for time in forward if not any(begin <= time < end for begin, end in steps)]
    assert (len(forward), len(outside)) == (16, 8)


@pytest.mark.parametrize(
    ("first", "expected"), [(0, {"1": 1, "2": 2}), (1, {"2": 2, "3": 3}), (500, {"501": 501, "502": 502})]
)
def test_own_loop_takes_the_numbers_of_its_record(tmp_path: Path, first: int, expected: dict[str, int]) -> None:
    with (
        Profiler(output_path=tmp_path, schedule={"warmup": 1, "active": 2}) as profiler,
        SummaryRecord(tmp_path) as record,
    ):
        for step in range(first, first + 5):
            multiply()
            record.add_value("scalar", "loss", 1.0)
            record.record(step)
            profiler.step()
    (file,) = profiler.files
    assert marks(file) == list(expected)
    assert contents(file)["mindscope"]["steps"] == expected


def test_steps_between_two_records_are_counted(tmp_path: Path) -> None:
    with Profiler(output_path=tmp_path) as profiler, SummaryRecord(tmp_path) as record:
        for step in range(1, 8):
            if step % 3 == 0:
                record.add_value("scalar", "loss", 1.0)
                record.record(step)
            profiler.step()
    assert contents(profiler.files[0])["mindscope"]["steps"] == {"2": 3, "4": 4, "5": 5, "6": 6, "7": 7}


def test_own_loop_without_a_record_counts_from_0_or_as_it_says(tmp_path: Path) -> None:
    with Profiler(output_path=tmp_path / "counted", schedule={"active": 2}) as profiler:
        for _ in range(4):
            profiler.step()
    assert marks(profiler.files[0]) == ["1", "2"]
    assert contents(profiler.files[0])["mindscope"]["steps"] == {}
    with Profiler(output_path=tmp_path / "said", schedule={"active": 2}) as profiler:
        for step in range(10, 14):
            profiler.step(step)
    assert contents(profiler.files[0])["mindscope"]["steps"] == {"11": 11, "12": 12}


def test_schedules_act_as_those_of_torch() -> None:
    from mindscope.torch.profiler.schedule import check_schedule

    numbers = {"wait": 2, "warmup": 1, "active": 3, "repeat": 2, "skip_first": 4}
    ours = check_schedule(numbers)
    own = cast(Any, torch.profiler.schedule)(**numbers)
    assert ours is not None
    assert [ours(step) for step in range(30)] == [own(step) for step in range(30)]
    assert check_schedule(own) is own


def test_metadata_of_the_trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANK", "3")
    monkeypatch.setenv("WORLD_SIZE", "4")
    with Profiler(output_path=tmp_path, job_id='a "b" \\ c 训练', is_detail=False) as profiler:
        multiply()
    (file,) = profiler.files
    assert "_rank3." in file.name
    found = contents(file)["mindscope"]
    assert (found["rank"], found["world_size"], found["job_id"]) == (3, 4, "a _b_ _ c 训练")
    assert not contents(file).get("record_shapes")


def test_what_is_recorded_can_be_chosen(tmp_path: Path) -> None:
    with Profiler(output_path=tmp_path, is_show_op_path=True) as profiler:
        nn.Sequential(nn.Linear(2, 2))(torch.ones(1, 2))
    found = contents(profiler.files[0])
    assert all(found[name] == 1 for name in ("record_shapes", "profile_memory", "with_stack", "with_flops"))
    assert "nn.Module: Linear_0" in names(profiler.files[0])


def test_handler_is_called_after_each_cycle_and_may_fail(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    seen: list[int] = []

    def handler(profiler: Profiler) -> None:
        seen.append(len(profiler.files))
        raise ValueError("mine")

    with Profiler(output_path=tmp_path, schedule={"active": 1, "repeat": 2}, on_trace_ready=handler) as profiler:
        for _ in range(6):
            profiler.step()
    assert seen == [1, 2]
    assert "can't call on_trace_ready: ValueError: mine" in caplog.text


def test_a_schedule_that_fails_ends_the_profile_and_not_the_training(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def schedule(step: int) -> Any:
        return torch.profiler.ProfilerAction.RECORD if step < 2 else 1 / 0

    with Profiler(output_path=tmp_path, schedule=schedule) as profiler:
        for _ in range(5):
            profiler.step()
    assert len(profiler.files) == 1
    assert "schedule failed at step 2" in caplog.text


@pytest.mark.parametrize(
    ("given", "error", "text"),
    [
        ({"subgraph": "half"}, ValueError, "subgraph is 'half', want one of all, Default, Gradients"),
        ({"subgraph": 1}, TypeError, "subgraph is int 1"),
        ({"is_detail": 1}, TypeError, "is_detail is int 1, want True or False"),
        ({"is_show_op_path": "yes"}, TypeError, "is_show_op_path is str"),
        ({"output_path": 3}, TypeError, "output_path is int 3"),
        ({"output_path": "/tmp/a\nb"}, ValueError, "no path with a backslash or a line end"),
        ({"output_path": os.fsdecode(b"/tmp/\xff")}, ValueError, "none that is not UTF-8"),
        ({"optypes_to_deal": ["Conv"]}, TypeError, "optypes_to_deal is list"),
        ({"optypes_not_deal": None}, TypeError, "optypes_not_deal is NoneType"),
        ({"job_id": 7}, TypeError, "job_id is int 7, want text"),
        ({"start_profile": 1}, TypeError, "start_profile is int"),
        ({"activities": "CPU"}, TypeError, "activities is str"),
        ({"activities": ["QPU"]}, ValueError, "activities holds 'QPU'"),
        ({"schedule": 3}, TypeError, "schedule is int"),
        ({"schedule": {"waits": 3}}, ValueError, "schedule has no 'waits', want wait, warmup"),
        ({"schedule": {"active": 0}}, ValueError, "is 0, want at least 1"),
        ({"on_trace_ready": 3}, TypeError, "on_trace_ready is int"),
        ({"memory_history": -1}, ValueError, "memory_history is -1"),
        ({"timeline_limit": 0}, ValueError, "timeline_limit is 0"),
        ({"with_stack": 1}, TypeError, "with_stack is int"),
        ({"use_cuda": True}, TypeError, "has no argument 'use_cuda'"),
    ],
)
def test_arguments_are_checked(tmp_path: Path, given: dict[str, Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=re.escape(text)):
        Profiler(**cast(dict[str, Any], {"output_path": tmp_path, **given}))
    assert not list(tmp_path.iterdir())


def test_arguments_of_mindspore_are_taken(tmp_path: Path) -> None:
    profiler = Profiler(
        output_path=tmp_path, start_profile=False, profiler_level=None, aicore_metrics=-1, l2_cache=False, op_time=True,
        sync_enable=True, data_process=False, parallel_strategy=False, profile_communication=False, hbm_ddr=False,
    )  # fmt: skip
    profiler.start()
    profiler.stop()
    assert len(profiler.files) == 1


def test_a_directory_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="file/runs can't be made; a file has the name of one of its directories"):
        Profiler(output_path=tmp_path / "file" / "runs")


def test_a_directory_that_vanishes_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    directory = tmp_path / "runs"
    with Profiler(output_path=directory) as profiler:
        directory.rmdir()
        directory.touch()
    assert not profiler.files
    assert "profiler can't write" in caplog.text
    directory.unlink()
    with profiler:
        multiply()
    assert len(profiler.files) == 1, "the next cycle is written"


def test_turns_out_of_order_are_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    profiler = Profiler(output_path=tmp_path)
    profiler.start()
    assert "runs already; start() has no effect" in caplog.text
    profiler.stop()
    profiler.stop()
    assert "does not run; stop() has no effect" in caplog.text
    profiler.step()
    assert "does not run; step() has no effect" in caplog.text
    assert len(profiler.files) == 1


def test_a_profiler_inside_another_one_leaves_it_alone(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with torch.profiler.profile() as outer, Profiler(output_path=tmp_path) as inner:
        multiply()
        inner.step()
    assert not inner.files
    assert "another profiler of PyTorch runs in this process; stop it first" in caplog.text
    averages: Any = outer.key_averages()
    assert "aten::mm" in {each.key for each in averages}


def test_of_two_profilers_the_first_records(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with Profiler(output_path=tmp_path) as first, Profiler(output_path=tmp_path) as second:
        multiply()
    assert (len(first.files), len(second.files)) == (1, 0)
    assert "aten::mm" in names(first.files[0])


def test_a_failed_training_leaves_its_profile(tmp_path: Path) -> None:
    class Fails(Callback):
        def step_end(self, run_context: RunContext) -> None:
            if run_context.original_args()["cur_step_num"] == 3:
                raise RuntimeError("mine")

    profiler = Profiler(output_path=tmp_path)
    with pytest.raises(RuntimeError, match="mine"):
        make_model().train(1, batches(), callbacks=[Fails(), profiler])
    assert contents(profiler.files[0])["mindscope"]["steps"] == {"1": 1, "2": 2}


@pytest.mark.parametrize(("how", "traces"), [("killed", 1), ("exits", 2), ("full", 0)])
def test_bad_ends(tmp_path: Path, how: str, traces: int) -> None:
    command = [sys.executable, str(HERE / "profiled.py"), how, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=280, env={**os.environ, "GLOG_v": "2"})
    written = list(tmp_path.glob("*.pt.trace.json"))
    assert len(written) == traces, done.stderr
    assert all("traceEvents" in contents(file) for file in written)
    if how == "full":
        assert "trained" in done.stdout
        assert "profiler can't write: OSError: torch.profiler wrote no complete trace" in done.stderr
        assert not list(tmp_path.iterdir())
    if how == "exits":
        assert "profiler was not stopped; its last cycle is written" in done.stderr


@pytest.mark.parametrize("use_gzip", [False, True])
def test_a_full_disk_loses_one_cycle_and_no_space(
    small_disk: Path, caplog: pytest.LogCaptureFixture, *, use_gzip: bool
) -> None:
    with Profiler(output_path=small_disk / "run", schedule={"active": 1, "repeat": 2}, use_gzip=use_gzip) as profiler:
        for operators in (1, 2000, 1, 1):
            for _ in range(operators):
                multiply()
            profiler.step()
    assert "want" not in caplog.text
    assert f"torch.profiler wrote no complete trace to {small_disk}/run" in caplog.text
    (file,) = profiler.files
    assert list((small_disk / "run").iterdir()) == [file]
    assert read_profile(file).steps.number.tolist() == [3]


def test_cost_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Profiler(output_path=tmp_path, schedule={"active": 2, "wait": 2}) as profiler:
        for _ in range(6):
            multiply()
            profiler.step()
    shown = capsys.readouterr().out
    assert re.match(
        r"profiled 2 steps \(3 to 4\), 0\.\d+ MB in /.+\.json; starting .+; a step took .+ otherwise\n", shown
    )
    with Profiler(output_path=tmp_path, schedule={"wait": 9}):
        pass
    assert "wrote no trace: 0 steps ended" in capsys.readouterr().out


def test_memory_history_needs_cuda(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    if torch.cuda.is_available():
        pytest.skip("this machine has CUDA")
    with Profiler(output_path=tmp_path, memory_history=1000) as profiler:
        multiply()
    assert "memory_history needs a CUDA device" in caplog.text
    assert len(profiler.files) == 1


@pytest.mark.gpu
def test_memory_history_of_cuda(tmp_path: Path) -> None:
    with Profiler(output_path=tmp_path, memory_history=1000) as profiler:
        for _ in range(2000):
            torch.ones(1000, device="cuda")
    trace, history = profiler.files
    assert "kernel" in {each.get("cat") for each in contents(trace)["traceEvents"]}
    assert history.name.endswith(".memory_snapshot.pickle")
    assert history.stat().st_size > 10_000


OFF = """
import sys
import torch
from digits import batches, make_model
from mindscope.torch import SummaryCollector
import mindscope.torch.integrations.lightning, mindscope.torch.integrations.transformers
make_model().train(1, batches(), callbacks=[SummaryCollector(sys.argv[1])])
loaded = {name for name in sys.modules if name.startswith(("mindscope.torch.profiler", "mindscope.profile"))}
assert not loaded, loaded
"""


def test_without_a_profiler_nothing_of_it_is_imported(tmp_path: Path) -> None:
    command = [sys.executable, "-c", OFF, str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": str(HERE)}
    done = subprocess.run(command, capture_output=True, text=True, timeout=280, env=environment)
    assert done.returncode == 0, done.stderr


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("package", ["lightning.pytorch", "pytorch_lightning"])
def test_lightning(tmp_path: Path, package: str) -> None:
    pytest.importorskip(package)
    from test_lightning import module_of

    from mindscope.torch.integrations.lightning import ProfilerCallback

    profiler = Profiler(output_path=tmp_path, start_profile=False, schedule={"wait": 1, "active": 4})
    trainer = import_module(package).Trainer(
        max_epochs=2, callbacks=[ProfilerCallback(profiler)], logger=False, enable_progress_bar=False,
        accelerator="cpu", enable_model_summary=False, enable_checkpointing=False, default_root_dir=tmp_path,
    )  # fmt: skip
    trainer.fit(module_of(package), batches(), batches())
    (file,) = profiler.files
    assert marks(file) == ["3", "4", "5", "6"]
    with pytest.raises(TypeError, match="profiler is int"):
        ProfilerCallback(3)  # type: ignore[arg-type]


@pytest.mark.filterwarnings("ignore")
def test_transformers(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    from test_transformers import trainer_of

    from mindscope.torch.integrations.transformers import ProfilerCallback

    profiler = Profiler(output_path=tmp_path / "run", start_profile=False)
    trainer = trainer_of(tmp_path, SummaryCollector(tmp_path / "run"))
    trainer.add_callback(ProfilerCallback(profiler))
    trainer.train()
    (file,) = profiler.files
    assert marks(file) == ["1", "2", "3", "4", "5", "6"]


def test_log_names_arguments_without_effect(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "mindscope"):
        Profiler(output_path=tmp_path, start_profile=False, l2_cache=True)
    assert "l2_cache: has an effect on Ascend with MindSpore only" in caplog.text


def test_analysis_prints_types_and_operators(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    profiler = Profiler(output_path=tmp_path, schedule={"active": 2, "repeat": 2}, is_show_op_path=True)
    make_model().train(2, batches())
    profiler.analyse()
    first, second = capsys.readouterr().out.split("\n\n")
    lines = first.splitlines()
    assert lines[1].split() == ["optype_name", "compute_time(ms)", "called_times", "percent"]
    types = {cells[0]: cells for cells in map(str.split, lines[3:])}
    assert types["conv2d"][2] == "4", "one a step, in two cycles of two steps"
    assert 99.0 < sum(float(cells[3]) for cells in types.values()) < 101.0
    details = second.splitlines()
    assert details[0].split() == [
        "op_name", "op_type", "avg_execution_time(ms)", "called_times", "subgraph", "shapes", "op_path"
    ]  # fmt: skip
    (convolution,) = (line for line in details if line.startswith("aten::conv2d "))
    assert convolution.split()[-1] == "SmallNet_0/Conv2d_0"
    assert any(line.startswith("aten::convolution_backward") and " Gradients " in line for line in details)
    found = json.loads(profiler.op_analyse(["conv2d", "aten::missing"]))
    assert [row["count"] for row in found["conv2d"]] == [4]
    assert found["aten::missing"] == []
    with pytest.raises(TypeError, match="op_name is int"):
        profiler.op_analyse(3)  # type: ignore[arg-type]


def test_analysis_shows_what_is_chosen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    profiler = Profiler(
        "Default", output_path=tmp_path, optypes_to_deal="conv2d, relu, linear", optypes_not_deal="relu"
    )  # fmt: skip
    make_model().train(1, batches())
    profiler.analyse()
    first, second = capsys.readouterr().out.split("\n\n")
    assert "convolution_backward" not in first
    assert "relu" in first, "filters apply to single operators"
    assert {line.split()[1] for line in second.splitlines()[2:]} == {"conv2d", "linear"}
    profiler = Profiler(output_path=tmp_path / "other", is_detail=False, start_profile=False)
    profiler.analyse(tmp_path)
    shown = capsys.readouterr().out
    assert "convolution_backward" in shown
    assert "op_name" not in shown


def test_analysis_goes_on_with_what_can_be_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    with Profiler(output_path=tmp_path, schedule={"active": 1, "repeat": 2}) as profiler:
        for _ in range(5):
            multiply()
            profiler.step()
    profiler.files[0].write_bytes(b"{}")
    profiler.analyse()
    assert "is left out of the analysis" in caplog.text
    assert "aten::mm" in capsys.readouterr().out


def test_the_viewer_reads_the_steps_of_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANK", "3")
    with Profiler(output_path=tmp_path) as profiler, SummaryRecord(tmp_path) as record:
        for step in range(1, 4):
            multiply()
            record.add_value("scalar", "loss", 1.0)
            record.record(step)
            profiler.step()
    assert marks(profiler.files[0]) == ["0", "2", "3", "4"], "the first mark began before the first record"
    profile = read_profile(profiler.files[0])
    assert profile.steps.number.tolist() == [1, 2, 3]
    assert profile.rank == 3


def test_counts_are_those_of_torch(tmp_path: Path) -> None:
    with torch.profiler.profile() as own:
        make_model().train(1, batches())
    profiler = Profiler(output_path=tmp_path)
    make_model().train(1, batches())
    profiler.stop()
    averages: Any = own.key_averages()
    names = ["aten::conv2d", "aten::mm", "aten::relu", "aten::log_softmax"]
    want = {each.key: each.count for each in averages if each.key in names}
    found = json.loads(profiler.op_analyse(names))
    assert {name: sum(row["count"] for row in found[name]) for name in want} == want


def test_a_profiler_of_pytorch_within_it_ends_the_cycle_but_not_the_training(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    profiler = Profiler(output_path=tmp_path)
    multiply()
    profiler.step()
    with torch.profiler.profile() as other:
        multiply()
    profiler.step()
    profiler.stop()
    assert profiler.files == []
    assert "another profiler of PyTorch ran within it and ended it" in caplog.text
    assert "aten::mm" in {each.key for each in cast("Any", other.key_averages())}
    with Profiler(output_path=tmp_path) as later:
        multiply()
    assert len(later.files) == 1


def test_a_step_that_did_not_end_is_no_step(tmp_path: Path) -> None:
    with Profiler(output_path=tmp_path) as profiler:
        for _ in range(3):
            multiply()
            profiler.step()
    assert len(marks(profiler.files[0])) == 4, "PyTorch can't take back a mark"
    assert read_profile(profiler.files[0]).steps.number.tolist() == [0, 1, 2]
    with Profiler(output_path=tmp_path) as profiler:
        for step in (5, 6, 7, 5, 6, 7, 8):  # restarted from a checkpoint; step 9 begins and does not end
            multiply()
            profiler.step(step)
    assert read_profile(profiler.files[0]).steps.number.tolist() == [5, 6, 7, 5, 6, 7, 8]


def test_a_cycle_that_begins_after_the_last_step_is_not_written(tmp_path: Path) -> None:
    profiler = Profiler(output_path=tmp_path, schedule={"wait": 1, "warmup": 1, "active": 1, "repeat": 0})
    make_model().train(1, batches(80), callbacks=[profiler])  # a sixth step would be recorded
    (file,) = profiler.files
    assert marks(file) == ["3"]
    assert [each.name for each in tmp_path.iterdir()] == [file.name]


@pytest.mark.parametrize("step", ["7", 3.5, float("nan"), torch.ones(2), object(), 2**70])
def test_a_step_that_is_no_whole_number_is_counted(tmp_path: Path, step: Any) -> None:
    with Profiler(output_path=tmp_path) as profiler:
        for given in (torch.tensor(4), step, None):
            multiply()
            profiler.step(cast("Any", given))
    assert contents(profiler.files[0])["mindscope"]["steps"] == {"0": 4, "5": 5, "6": 6}
    assert read_profile(profiler.files[0]).steps.number.tolist() == [4, 5, 6]
