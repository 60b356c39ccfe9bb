# SPDX-License-Identifier: Apache-2.0
"""``run.debug``: analysis of what a run or a dump in it holds."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import mindscope
from mindscope.debug.compare import DivergenceCause, Tolerance
from mindscope.debug.model.fields import Field
from mindscope.debug.model.loaded import LoadedSource
from mindscope.errors import DebugDataError, RunNotFoundError, WatchpointError
from mindscope.reading.run_debug import RunDebug, open_debug
from tests.debug.formats.made_dumps import raw_dump
from tests.debug.made_sources import Recorded, output, parameter, source_of
from tests.debug.recorded_runs import write_run


def training(bad_step: int = 3, rank: int = 0) -> LoadedSource:
    steps = {}
    for step in range(1, 5):
        value = np.array([step, 2.0, -1.0], np.float32)
        bad = value if step < bad_step else np.array([math.nan, 2, 3], np.float32)
        rows = [Recorded(parameter("fc"), value, 0), Recorded(output("fc", dtype="float32"), value, 1)]
        steps[step, rank] = [*rows, Recorded(output("log", "Log", dtype="float32"), bad, 2)]
    return source_of(steps)


def test_a_run_answers_like_its_source(tmp_path: Path) -> None:
    run = mindscope.open_run(write_run(tmp_path / "run", training()))
    bad = run.debug.first_bad()
    assert bad is not None
    assert (bad.step, bad.operator) == (3, "log/Log")
    hits = run.debug.watch("tensor_too_large max_gt=2.5 @ fc").to_pandas()
    assert hits["step"].tolist() == [3, 3, 4, 4]
    assert run.debug.watch().count > 0
    with pytest.raises(WatchpointError, match="condition 'no_such' does not exist"):
        run.debug.watch("no_such")
    assert "3 tensors, 4 steps, 1 ranks" in repr(run.debug)


def test_two_runs_are_compared(tmp_path: Path) -> None:
    runs = [mindscope.open_run(write_run(tmp_path / str(step), training(step))) for step in (3, 99)]
    found = runs[0].debug.compare(runs[1].debug)
    for other in (runs[1], runs[1].path, str(runs[1].path), runs[1].debug.source):
        assert runs[0].debug.compare(other).text == found.text
    with pytest.raises(TypeError, match="other is int"):
        runs[0].debug.compare(3)  # type: ignore[arg-type]
    assert found.first is not None
    assert (found.cause, found.first.step, found.first.left) == (DivergenceCause.OPERATOR, 3, "log/Log")
    assert found.to_pandas()["left"].tolist() == ["fc.weight", "fc/Linear", "log/Log"]


def test_tensors_of_a_step_are_named_and_listed(tmp_path: Path) -> None:
    debug = mindscope.open_run(write_run(tmp_path / "run", training())).debug
    found = debug.tensor("log", 3)
    assert (len(found), found[0].statistics[Field.NAN], found[0].array) == (1, 1, None)
    assert [each.tensor.slot for each in debug.tensor("fc.weight", 1).records] == ["weight"]
    assert debug.tensors(1).to_pandas()["max"].tolist() == [2, 2, 2]
    with pytest.raises(DebugDataError, match="no operator 'lo'; it has log, log/Log"):
        debug.tensor("lo", 1)
    with pytest.raises(DebugDataError, match="no debugging data of step 9"):
        debug.tensor("log", 9)


def test_whole_tensors_come_with_their_statistics() -> None:
    source = source_of({1: [Recorded(output("fc"), np.arange(4.0))]}, has_arrays=True)
    array = RunDebug(source).tensor("fc", 1)[0].array
    assert array is not None
    assert array.tolist() == [0, 1, 2, 3]


def test_tensors_of_two_trainings_are_compared_element_by_element() -> None:
    def source(error: float, has_arrays: bool = True) -> RunDebug:
        x = np.arange(4, dtype=np.float32)
        return RunDebug(source_of({step: [Recorded(parameter("fc"), x + (error if step == 2 else 0), 0),
                                          Recorded(output("fc"), x, 1)] for step in (1, 2, 3)},
                                  has_arrays=has_arrays))  # fmt: skip

    found = source(0).tensor_differences(source(0.5), "fc.weight", tolerance=Tolerance(atol=0.25))
    assert (found.steps, [each.pair.role for each in found.tensors]) == ((2, 2), ["parameter"])
    assert found.tensors[0].is_whole
    assert (found.tensors[0].difference.max_abs, found.to_pandas()["share_beyond"].tolist()) == (0.5, [1])
    assert len(source(0).tensor_differences(source(0.5), "fc", 1).tensors) == 2
    assert not source(0).tensor_differences(source(0.5), "fc", 1).differs
    statistics = source(0).tensor_differences(source(0.5, has_arrays=False), "fc.weight").tensors[0]
    assert not statistics.is_whole
    assert (math.isnan(statistics.difference.cosine), statistics.difference.norm_error > 0.1) == (True, True)


def test_runs_of_ranks_are_one_training_and_of_trainings_are_not(tmp_path: Path) -> None:
    for rank in (0, 1):
        write_run(tmp_path / "ddp" / f"rank_{rank}", training(4 - rank, rank), rank)
    debug = open_debug(tmp_path / "ddp")
    assert list(debug.source.ranks) == [0, 1]
    bad = debug.first_bad()
    assert bad is not None
    assert (bad.rank, bad.step) == (1, 3)
    write_run(tmp_path / "ddp" / "other", training())
    with pytest.raises(DebugDataError, match="of 3 trainings, choose one"):
        open_debug(tmp_path / "ddp")


def test_the_run_of_one_rank_answers_for_all_ranks(tmp_path: Path) -> None:
    runs = [write_run(tmp_path / "ddp" / f"rank_{rank}", training(4 - rank, rank), rank) for rank in (0, 1)]
    (tmp_path / "ddp" / "rank_2").mkdir()  # without event files
    write_run(tmp_path / "ddp" / "summary_dir3", training(1, 3), 3)  # of another group, as on the page
    for run in runs:
        debug = mindscope.open_run(run).debug
        assert list(debug.source.ranks) == [0, 1]
        assert debug.path == runs[0]
        bad = debug.first_bad()
        assert bad is not None
        assert (bad.rank, bad.step) == (1, 3)
    steps = {(1, rank): [Recorded(parameter("fc"), np.full(3, 1.0 + rank), 0)] for rank in (0, 1)}
    for rank in (0, 1):
        write_run(tmp_path / "apart" / f"rank{rank}" / "logs", source_of(steps), rank)
    apart = mindscope.open_run(tmp_path / "apart" / "rank1" / "logs").debug.compare_ranks()
    assert apart is not None
    assert (apart.step, apart.parameter) == (1, "fc.weight")


def test_a_run_with_statistics_and_a_dump_offers_both(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", training())
    raw_dump(run / "dump")
    for debug in (mindscope.open_run(run).debug, open_debug(run)):
        assert debug.sources == (".", "dump")
        assert debug.source.format == "mindscope"
        dump = debug.of("dump")
        assert (dump.source.format, dump.path, dump.sources) == ("mindspore_dump", run / "dump", ("dump",))
        assert debug.of(".") is debug
        with pytest.raises(DebugDataError, match=r"no debugging data 'nix'; it has \., dump"):
            debug.of("nix")


def test_of_several_dumps_one_is_chosen(tmp_path: Path) -> None:
    with mindscope.SummaryRecord(tmp_path) as record:
        record.add_value("scalar", "loss", 1.0)
        record.record(1)
    for name in ("a", "b"):
        raw_dump(tmp_path / name)
    debug = mindscope.open_run(tmp_path).debug
    assert debug.sources == ("a", "b")
    assert debug.of("b").source.steps(1) == [3]
    with pytest.raises(DebugDataError, match=r"2 sets of debugging data, choose one with of\(NAME\) .*: a, b"):
        debug.first_bad()


def test_a_run_without_debugging_data_names_the_remedy(tmp_path: Path) -> None:
    with mindscope.SummaryRecord(tmp_path) as record:
        record.add_value("scalar", "loss", 1.0)
        record.record(1)
    with pytest.raises(DebugDataError, match=r"holds no debugging data: record it with mindscope\.torch\.Debugger"):
        _ = mindscope.open_run(tmp_path).debug
    with pytest.raises(RunNotFoundError, match="does not exist"):
        open_debug(tmp_path / "nothing")


def test_a_dump_beside_the_only_run_belongs_to_it(tmp_path: Path) -> None:
    with mindscope.SummaryRecord(tmp_path / "logs" / "first") as record:
        record.add_value("scalar", "loss", 1.0)
        record.record(1)
    raw_dump(tmp_path / "logs" / "dump")
    debug = mindscope.open_run(tmp_path / "logs" / "first").debug
    assert debug.path == tmp_path / "logs" / "dump"
    assert debug.source.steps(1) == [3]
    np.save(tmp_path / "logs" / "x_float32_0.npy", np.ones(2))  # of no run: it is no directory of its own
    assert open_debug(tmp_path / "logs" / "first").path == tmp_path / "logs" / "dump"
