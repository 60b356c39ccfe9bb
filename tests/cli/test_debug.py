# SPDX-License-Identifier: Apache-2.0
"""``mindscope debug`` on made runs."""

from __future__ import annotations

import json
import shutil
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from mindscope.annotations import Annotations
from mindscope.annotations.operator_pairs import change_operator_pair
from mindscope.debug.formats.statistics_cache import SUFFIX
from mindscope.formats import wire
from mindscope.formats.print_schemas import PRINT
from tests.debug.formats.made_dumps import real_dump, short_dump
from tests.debug.formats.test_flight_recorder import entry, write
from tests.debug.formats.test_print_file import VALUES
from tests.debug.formats.test_statistics_cache import aged
from tests.debug.made_sources import Recorded, gradient, output, source_of
from tests.debug.recorded_runs import write_run
from tests.debug.test_compare import training as renamed_training
from tests.debug.whole_tensor_dumps import write_dumped_run
from tests.reading.test_failures import write_failure, write_scalars
from tests.reading.test_run_debug import training

from .conftest import CommandLine


def test_the_first_bad_number_and_recommended_hits_are_printed(mindscope: CommandLine, tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", training())
    out = mindscope("debug", str(run), want=3).stdout
    assert "In the forward pass of step 3, log/Log returns NaN in 1 of 3 elements." in out
    assert "tensor_overflow" in out
    healthy = write_run(tmp_path / "healthy", training(99))
    out = mindscope("debug", str(healthy)).stdout
    assert "No NaN and no infinity damages the training." in out
    assert "0 hits of 10 watchpoints in 4 steps" in out


def test_an_end_within_a_step_is_printed(mindscope: CommandLine, tmp_path: Path) -> None:
    whole = [Recorded(output("fc"), np.ones(3), 1), Recorded(gradient("fc"), np.ones(3), 2)]
    run = str(write_run(tmp_path / "run", source_of({1: whole, 2: whole, 3: whole[:1]})))
    assert "The training ended within step 3, after fc/Linear." in mindscope("debug", "first-bad", run).stdout
    assert json.loads(mindscope("debug", "first-bad", run, "--json").stdout)["unfinished"]["step"] == 3
    ended = str(write_run(tmp_path / "ended", source_of({1: whole, 2: whole})))
    assert "within" not in mindscope("debug", "first-bad", ended).stdout


def test_the_workspace_keeps_statistics_of_dumps(mindscope: CommandLine, tmp_path: Path) -> None:
    dump, workspace = aged(short_dump(tmp_path / "dump")), tmp_path / "workspace"
    workspace.mkdir()
    mindscope("debug", "first-bad", str(dump), "--workspace", str(workspace))
    assert len([*workspace.glob(f"cache/*/*{SUFFIX}")]) == 2
    assert "cache/tensor_statistics" in mindscope("cache", "--clear", "--workspace", str(workspace)).stdout
    assert [*workspace.glob("cache/*")] == []


def test_watchpoints_hit_with_an_exit_code(mindscope: CommandLine, tmp_path: Path) -> None:
    run = str(write_run(tmp_path / "run", training(99)))
    out = mindscope("debug", "watch", run, "tensor_too_large max_gt=3.5 @ fc", "--top", "1", want=3).stdout
    assert out.splitlines()[0] == "2 hits of 1 watchpoints in 4 steps"
    row = next(line for line in out.splitlines() if "fc/Linear" in line)
    assert row.split() == ["4", "4", "0", "fc/Linear", "parameter", "weight", "tensor_too_large", "max_gt", "3.5", "4"]
    assert "1 more" in out
    quiet = mindscope("debug", "watch", run, "TL max_gt=9", "TL max_gt=1 @ nothing").stdout
    assert "no recorded tensor matches tensor_too_large max_gt=1 @ nothing" in quiet
    missing = mindscope("debug", "watch", run, "weight_change_too_small").stdout
    assert "not recorded: mean_abs_update, mean_abs_before, tensor" in missing


def test_two_trainings_are_compared(mindscope: CommandLine, tmp_path: Path) -> None:
    one, other = (str(write_run(tmp_path / str(step), training(step))) for step in (3, 99))
    out = mindscope("debug", "compare", one, other, want=3).stdout
    assert "From equal inputs, log/Log returns other values in step 3" in out
    assert "100 % of 3 operators matched." in out
    by_hand = mindscope("debug", "compare", one, other, "--pair", "log/Log=log/Log", "--json", want=3).stdout
    assert json.loads(by_hand)["compare"]["first"]["left"] == "log/Log"
    assert "Nothing differs" in mindscope("debug", "compare", one, one).stdout


def test_a_dump_and_a_run_with_a_dump_are_read(mindscope: CommandLine, tmp_path: Path) -> None:
    dump = str(real_dump(tmp_path))
    out = mindscope("debug", dump).stdout
    assert "No NaN and no infinity damages the training." in out
    assert "0 hits of 10 watchpoints in 2 steps" in out
    out = mindscope("debug", "watch", dump, "activation_range max_min_gt=0.1 @ r", want=3).stdout
    assert "Default/network-WithLossCell/_backbone-Conv/r-ReLU/ReLU-op0" in out
    run = write_run(tmp_path / "run", training(99))
    shutil.move(dump, run / "dump")
    assert "in 4 steps" in mindscope("debug", str(run)).stdout
    assert "in 2 steps" in mindscope("debug", str(run), "--source", "dump").stdout
    both = mindscope("debug", "compare", str(run), str(run), "--source", "dump", "--other-source", "dump").stdout
    assert "100 % of 28 operators matched." in both
    assert "it has ., dump" in mindscope("debug", str(run), "--source", "nix", want=1).stderr


def test_the_ranks_of_a_directory_are_one_training(mindscope: CommandLine, tmp_path: Path) -> None:
    for rank in (0, 1):
        write_run(tmp_path / "ddp" / f"rank_{rank}", training(4 - rank, rank), rank)
    for path in ("ddp", "ddp/rank_0"):
        out = mindscope("debug", "first-bad", str(tmp_path / path), want=3).stdout
        assert "In the forward pass of step 3 of rank 1, log/Log returns NaN" in out
    assert "The parameters of 2 ranks are equal." in mindscope("debug", "ranks", str(tmp_path / "ddp")).stdout


def test_pairs_of_the_page_and_of_the_command_decide_what_matches(mindscope: CommandLine, tmp_path: Path) -> None:
    left = renamed_training(names=("a", "b", "c"), types=("A", "B", "C"))
    right = renamed_training(names=("x", "y", "z"), types=("X", "Y", "Z"), differs=(2, "y"))
    runs = [str(write_run(tmp_path / "logs" / name, source)) for name, source in (("one", left), ("other", right))]
    arguments = ["debug", "compare", *runs]
    out = mindscope(*arguments, want=1).stdout
    assert out.splitlines()[0] == "The trainings can't be compared: too few of their operators match."
    assert "25 % of 4 operators matched." in out
    assert json.loads(mindscope(*arguments, "--json", want=1).stdout)["compare"]["is_comparable"] is False
    given = mindscope(*arguments, "--pair", "a/A=x/X", "--pair", "b/B=y/Y", want=3).stdout
    assert "From equal inputs, b/B returns other values in step 2" in given
    workspace = tmp_path / "workspace"
    with closing(Annotations(workspace, str(tmp_path / "logs"))) as annotations:
        for pair in (("a/A", "x/X"), ("b/B", "y/Y"), ("gone/A", "x/X")):
            change_operator_pair(annotations, "one", "other", pair, is_paired=True)
    remembered = mindscope(*arguments, "--workspace", str(workspace), want=3).stdout
    assert "From equal inputs, b/B returns other values in step 2" in remembered


def test_tensors_are_compared_element_by_element(mindscope: CommandLine, tmp_path: Path) -> None:
    name, x = "Functional.relu.0.forward", np.arange(-3, 9, dtype=np.float32).reshape(3, 4)
    runs = []
    for key, error in (("one", 0), ("other", 1)):
        steps = {step: {name: ([x], [np.maximum(x, 0) + error * step])} for step in (0, 1)}
        runs.append(str(write_dumped_run(tmp_path / key, steps)))
    out = mindscope("debug", "tensor", *runs, name, want=3).stdout
    assert out.splitlines()[0] == "Tensors of step 1:"
    row = next(line for line in out.splitlines() if "output 0" in line)
    assert row.split()[3:8] == ["float32", "[3,", "4]", f"{240 / (204 * 288) ** 0.5:.6g}", "1"]
    assert row.endswith("100.000%   error (relative_error) ")
    assert "output 0: largest error at [0, 0]: 0 and 1" in out
    found = json.loads(mindscope("debug", "tensor", *runs, name, "--step", "0", "--json").stdout)
    assert [each["max_abs"] for each in found["tensor"]["tensors"]] == [0, 0]
    one = str(write_run(tmp_path / "recorded", training()))
    out = mindscope("debug", "tensor", one, one, "fc", "--step", "1").stdout
    assert "Record whole tensors of both trainings with mindscope.torch.Dump or another dump." in out
    missing = mindscope("debug", "tensor", one, one, "fx", want=1).stderr
    assert "has no operator 'fx' that both trainings have; it has fc, fc/Linear" in missing


def test_what_was_not_read_is_printed(mindscope: CommandLine, tmp_path: Path) -> None:
    dump = real_dump(tmp_path)
    for arguments in ([], ["first-bad"], ["watch"]):
        assert "Problems of" not in mindscope("debug", *arguments, str(dump)).stdout
    assert json.loads(mindscope("debug", str(dump), "--json").stdout)["problems"] == []
    directory = next(dump.rglob("*.npy")).parent
    (directory / "Add.Default_odd-op99.0.0.1600000000000000").write_bytes(bytes(40))
    (directory / "Add.Default_odd-op98.0.0.1600000000000000").write_bytes(bytes(40))
    for arguments in ([], ["first-bad"], ["watch"]):
        lines = mindscope("debug", *arguments, str(dump)).stdout.splitlines()
        assert lines[-3] == "Problems of the recorded data:"
        assert sorted(line[:22] for line in lines[-2:]) == ["  Add.Default_odd-op98", "  Add.Default_odd-op99"]
    assert mindscope("debug", str(dump), "--top", "1").stdout.endswith("  1 more\n")
    assert "Problems of" in mindscope("debug", "compare", str(dump), str(dump)).stdout
    assert len(json.loads(mindscope("debug", str(dump), "--json").stdout)["problems"]) == 2


def test_json_has_everything_that_was_requested(mindscope: CommandLine, tmp_path: Path) -> None:
    run = str(write_run(tmp_path / "run", training()))
    found = json.loads(mindscope("debug", run, "--json", want=3).stdout)
    assert found["first_bad"]["step"] == 3
    assert found["first_bad"]["cause"] == "operator"
    assert found["watch"]["hits"][0]["condition"] == "tensor_overflow"
    assert "compare" not in found


def test_wrong_use_names_the_remedy(mindscope: CommandLine, tmp_path: Path) -> None:
    run = str(write_run(tmp_path / "run", training()))
    assert "condition 'no' does not exist" in mindscope("debug", "watch", run, "no", want=2).stderr
    assert "does not exist: give a run" in mindscope("debug", str(tmp_path / "none"), want=1).stderr
    assert "is no LEFT=RIGHT" in mindscope("debug", "compare", run, run, "--pair", "a", want=2).stderr
    (tmp_path / "empty").mkdir()
    assert "holds no debugging data" in mindscope("debug", str(tmp_path / "empty"), want=1).stderr


def test_failures_and_printed_values_are_printed(mindscope: CommandLine, tmp_path: Path) -> None:
    run = tmp_path / "run"
    write_scalars(run)
    directory = write_failure(run)
    write(run, 0, entry(1), entry(2))
    write(run, 1, entry(1))
    out = mindscope("debug", str(run), want=3).stdout
    assert (
        f"Running data of rank 0: {directory}\n  failed with ValueError: loss is nan\n  in forward, fc1, Linear\n"
        in out
    )
    assert "Flight recorder of ranks 0, 1: 1 collectives differ" in out
    found = json.loads(mindscope("debug", str(run), "--json", want=3).stdout)["failures"]
    assert (found["running_data"][0]["state"]["cur_step_num"], found["mismatches"][0]["kind"]) == (7, "missing")
    (run / "print.pb").write_bytes(wire.encode(PRINT, {"value": VALUES[:2]}))
    assert mindscope("debug", "print", str(run)).stdout.splitlines()[:2] == [
        "print.pb: loss:", "print.pb: Tensor(shape=[2, 3], dtype=Float32, value=",
    ]  # fmt: skip


def test_the_overview_needs_no_name(mindscope: CommandLine, tmp_path: Path) -> None:
    run = str(write_run(tmp_path / "watch", training()))
    named = mindscope("debug", "overview", run, "--json", want=3).stdout
    assert mindscope("debug", run, "--json", want=3).stdout == named
    assert mindscope("debug", "--json", run, want=3).stdout == named
    assert "Missing argument 'RUN'" in mindscope("debug", "watch", want=2).stderr  # a run of this name is ./watch
    assert mindscope("debug", "./watch", "--json", want=3).stdout == named
    assert "Missing command" in mindscope("debug", want=2).stderr


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_old_options_print_the_same_and_name_the_command(
    mindscope: CommandLine, options: tuple[str, ...], tmp_path: Path
) -> None:
    """Delete it with ``debug_old_options``."""
    for rank in (0, 1):
        write_run(tmp_path / "ddp" / f"rank_{rank}", training(4 - rank, rank), rank)
    one, other = (str(write_run(tmp_path / str(step), training(step))) for step in (3, 99))
    point, ddp = "TL max_gt=3.5 @ fc", str(tmp_path / "ddp")
    for old, new, code in (
        ([one, "--first-bad"], ["first-bad", one], 3),
        (["--first-bad", other], ["first-bad", other], 0),
        ([one, "--watch", point, "--watch=recommended"], ["watch", one, point, "recommended"], 3),
        ([other, "--watch", point, "--top", "1"], ["watch", other, point, "--top", "1"], 3),
        ([one, "--compare", other, "--step-offset", "0"], ["compare", one, other, "--step-offset", "0"], 3),
        ([one, "--compare", one, "--pair", "log/Log=log/Log"], ["compare", one, one, "--pair", "log/Log=log/Log"], 0),
        ([ddp, "--ranks"], ["ranks", ddp], 0),
        ([one, "--compare", other, "--tensor", "fc", "--rtol", "0"], ["tensor", one, other, "fc", "--rtol", "0"], 0),
        ([one, "--compare", other, "--tensor", "fx"], ["tensor", one, other, "fx"], 1),
    ):  # fmt: skip
        of_old = mindscope("debug", *old, *options, want=code)
        assert of_old.stdout == mindscope("debug", *new, *options, want=code).stdout
        assert f"use `mindscope debug {new[0]} {new[1]}" in of_old.stderr


def test_old_options_are_checked_and_combined(mindscope: CommandLine, tmp_path: Path) -> None:
    """Delete it with ``debug_old_options``."""
    one = str(write_run(tmp_path / "run", training()))
    for name, value in (("--tensor", "fc"), ("--pair", "a=b"), ("--other-source", "dump"), ("--step-offset", "1")):
        assert f"{name} needs --compare OTHER" in mindscope("debug", one, name, value, want=2).stderr
    assert "--step needs --tensor NAME" in mindscope("debug", one, "--compare", one, "--step", "1", want=2).stderr
    both = mindscope("debug", one, "--first-bad", "--watch", "TL max_gt=3.5 @ fc", "--json", want=3)
    assert list(json.loads(both.stdout)) == ["first_bad", "unfinished", "watch", "problems"]
    assert f"`mindscope debug first-bad {one}` and `mindscope debug watch {one} 'TL max_gt=3.5 @ fc'`" in both.stderr
    run = tmp_path / "printed"
    write_scalars(run)
    (run / "print.pb").write_bytes(wire.encode(PRINT, {"value": VALUES[:2]}))
    printed = mindscope("debug", str(run), "--printed", "--top", "1")
    assert printed.stdout == mindscope("debug", "print", str(run), "--top", "1").stdout
    assert f"use `mindscope debug print {run}`" in printed.stderr


def test_options_of_another_command_are_refused(mindscope: CommandLine, tmp_path: Path) -> None:
    run = str(write_run(tmp_path / "run", training()))
    for command, option in (
        ("first-bad", "--top"),
        ("ranks", "--pair"),
        ("compare", "--atol"),
        ("watch", "--step-offset"),
    ):
        others = [run] if command == "compare" else []
        assert "No such option" in mindscope("debug", command, run, *others, option, "1", want=2).stderr
