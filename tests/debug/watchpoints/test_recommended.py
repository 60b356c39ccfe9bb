# SPDX-License-Identifier: Apache-2.0
"""Recommended watchpoints: what they find, and what of healthy trainings they leave out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mindscope.debug.model.tensors import DebugTensor, Phase, Role
from mindscope.debug.watchpoints import evaluate_watchpoints, parse_watchpoint, recommended_watchpoints
from tests.debug.made_sources import Recorded, gradient, output, parameter, source_of

MATRIX = {"shape": (2, 2)}
ONES, ZEROS = np.ones((2, 2), np.float32), np.zeros((2, 2), np.float32)


def found(steps: dict[int, list[Recorded]]) -> list[tuple[int, str]]:
    result = evaluate_watchpoints(source_of(steps), recommended_watchpoints())
    return [(hit.step, result.watchpoints[hit.watchpoint].condition.abbreviation) for hit in result.hits]


def step(weight: np.ndarray, before: np.ndarray, grad: np.ndarray, *more: Recorded) -> list[Recorded]:
    return [Recorded(parameter("fc", **MATRIX), weight, 0, before), *more, Recorded(gradient("fc", **MATRIX), grad, 9)]


def test_zero_weights_that_learn_nothing_are_found() -> None:
    assert found({1: step(ZEROS, ZEROS, ZEROS)}) == [(1, "WI")]
    assert found({1: step(ZEROS, ZEROS, ONES)}) == []
    assert found({1: [Recorded(parameter("fc", "bias", shape=(2,)), np.zeros(2), 0)]}) == []


def test_a_weight_that_changes_by_more_than_its_size_is_found_unless_it_began_at_zero() -> None:
    assert found({5: step(3 * ONES, ONES, ONES)}) == [(5, "WCL")]
    assert found({1: step(ONES, ZEROS, ONES), 2: step(3 * ONES, ONES, ONES)}) == []


def test_a_weight_that_is_not_in_the_optimizer_is_found() -> None:
    moving = parameter("other", **MATRIX)
    kept = {n: [*step(ONES, ONES, ONES), Recorded(moving, ONES * n, 1, ONES * (n - 0.1))] for n in range(1, 5)}
    assert found(kept) == [(3, "WNC"), (4, "WNC")]
    assert found({n: step(ONES, ONES, ONES) for n in range(1, 5)}) == []  # no weight changes: a learning rate of 0
    frozen = {n: [rows[0], rows[2]] for n, rows in kept.items()}  # has no gradient
    assert found(frozen) == []


def left_out(weight: float, grad: float, dtype: str = "float32", others: float = 1.0) -> list[tuple[int, str]]:
    """Hits of a weight that never changes, beside another that changes by a hundredth of its gradient."""
    facts = {**MATRIX, "dtype": dtype}
    kept, moving = parameter("fc", **facts), parameter("other", **facts)
    return found(
        {
            n: [
                Recorded(kept, ONES * weight, 0, ONES * weight),
                Recorded(moving, ONES * others * (1 - n / 100), 0, ONES * others * (1 - (n - 1) / 100)),
                Recorded(gradient("fc", **facts), ONES * grad, 9),
                Recorded(gradient("other", **facts), ONES * others, 9),
            ]
            for n in range(1, 4)
        }
    )  # fmt: skip


def test_a_weight_whose_gradient_is_a_rounding_error_is_quiet() -> None:
    assert left_out(0.1, 1e-3) == [(3, "WNC")]
    assert left_out(0.1, 2e-8) == []  # a bias before a normalization, or of a key
    assert left_out(0.0, 2e-8) == []  # any update changes zero, so that an optimizer does not have it; but it is noise
    assert left_out(0.0, 1e-3) == [(3, "WNC")]
    assert left_out(0.1, 1e-2, "bfloat16") == []
    assert left_out(0.1, 0.5, "bfloat16") == [(3, "WNC")]


def test_a_weight_whose_update_rounds_to_nothing_is_quiet_unless_its_dtype_is_too_coarse() -> None:
    assert left_out(1.0, 1e-8, others=1e-8) == []  # converged: the gradients of all are rounding errors
    assert left_out(1.0, 1e-8, "float64", others=1e-8) == [(3, "WNC")]
    assert left_out(1.0, 1e-2, "bfloat16", others=1e-2) == [
        (3, "WNC")
    ]  # does not learn: updates of 1e-4 round to nothing
    assert left_out(1.0, 1e-2, others=1e-2) == [(3, "WNC")]


def test_a_gradient_vanishes_beside_others_only() -> None:
    small = Recorded(gradient("deep", **MATRIX), ONES * 1e-12, 8)
    assert found({n: step(ONES * n, ONES * (n - 0.1), ONES, small) for n in range(1, 4)}) == [(3, "GV")]
    converged = {n: step(ONES * n, ONES * (n - 0.1), ONES * 1e-11, small) for n in range(1, 4)}
    assert found(converged) == []


@pytest.mark.parametrize(("slot", "shape", "hits"), [
    ("weight", (1, 4, 1, 1), [(3, "GV")]),  # a kernel with one output
    ("weight", (1, 4), [(3, "GV")]),
    ("kernel", (2, 2, 1, 1), [(3, "GV")]),
    ("shift", (1, 4, 1, 1), []),  # before a normalization, which takes it away
    ("bias", (1, 4), []),
    ("shift", (4,), []),
])  # fmt: skip
def test_a_gradient_of_a_bias_of_any_shape_is_quiet(
    slot: str, shape: tuple[int, ...], hits: list[tuple[int, str]]
) -> None:
    small = Recorded(gradient("deep", slot, shape=shape), np.full(shape, 1e-12, np.float32), 8)
    assert found({n: step(ONES * n, ONES * (n - 0.1), ONES, small) for n in range(1, 4)}) == hits


def test_infinity_in_a_mask_is_quiet_and_in_the_loss_is_found() -> None:
    masked = Recorded(output("attention", "aten::masked_fill"), np.array([1.0, -np.inf]), 2)
    loss = Recorded(output("", "aten::nll_loss"), np.array(0.5), 4)
    bad = Recorded(output("", "aten::nll_loss"), np.array(np.nan), 4)
    assert found({1: step(ONES, ONES * 0.9, ONES, masked, loss)}) == []
    assert found({1: step(ONES, ONES * 0.9, ONES, masked, bad)}) == [(1, "TO")]


def overflows(steps: dict[Any, list[Recorded]]) -> tuple[list[tuple[int, int, str]], int]:
    """Hits of NaN and infinity by step, rank and operator, and how many follow from them."""
    result = evaluate_watchpoints(source_of(steps), [parse_watchpoint("overflow")])
    hits = [(hit.step, hit.rank, result.tensors[hit.tensor].operator) for hit in result.hits]
    return hits, sum(result.consequences.values())


def test_what_follows_from_the_first_bad_number_is_folded_under_it() -> None:
    def rows(value: float, mask: float = -np.inf) -> list[Recorded]:
        masked = Recorded(output("attention", "aten::masked_fill"), np.array([1.0, mask]), 1)
        log, head = (Recorded(output(name, "aten::log"), np.array([0.5, value + n]), n)
                     for n, name in ((2, "log"), (3, "head")))  # fmt: skip
        loss = Recorded(output("", "aten::nll_loss"), np.array(value), 4)
        return [masked, log, head, loss]

    bad = rows(np.nan)
    assert overflows({1: rows(1.0), 2: bad, 3: bad, 4: bad}) == ([(2, 0, "log/aten::log")], 11)
    good = rows(1.0)
    assert overflows({1: good}) == ([], 0)
    # a step without damage ends it: the next one has a reason of its own
    assert overflows({1: good, 2: bad, 3: good, 4: bad}) == ([(2, 0, "log/aten::log"), (4, 0, "log/aten::log")], 6)
    both = {(1, 0): good, (1, 1): good, (2, 0): good, (2, 1): bad, (3, 0): bad, (3, 1): bad}
    assert overflows(both)[0] == [(2, 1, "log/aten::log"), (3, 0, "log/aten::log")]
    # watchpoints that users write list what they name
    result = evaluate_watchpoints(source_of({1: bad}), [parse_watchpoint("tensor_overflow")])
    assert (len(result.hits), dict(result.consequences)) == (4, {})
    limited = evaluate_watchpoints(source_of({1: bad}), [parse_watchpoint("overflow @ head")])
    assert [limited.tensors[hit.tensor].operator for hit in limited.hits] == ["head/aten::log"]


def test_gradients_that_overflow_are_quiet_if_the_scaler_skips_the_step() -> None:
    infinite = ONES * np.inf
    assert found({1: step(ONES, ONES, infinite)}) == []
    assert found({1: step(ONES, ONES * 0.9, infinite)}) == [(1, "TO")]


def test_a_dead_activation_is_found_where_it_begins() -> None:
    def rows(n: int, slot: np.ndarray) -> list[Recorded]:
        entering = DebugTensor("act", "ReLU", Phase.FORWARD, Role.INPUT, "0", dtype="float32")
        after = DebugTensor("fc2", "Linear", Phase.FORWARD, Role.INPUT, "0", dtype="float32")
        return [
            Recorded(entering, -ONES * n, 1), Recorded(output("act", "ReLU"), slot, 1),
            Recorded(after, slot, 2), Recorded(output("fc2", "Linear"), slot, 2),
        ]  # fmt: skip

    assert found({n: rows(n, ZEROS) for n in range(1, 4)}) == [(3, "TZ"), (3, "AR")]
    assert found({n: rows(n, np.eye(2)) for n in range(1, 4)}) == []
    assert found({n: rows(n, ZEROS if n % 3 else ONES) for n in range(1, 9)}) == []
