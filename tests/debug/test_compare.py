# SPDX-License-Identifier: Apache-2.0
"""Where two trainings part, with differences planted at a known step and operator."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindscope.debug.compare import Comparison, DivergenceCause, compare_sources, match_tensors, operator_table
from mindscope.debug.compare.names import alike_type, plain_path
from mindscope.debug.compare.statistic_error import joined_statistics, statistic_errors, tolerance_of
from mindscope.debug.model.array_statistics import array_statistics
from mindscope.debug.model.loaded import LoadedSource
from mindscope.debug.model.tensors import DebugTensor, Phase, Role
from mindscope.errors import DebugDataError
from tests.debug.made_sources import Recorded, gradient, output, parameter, source_of

NAMES = ("fc1", "act", "fc2")
TYPES = ("Linear", "ReLU", "Linear")


def training(
    steps: int = 5,
    *,
    differs: tuple[int, str] | None = None,
    batch: int | None = None,
    weights: int | None = None,
    error: float = 1e-2,
    noise: float = 0.0,
    names: tuple[str, ...] = NAMES,
    types: tuple[str, ...] = TYPES,
    prefix: str = "",
    digests: bool = True,
) -> LoadedSource:
    """Steps of three modules; from one step and module on, outputs differ by a relative error."""
    recorded = {}
    rng = np.random.default_rng(7)
    for step in range(1, steps + 1):
        value = np.linspace(-1, 2, 24, dtype=np.float32).reshape(4, 6) * step
        value = value * (1 + error) if batch == step else value
        matrix = np.eye(6, dtype=np.float32) * (1 + error if weights == step else 1)
        rows = [Recorded(parameter(prefix + names[0], shape=(6, 6)), matrix, 0)]
        for place, (name, kind) in enumerate(zip(names, types, strict=True), start=1):
            facts = {"dtype": "float32", "shape": value.shape, "phase": Phase.FORWARD}
            rows.append(Recorded(DebugTensor(prefix + name, kind, role=Role.INPUT, slot="0", **facts), value, place))
            value = value * np.float32(0.9)
            value = value * (1 + noise * rng.normal(size=value.shape).astype(np.float32))
            if differs == (step, name):
                value = value * np.float32(1 + error)
            rows.append(Recorded(DebugTensor(prefix + name, kind, role=Role.OUTPUT, slot="0", **facts), value, place))
        recorded[step] = rows
    return source_of(recorded, digests=digests)


@given(st.integers(1, 5), st.sampled_from(NAMES))
def test_the_planted_step_and_operator_are_found(step: int, name: str) -> None:
    found = compare_sources(training(noise=1e-7), training(differs=(step, name)))
    assert found.first is not None
    assert (found.cause, found.first.step) == (DivergenceCause.OPERATOR, step)
    assert found.first.left.startswith(f"{name}/")
    assert math.isclose(found.first.added, 1e-2, rel_tol=0.02)
    assert found.first.inherited < 1e-6
    assert found.matching.text == "100 % of 4 operators matched"
    json.dumps(found.to_json(), allow_nan=False)


@given(st.integers(-40, 40), st.integers(2, 5))
def test_steps_that_count_from_another_number_are_aligned(offset: int, fault: int) -> None:
    other = training(differs=(fault, "act"))
    other = LoadedSource(other.tensors, [replace(each, step=each.step + offset) for each in other.recorded], "made")
    found = compare_sources(training(), other)
    assert found.first is not None
    assert (found.first.left, found.first.step, found.first.other_step) == ("act/ReLU", fault, fault + offset)
    assert ("because their tensors agree in the first steps" in found.text) == (offset != 0)
    assert found.to_json()["step_offset"] == offset
    given = compare_sources(training(), other, step_offset=offset)
    assert given.first == found.first
    assert "because" not in given.text


def test_equal_steps_are_not_aligned_with_others_to_hide_a_fault() -> None:
    found = compare_sources(training(), training(differs=(1, "fc1")))
    assert (found.matching.step_offset.steps, found.first and found.first.step) == (0, 1)
    assert compare_sources(training(batch=1), training()).cause is DivergenceCause.BATCH


def test_too_few_matching_operators_are_no_result() -> None:
    found = compare_sources(training(), training(names=("x", "y", "z"), types=("A", "B", "C")))
    assert (found.cause, found.is_comparable, found.to_json()["is_comparable"]) == (DivergenceCause.NONE, False, False)
    assert found.text.startswith("The trainings can't be compared: too few of their operators match. 25 % of 4")
    assert "Nothing differs" not in found.text
    part = source_of({1: [Recorded(output("fc1", dtype="float32", shape=(2,)), np.ones(2))]})
    whole = source_of({1: [Recorded(output(f"fc{place}", dtype="float32", shape=(2,)), np.ones(2), place)
                           for place in range(1, 99)]})  # fmt: skip
    assert compare_sources(part, whole).is_comparable  # all of what the one has


def test_later_operators_inherit_the_error() -> None:
    rows = {each.left: each for each in operator_table(training(), training(differs=(2, "fc1")), 2)}
    assert rows["fc1/Linear"].added > 9e-3
    assert rows["fc2/Linear"].inherited > 9e-3
    assert rows["fc2/Linear"].added < 1e-6


def test_a_step_that_differs_between_equal_ones_is_found() -> None:
    """A binary search would look at later steps, find them equal, and miss it."""
    found = compare_sources(training(40), training(40, differs=(3, "act")))
    assert found.first is not None
    assert (found.first.step, found.steps_compared) == (3, 3)


def test_batches_and_parameters_that_differ_are_said_first() -> None:
    batch = compare_sources(training(), training(batch=4))
    assert (batch.cause, batch.first and batch.first.left) == (DivergenceCause.BATCH, "fc1/Linear")
    assert "The input batch of step 4 differs already: " in batch.text
    weights = compare_sources(training(), training(weights=2, differs=(2, "fc1")))
    assert (weights.cause, weights.first and weights.first.left) == (DivergenceCause.PARAMETERS, "fc1.weight")


def test_a_parameter_that_differs_is_named_where_only_modules_were_recorded() -> None:
    """Their parameters are recorded as the optimizer leaves them, with the mean |x| from before."""

    def modules(bias: float) -> LoadedSource:
        entering = DebugTensor("router", "Linear", Phase.FORWARD, Role.INPUT, "0", dtype="float32")
        updated = DebugTensor("router", "Linear", Phase.OPTIMIZER, Role.PARAMETER, "bias", dtype="float32")
        before = np.full(3, bias)
        rows = [Recorded(entering, np.ones(3), 1), Recorded(output("router", dtype="float32"), np.ones(3) + bias, 1)]
        return source_of({1: [*rows, Recorded(updated, before * 0.9, 2, before)]})

    found = compare_sources(modules(0.1), modules(-1e4))
    assert (found.cause, found.first and found.first.left) == (DivergenceCause.PARAMETERS, "router.bias")
    assert "The parameters of step 1 differ before the forward pass uses them: router.bias." in found.text
    assert compare_sources(modules(0.1), modules(0.1)).cause is DivergenceCause.NONE


def test_nothing_differs_within_the_tolerance_and_bytes_are_reported() -> None:
    same = compare_sources(training(), training())
    assert (same.cause, same.first, same.bitwise) == (DivergenceCause.NONE, None, None)
    noisy = compare_sources(training(), training(differs=(3, "act"), error=1e-6))
    assert noisy.cause is DivergenceCause.NONE
    assert noisy.bitwise is not None
    assert (noisy.bitwise.step, noisy.bitwise.left, noisy.bitwise.tensor) == (3, "act/ReLU", "output 0")
    strict = compare_sources(training(), training(differs=(3, "act"), error=1e-6), tolerance=1e-8)
    assert strict.cause is DivergenceCause.OPERATOR


def test_an_update_with_equal_gradients_is_the_first_difference() -> None:
    def step(after: float) -> LoadedSource:
        updated = DebugTensor("fc", "Linear", Phase.OPTIMIZER, Role.PARAMETER, "weight", dtype="float32")
        rows = [Recorded(output("fc"), np.ones(3), 1), Recorded(gradient("fc"), np.ones(3), 2)]
        return source_of({1: [*rows, Recorded(updated, np.full(3, after), 3)]})

    found = compare_sources(step(0.9), step(0.8))
    assert found.first is not None
    assert (found.cause, found.first.left, found.first.phase) == (DivergenceCause.OPERATOR, "fc.weight", "optimizer")


def test_of_nested_modules_the_smallest_is_named() -> None:
    def network(value: float) -> LoadedSource:
        rows = []
        for order, name in enumerate(["", "block", "block.fc"]):
            rows.append(Recorded(DebugTensor(name, "Module", Phase.FORWARD, Role.INPUT, "0"), np.ones(3), order))
            rows.append(
                Recorded(DebugTensor(name, "Module", Phase.FORWARD, Role.OUTPUT, "0"), np.full(3, value), order)
            )
        return source_of({1: rows})

    found = compare_sources(network(1.0), network(1.5))
    assert found.first is not None
    assert found.first.left == "block.fc/Module"


def test_two_frameworks_match_by_plain_paths_and_types() -> None:
    mindspore = training(prefix="Default/network-Net/", types=("Dense", "ReLU", "Dense"),
                         names=("fc1-Dense", "act-ReLU", "fc2-Dense"))  # fmt: skip
    torch = training(differs=(2, "fc2"), prefix="module.")
    found = compare_sources(torch, mindspore)
    assert found.first is not None
    assert (found.first.left, found.first.right) == ("module.fc2/Linear", "Default/network-Net/fc2-Dense/Dense")
    assert found.matching.coverage == 1


def test_renamed_operators_are_aligned_by_their_sequence_or_matched_by_hand() -> None:
    left, right = training(names=("a", "b", "c")), training(names=("x", "y", "z"), differs=(2, "y"))
    found = compare_sources(left, right)
    assert found.first is not None
    assert (found.first.left, found.first.right) == ("b/ReLU", "y/ReLU")
    by_hand = match_tensors(left, right, {"a/Linear": "z/Linear"})
    names = {left.tensors[one].operator: right.tensors[other].operator
             for one, other in zip(by_hand.left.tolist(), by_hand.right.tolist(), strict=True)
             if left.tensors[one].role is Role.OUTPUT}  # fmt: skip
    assert names["a/Linear"] == "z/Linear"
    with pytest.raises(DebugDataError, match="operator 'q' is not in the right training"):
        match_tensors(left, right, {"a/Linear": "q"})


def test_an_inserted_operator_lowers_the_coverage_only() -> None:
    more = training(names=("fc1", "extra", "act", "fc2"), types=("Linear", "Dropout", "ReLU", "Linear"))
    found = match_tensors(training(), more)
    assert found.unmatched == ((), ("extra/Dropout",))
    assert found.text == "80 % of 5 operators matched"


@pytest.mark.parametrize("is_swapped", [False, True])
def test_fused_weights_match_by_the_sum_of_their_shapes(is_swapped: bool) -> None:
    rng = np.random.default_rng(0)
    parts = [rng.normal(size=(4, 6)) for _ in range(3)]

    def sources(changed: float) -> list[LoadedSource]:
        split = [Recorded(parameter(f"attention.{name}_proj", shape=(4, 6)), part, order)
                 for order, (name, part) in enumerate(zip("qkv", parts, strict=True))]  # fmt: skip
        whole = parameter("attention", "in_proj_weight", shape=(12, 6))
        found = [source_of({1: split}), source_of({1: [Recorded(whole, np.concatenate(parts) * changed, 0)]})]
        return found[::-1] if is_swapped else found

    same, other = compare_sources(*sources(1.0)), compare_sources(*sources(1.1))
    assert same.cause is DivergenceCause.NONE
    assert same.matching.coverage == 1
    assert len(same.matching.fused) == 1
    assert other.cause is DivergenceCause.PARAMETERS


def test_ranks_match_and_trainings_without_common_steps_are_refused() -> None:
    left, right = training(2), source_of({(8, 3): [Recorded(output("fc1"), np.ones(2))]})
    with pytest.raises(
        DebugDataError, match="no common step: the left one has steps 1 to 2, the right one steps 8 to 8"
    ):
        compare_sources(left, right)


def test_the_error_of_a_step_stays_infinite_while_one_training_is_nan() -> None:
    def modules(values: list[float]) -> LoadedSource:
        batch = DebugTensor("fc", "Linear", Phase.FORWARD, Role.INPUT, "0", dtype="float32")
        rows = {n: [Recorded(batch, np.ones(3), 1), Recorded(output("fc", dtype="float32"), np.full(3, value), 1)]
                for n, value in enumerate(values, start=1)}  # fmt: skip
        return source_of(rows)

    comparison = Comparison(modules([1, 1, math.nan, math.nan]), modules([1, 1.1, 1, 1]))
    while not comparison.is_over:
        comparison.read_next()
    errors = [each.error for each in comparison.differences]
    assert errors[0] == 0 < errors[1] < 1
    assert errors[2:] == [math.inf, math.inf]


@given(st.lists(st.floats(-9, 9, width=32), min_size=1, max_size=20), st.floats(1.001, 2))
def test_errors_of_statistics_are_those_of_a_plain_loop(numbers: list[float], factor: float) -> None:
    one, other = np.array(numbers), np.array(numbers) * factor
    found = statistic_errors(array_statistics(one)[None], array_statistics(other)[None])[0]
    if not np.any(one):
        assert found == 0
        return
    assert math.isclose(found, 1 - 1 / factor, rel_tol=1e-3)


def test_counts_dtypes_and_joined_statistics() -> None:
    rows = [array_statistics(np.array(each)) for each in ([1.0, 2.0], [1.0, math.nan], [1.0, 2.0, 3.0], [1.0, 2.0])]
    errors = statistic_errors(np.stack([rows[0]] * 3), np.stack(rows[1:]))
    assert errors.tolist() == [math.inf, math.inf, 0]
    assert tolerance_of("int64", "int64") == 0
    assert tolerance_of("float32", "bfloat16") == tolerance_of("bfloat16", "bfloat16")
    joined = joined_statistics(np.stack([rows[0], rows[2]]))
    np.testing.assert_array_equal(joined, array_statistics(np.array([1.0, 2.0, 1.0, 2.0, 3.0])))


def test_names_without_wrappers_and_frameworks() -> None:
    assert plain_path("Default/network-WithLossCell/_backbone-LeNet5/conv1-Conv2d") == "conv1"
    assert plain_path("module._orig_mod.encoder.0") == "encoder.0"
    assert alike_type("aten::addmm") == alike_type("Dense") == alike_type("Linear")
    assert alike_type("Functional.relu") == alike_type("Aten.relu_.default") == "relu"  # as msprobe writes them
