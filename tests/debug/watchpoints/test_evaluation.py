# SPDX-License-Identifier: Apache-2.0
"""Watchpoints over steps and ranks: order, limits, consecutive steps, kinds of tensors, texts."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from mindscope.debug.first_bad import find_first_bad
from mindscope.debug.model.loaded import LoadedSource
from mindscope.debug.model.step_statistics import StepStatistics
from mindscope.debug.model.tensor_kinds import TensorKind, kind_masks
from mindscope.debug.model.tensors import DebugTensor, Phase, Role
from mindscope.debug.open import read_debug_data
from mindscope.debug.watchpoints import Problem, evaluate_watchpoints, parse_watchpoint
from mindscope.errors import WatchpointError
from tests.debug.formats.made_dumps import npy_name, save
from tests.debug.made_sources import Recorded, gradient, output, parameter, source_of

LARGE = parse_watchpoint("tensor_too_large max_gt=1")


def one(value: float, name: str = "a", order: int = 0) -> Recorded:
    return Recorded(output(name), np.array([value]), order)


def test_hits_are_in_execution_order_over_ranks() -> None:
    steps = {
        (2, 1): [one(5, "late", 9), one(6, "early", 1)],
        (2, 0): [one(7, "late", 9)],
        (1, 1): [one(0), one(8, "late", 9)],
    }
    found = evaluate_watchpoints(source_of(steps), [LARGE])
    assert [(hit.step, hit.order, hit.rank, hit.actual) for hit in found.hits] == [
        (1, 9, 1, 8), (2, 1, 1, 6), (2, 9, 0, 7), (2, 9, 1, 5),
    ]  # fmt: skip
    assert [row["operator"] for row in found.rows()] == ["late/Linear", "early/Linear", "late/Linear", "late/Linear"]
    assert evaluate_watchpoints(source_of(steps), [LARGE], ranks=[0]).count == 1


def test_hits_beyond_the_limit_are_counted() -> None:
    source = source_of({step: [one(5), one(7, "b", 1)] for step in range(6)})
    found = evaluate_watchpoints(source, [LARGE], most_hits=3)
    assert [(hit.step, hit.actual) for hit in found.hits] == [(0, 5), (0, 7), (1, 5)]
    assert found.count == 12
    assert found.counts[5] == {0: 2}


def test_a_condition_holds_for_consecutive_recorded_steps_before_it_hits() -> None:
    values = {0: 5.0, 2: 5.0, 4: 0.0, 6: 5.0, 8: 5.0, 10: 5.0}
    source = source_of({step: [one(value)] for step, value in values.items()})
    lasting = dataclasses.replace(LARGE, for_steps=3)
    found = evaluate_watchpoints(source, [lasting])
    assert [(hit.step, hit.since) for hit in found.hits] == [(10, 6)]
    assert found.rows()[0]["since"] == 6
    assert [hit.since for hit in evaluate_watchpoints(source, [LARGE]).hits] == [0, 0, 6, 6, 6]
    assert [hit.step for hit in evaluate_watchpoints(source, [lasting], steps=[8, 10]).hits] == [10]
    short = source_of({step: [one(5)] for step in range(2)})
    assert [hit.step for hit in evaluate_watchpoints(short, [lasting]).hits] == [1]


def test_many_steps_need_the_memory_of_one() -> None:
    class Endless:
        """A source that makes each step when it is read."""

        tensors = [output(f"layer{place}") for place in range(50)]
        framework, format, ranks = "torch", "made", (0,)
        fields, read = frozenset(), 0

        def steps(self, rank: int) -> range:
            return range(2000)

        def at(self, step: int, rank: int) -> object:
            self.read += 1
            return dataclasses.replace(template, step=step)

        def array(self, step: int, rank: int, row: int) -> None:
            return None

    tensors = Endless.tensors
    template = source_of({0: [Recorded(each, np.ones(2), place) for place, each in enumerate(tensors)]}).at(0, 0)
    source = Endless()
    found = evaluate_watchpoints(source, [parse_watchpoint("tensor_too_large max_gt=0")], most_hits=10)  # type: ignore[arg-type]
    assert (found.count, len(found.hits), source.read) == (100_000, 10, 2000)


def test_tensors_whose_description_is_damaged_are_left_out() -> None:
    class Growing(LoadedSource):
        """Finds one more tensor when it reads a step, as a source of a run with a damaged table does."""

        def at(self, step: int, rank: int) -> StepStatistics:
            found = LoadedSource.at(self, step, rank)
            self.tensors = [*self.tensors, output("damaged")]
            return dataclasses.replace(found, tensor=np.array([1, 0], np.int32))

    made = source_of({0: [one(5), one(6, order=1)]})
    source = Growing(made.tensors, made.recorded)
    found = evaluate_watchpoints(source, [LARGE])
    assert [(hit.tensor, hit.actual) for hit in found.hits] == [(0, 6)]
    assert find_first_bad(Growing(made.tensors, made.recorded)) is None


def test_kinds_of_mindspore_follow_names_and_of_torch_roles() -> None:
    tensors = [
        parameter("conv", "weight"), parameter("conv", "bias"), parameter("bn", "gamma"),
        parameter("moments.conv", "weight"), gradient("conv"), output("act", "ReLU"),
        output("act", "aten::leaky_relu_"),
        output("grad", "ReLU", name="Gradients/Default/ReLU-op3"),
        DebugTensor("act", "ReLU", Phase.FORWARD, Role.INPUT, "0"),
        DebugTensor("fc", "aten::mm", Phase.BACKWARD, Role.OUTPUT, "0"),
    ]  # fmt: skip
    places = {
        framework: {kind: np.flatnonzero(mask).tolist() for kind, mask in kind_masks(tensors, framework).items()}
        for framework in ("mindspore", "torch")
    }
    assert places["mindspore"][TensorKind.WEIGHT] == [0, 1]
    assert places["torch"][TensorKind.WEIGHT] == [0, 1, 2, 3]
    for of_kind in places.values():
        assert of_kind[TensorKind.BIAS] == [1]
        assert of_kind[TensorKind.GRADIENT] == [4, 7, 9]
        assert of_kind[TensorKind.ACTIVATION] == [5, 6]
        assert of_kind[TensorKind.TENSOR] == list(range(len(tensors)))


def test_a_text_makes_a_watchpoint_and_back() -> None:
    text = "tensor_too_large max_gt=10000 for 3 @ encoder.*,fc.weight"
    watchpoint = parse_watchpoint(text)
    assert watchpoint.text == text
    assert parse_watchpoint(" tl  max_gt = 1e4 for 3 @encoder.*, fc.weight") == watchpoint
    tensors = [output("encoder.0"), output("decoder"), parameter("fc", "weight"), parameter("fc", "bias")]
    assert watchpoint.matches(tensors).tolist() == [True, False, True, False]
    assert parse_watchpoint("TO @ *relu*").matches([output("", "aten::relu", call=2)]).tolist() == [True]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no condition; want CONDITION"),
        ("tensor_to_large max_gt=1", "does not exist; nearest are tensor_too_large"),
        ("TL", "compares nothing; set at least one of abs_mean_gt, max_gt"),
        ("TL max=1", "no parameter 'max'; it has abs_mean_gt"),
        ("TL max_gt=high", "'max_gt=high' is no PARAMETER=VALUE"),
        ("TL max_gt", "'max_gt' is no PARAMETER=VALUE"),
        ("TL max_gt=nan", "is nan, want a finite number"),
        ("TZ zero_percentage_ge=101", "is 101, want a number from 0 to 100"),
        ("TR max_min_lt=0", "is 0, want a finite number above 0"),
        ("TR range_percentage_lt=5", "needs range_start_inclusive and range_end_inclusive"),
        ("TL max_gt=1 for", "no number of steps after for"),
        ("TL max_gt=1 for 0", "no number of steps after for"),
        ("TL max_gt=1 @ ,", "no pattern after @"),
        ("TL 'max_gt=1", "No closing quotation"),
    ],
)
def test_a_wrong_text_names_the_remedy(text: str, message: str) -> None:
    with pytest.raises(WatchpointError, match=message):
        parse_watchpoint(text)


def test_complex_tensors_have_no_order(tmp_path: Path) -> None:
    save(tmp_path / "rank_0" / "Net" / "0" / "0", npy_name("FFT", "fft-op1", 1), np.array([1 + 5j, 2]))
    watchpoint = parse_watchpoint("tensor_range range_start_inclusive=0 range_end_inclusive=3 range_percentage_gt=50")
    found = evaluate_watchpoints(read_debug_data(tmp_path), [watchpoint])
    assert (found.hits, [each.problem for each in found.unevaluated]) == ((), [Problem.NO_VALUE])


def test_a_cut_file_costs_only_its_tensor(tmp_path: Path) -> None:
    directory = tmp_path / "rank_0" / "Net" / "0" / "0"
    cut = save(directory, npy_name("Conv2D", "a-op1", 1), np.arange(100, dtype=np.float32))
    cut.write_bytes(cut.read_bytes()[:-1])
    save(directory, npy_name("Conv2D", "b-op2", 2), np.arange(100, dtype=np.float32))
    watchpoint = parse_watchpoint("tensor_range range_start_inclusive=0 range_end_inclusive=30 range_percentage_gt=10")
    found = evaluate_watchpoints(read_debug_data(tmp_path), [watchpoint])
    assert [hit.actual for hit in found.hits] == [31]
    assert [each.problem for each in found.unevaluated] == [Problem.NO_VALUE]
