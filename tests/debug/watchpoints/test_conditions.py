# SPDX-License-Identifier: Apache-2.0
"""Each condition's formula against a plain loop over the elements."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from mindscope.debug.model.array_statistics import array_statistics
from mindscope.debug.model.fields import Field
from mindscope.debug.model.overflows import Overflow
from mindscope.debug.model.tensors import DebugTensor, Phase, Role
from mindscope.debug.watchpoints import CONDITIONS, Problem, evaluate_watchpoints, make_watchpoint
from mindscope.debug.watchpoints.conditions import Condition
from mindscope.debug.watchpoints.range_bounds import range_bounds
from tests.debug.made_sources import Recorded, gradient, output, parameter, source_of, without

NUMBERS = st.floats(-8, 8, width=32).map(lambda number: round(number * 4) / 4)
ARRAYS = arrays.arrays(np.float32, st.integers(1, 12), elements=NUMBERS)
SETS = st.floats(-8, 8, width=32).map(lambda number: round(number * 4) / 4 + 0.1)
TENSORS = {"weight": parameter("fc"), "gradient": gradient("fc"), "activation": output("act", "ReLU"),
           "tensor": output("fc")}  # fmt: skip


def hits(condition: str, settings: dict[str, float], now: object, before: object = None, **facts: object) -> list[str]:
    """The parameters of the hits of a condition over one tensor of its kind."""
    tensor = TENSORS[str(CONDITIONS[condition].kind)]
    source = source_of({0: [Recorded(tensor, now, before=before)]}, **facts)
    found = evaluate_watchpoints(source, [make_watchpoint(condition, settings)])
    return [hit.parameter for hit in found.hits]


@pytest.mark.parametrize("condition", ["weight_too_large", "gradient_too_large", "tensor_too_large"])
@given(ARRAYS, SETS)
def test_too_large(condition: str, array: np.ndarray, limit: float) -> None:
    numbers = array.tolist()
    values = {
        "abs_mean_gt": math.fsum(map(abs, numbers)) / len(numbers),
        "max_gt": max(numbers),
        "min_gt": min(numbers),
        "mean_gt": math.fsum(numbers) / len(numbers),
    }
    settings = {**dict.fromkeys(values, limit), "abs_mean_gt": abs(limit)}
    assert hits(condition, settings, array) == [name for name in values if values[name] > settings[name]]


@pytest.mark.parametrize("condition", ["weight_too_small", "gradient_vanishing", "tensor_too_small"])
@given(ARRAYS, SETS)
def test_too_small(condition: str, array: np.ndarray, limit: float) -> None:
    numbers = array.tolist()
    values = {
        "abs_mean_lt": math.fsum(map(abs, numbers)) / len(numbers),
        "max_lt": max(numbers),
        "min_lt": min(numbers),
        "mean_lt": math.fsum(numbers) / len(numbers),
    }
    settings = {**dict.fromkeys(values, limit), "abs_mean_lt": abs(limit)}
    assert hits(condition, settings, array) == [name for name in values if values[name] < settings[name]]


@pytest.mark.parametrize("condition", ["weight_overflow", "gradient_exploding", "tensor_overflow"])
@given(arrays.arrays(np.float32, st.integers(0, 6), elements=st.sampled_from([1.0, math.nan, math.inf, -math.inf])))
def test_overflow(condition: str, array: np.ndarray) -> None:
    assert bool(hits(condition, {}, array)) == any(not math.isfinite(each) for each in array.tolist())


@pytest.mark.parametrize("condition", ["weight_initialization", "tensor_all_zero"])
@given(ARRAYS, st.floats(0, 100))
def test_zero_percentage(condition: str, array: np.ndarray, percentage: float) -> None:
    zeros = sum(each == 0 for each in array.tolist())
    assert bool(hits(condition, {"zero_percentage_ge": percentage}, array)) == (100 * zeros / array.size >= percentage)


@given(ARRAYS, SETS, SETS)
def test_initialization_beyond_limits(array: np.ndarray, most: float, least: float) -> None:
    numbers = array.tolist()
    settings = {"zero_percentage_ge": 100.0, "max_gt": most, "min_lt": least}
    holds = {
        "zero_percentage_ge": not any(numbers),
        "max_gt": max(numbers) > most,
        "min_lt": min(numbers) < least,
    }
    assert hits("weight_initialization", settings, array) == [name for name in settings if holds[name]]


@pytest.mark.parametrize("condition", ["activation_range", "tensor_range"])
@given(ARRAYS, SETS, SETS, st.floats(0, 100))
def test_range_percentage_and_max_min(
    condition: str, array: np.ndarray, start: float, end: float, percentage: float
) -> None:
    numbers = array.tolist()
    inside = 100 * sum(start <= each <= end for each in numbers) / len(numbers)
    span, limit = max(numbers) - min(numbers), abs(start) + 0.01
    settings = {
        "range_start_inclusive": start, "range_end_inclusive": end, "range_percentage_lt": percentage,
        "range_percentage_gt": percentage, "max_min_lt": limit, "max_min_gt": limit,
    }  # fmt: skip
    want = {
        "range_percentage_lt": inside < percentage,
        "range_percentage_gt": inside > percentage,
        "max_min_lt": span < limit,
        "max_min_gt": span > limit,
    }
    assert hits(condition, settings, array, has_arrays=True) == [name for name, holds in want.items() if holds]


@given(ARRAYS, SETS, SETS)
def test_bounds_of_a_range_contain_its_percentage(array: np.ndarray, start: float, end: float) -> None:
    inside = 100 * sum(start <= each <= end for each in array.tolist()) / array.size
    low, high = range_bounds(array_statistics(array)[None], start, end)
    assert low[0] <= inside + 1e-9
    assert inside <= high[0] + 1e-9


def test_statistics_alone_decide_the_recommended_ranges_where_it_matters() -> None:
    dead, saturated = np.zeros(1000), np.sign(np.random.default_rng(0).normal(size=1000))
    healthy = np.tanh(np.random.default_rng(0).normal(size=1000) * 5)
    assert range_bounds(array_statistics(dead)[None], -1, 0)[0] == 100
    half_open = range_bounds(array_statistics(np.maximum(healthy, 0))[None], -1, 0)
    assert half_open[0] == half_open[1] == 100 * np.mean(healthy <= 0)
    assert range_bounds(array_statistics(healthy)[None], -0.99999995, 0.99999995)[0] > 1
    assert range_bounds(array_statistics(saturated)[None], -0.99999995, 0.99999995)[0] == 0
    sigmoid = 1 / (1 + np.exp(-np.random.default_rng(0).normal(size=1000) * 5))
    assert range_bounds(array_statistics(sigmoid)[None], 9.2e-8, 1 - 9.2e-8)[0] > 1


@given(arrays.arrays(np.float32, (2, 5), elements=NUMBERS), st.floats(0.01, 3))
def test_update_ratio(pair: np.ndarray, limit: float) -> None:
    now, before = pair
    changes = math.fsum(abs(one - other) for one, other in zip(now.tolist(), before.tolist(), strict=True))
    sizes = math.fsum(map(abs, before.tolist()))
    ratio = (changes / now.size) / (sizes / now.size + 1e-9)
    assume(not math.isclose(ratio, limit, rel_tol=1e-12))
    large = hits("weight_change_too_large", {"abs_mean_update_ratio_gt": limit}, now, before)
    small = hits("weight_change_too_small", {"abs_mean_update_ratio_lt": limit}, now, before)
    assert (bool(large), bool(small)) == (ratio > limit, ratio < limit)


@given(
    arrays.arrays(np.float64, 5, elements=st.floats(-2, 2)),
    arrays.arrays(np.float64, 5, elements=st.sampled_from([0.0, 1e-9, 1e-7, 1e-5, 0.5])),
    st.sampled_from([0.0, 1e-8, 1e-5, 0.3]),
)
@pytest.mark.parametrize("has_statistics", [True, False])
def test_not_changed(has_statistics: bool, before: np.ndarray, change: np.ndarray, rtol: float) -> None:
    now = before + change
    pairs = list(zip(now.tolist(), before.tolist(), strict=True))
    tensor = parameter("fc", dtype="float64")
    steps = {0: [Recorded(tensor, before)], 1: [Recorded(tensor, now, before=before if has_statistics else None)]}
    found = evaluate_watchpoints(source_of(steps, has_arrays=True), [make_watchpoint("WNC", {"rtol": rtol})], steps=[1])
    assert bool(found.hits) == all(abs(one - other) <= 1e-8 + rtol * abs(other) for one, other in pairs)
    assert found.unevaluated == ()


def test_not_changed_is_known_by_the_digest_and_needs_an_earlier_step() -> None:
    weights = np.arange(6.0)
    steps = {step: [Recorded(parameter("fc"), weights)] for step in (4, 5)}
    found = evaluate_watchpoints(source_of(steps), [make_watchpoint("weight_not_changed", {})])
    assert [(hit.step, hit.parameter, hit.set_value) for hit in found.hits] == [(5, "rtol", 1e-5)]
    assert [(each.problem, each.first_step) for each in found.unevaluated] == [(Problem.NO_EARLIER_VALUE, 4)]


def test_initialization_is_looked_at_in_the_first_step_only() -> None:
    zeros = [Recorded(parameter("fc"), np.zeros(3))]
    for first, want in ((0, [0]), (1, [1]), (7, [])):
        found = evaluate_watchpoints(source_of({first: zeros, first + 1: zeros}), [make_watchpoint("WI", {})])
        assert [hit.step for hit in found.hits] == want


SETTINGS = {
    "max_gt": -9.0, "max_lt": 9.0, "zero_percentage_ge": 0.0, "abs_mean_update_ratio_gt": 0.0, "max_min_gt": 0.0,
    "abs_mean_update_ratio_lt": 100.0,
}  # fmt: skip
"""Limits with which each condition holds for finite numbers."""
FINITE_ONLY = [each for each in CONDITIONS.values() if not each.takes_non_finite]


@pytest.mark.parametrize("condition", FINITE_ONLY, ids=lambda each: each.id)
@given(st.lists(st.sampled_from([math.nan, math.inf, -math.inf, 1.0, -2.0]), max_size=5))
def test_tensors_with_nan_or_infinity_give_a_code_and_no_hit(condition: Condition, numbers: list[float]) -> None:
    tensor = TENSORS[str(condition.kind)]
    healthy = replace(tensor, module="healthy")
    now, changed = np.array([1.0, 2.0]), 0.0 if condition.id == "weight_not_changed" else 0.5
    before = np.where(np.isfinite(numbers), numbers, 1.0) - changed if numbers else None
    rows = [Recorded(tensor, np.array(numbers), 0, before), Recorded(healthy, now, 1, now - changed)]
    watchpoint = make_watchpoint(condition.id, {name: SETTINGS[name] for name in SETTINGS if condition.parameter(name)})
    found = evaluate_watchpoints(source_of({1: rows}, has_arrays=True), [watchpoint])
    want = Problem.NO_VALUE if not numbers else Problem(0)
    want |= Problem.NAN if any(map(math.isnan, numbers)) else Problem(0)
    want |= Problem.INFINITY if any(map(math.isinf, numbers)) else Problem(0)
    of_tensor = [each for each in found.unevaluated if each.first_tensor == 0]
    assert [(each.problem, each.count) for each in of_tensor] == ([(want, 1)] if want else [])
    if want:
        assert {hit.tensor for hit in found.hits} <= {1}
    assert 1 in {hit.tensor for hit in found.hits}


@given(st.lists(st.booleans(), min_size=1, max_size=6))
def test_an_operator_overflows_where_the_device_recorded_it(overflows: list[bool]) -> None:
    """Data without a record are quiet, and have a code if they are asked by name."""
    rows = []
    for order in range(len(overflows)):
        entering = DebugTensor(f"fc{order}", "Linear", Phase.FORWARD, Role.INPUT, "0", dtype="float32")
        rows += [Recorded(entering, np.ones(2), order), Recorded(output(f"fc{order}"), np.ones(2), order)]
    source = source_of({3: rows, 4: rows})
    recorded = [Overflow("", order, "AI Core", 0, order) for order, is_bad in enumerate(overflows) if is_bad]
    source.recorded_overflows = {(3, 0): [*recorded, Overflow("", -1, "AI Core", 9, 9)]}
    watchpoints = [make_watchpoint("OO", {}), make_watchpoint("overflowing_operators", {})]
    found = evaluate_watchpoints(source, watchpoints)
    names = [f"fc{order}" for order, is_bad in enumerate(overflows) if is_bad]
    for number in range(2):
        hits = [hit for hit in found.hits if hit.watchpoint == number]
        assert [(hit.step, source.tensors[hit.tensor].module) for hit in hits] == [(3, name) for name in names]
        assert {source.tensors[hit.tensor].role for hit in hits} <= {Role.OUTPUT}
    unknown = [(each.watchpoint, each.problem, each.missing) for each in found.unevaluated]
    assert unknown == [(0, Problem.NOT_RECORDED, ("operator_overflow",))]


def test_what_can_not_be_evaluated_names_what_is_missing() -> None:
    rows = [Recorded(parameter("fc"), np.arange(-4.0, 5))]
    source = without(source_of({2: rows, 3: rows}, digests=False), [Field.SUM_ABS])
    watchpoints = [
        make_watchpoint("WL", {"abs_mean_gt": 1, "max_gt": 3}),
        make_watchpoint("WCL", {}),
        make_watchpoint("TR", {"range_start_inclusive": 0.5, "range_end_inclusive": 2, "range_percentage_gt": 30}),
        make_watchpoint("OO", {}),
        make_watchpoint("TL", {"max_gt": 1}, ["nothing.*"]),
    ]
    found = evaluate_watchpoints(source, watchpoints)
    assert {(hit.watchpoint, hit.parameter) for hit in found.hits} == {(0, "max_gt")}
    assert [(each.watchpoint, each.problem, each.missing, each.count) for each in found.unevaluated] == [
        (0, Problem.NOT_RECORDED, ("sum_abs", "count"), 2),
        (1, Problem.NO_EARLIER_VALUE, (), 1),
        (2, Problem.WHOLE_TENSOR_NEEDED, ("tensor",), 2),
        (3, Problem.NOT_RECORDED, ("operator_overflow",), 2),
        (1, Problem.WHOLE_TENSOR_NEEDED, ("mean_abs_update", "mean_abs_before", "tensor"), 1),
    ]
    assert found.unmatched == (4,)


def test_all_17_conditions_are_there_with_ids_and_abbreviations() -> None:
    abbreviations = "WI WO WL WS WNC WCL WCS GV GL GE AR TO OO TL TS TZ TR".split()
    assert [each.abbreviation for each in CONDITIONS.values()] == abbreviations
    assert CONDITIONS["weight_not_changed"].defaults == {"rtol": 1e-5, "atol": 1e-8}
    assert CONDITIONS["weight_change_too_small"].defaults == {"abs_mean_update_ratio_lt": 1e-4, "epsilon": 1e-9}
