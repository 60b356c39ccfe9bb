# SPDX-License-Identifier: Apache-2.0
"""The first bad number, found in made steps whose origin is known."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindscope.debug.first_bad import (
    Cause,
    FirstBad,
    FirstBadSearch,
    OperatorKind,
    UnfinishedStep,
    find_first_bad,
    unfinished_step,
)
from mindscope.debug.first_bad.growth import fit_growth
from mindscope.debug.model.tensors import DebugTensor, Phase, Role
from tests.debug.made_sources import Recorded, gradient, output, parameter, source_of

GOOD = np.array([1.0, -2.0, 3.0], np.float32)
BAD = np.array([1.0, math.nan, 3.0], np.float32)


def marked(array: np.ndarray, mark: int) -> np.ndarray:
    """An array with other bytes and counts as before."""
    return np.concatenate([array, np.full(mark, 7.0, np.float32)])


class Step:
    """Operators one after the other: each gets the outputs of those that it names."""

    def __init__(self) -> None:
        self.rows: list[Recorded] = []
        self.order = 0
        self.made: dict[str, np.ndarray] = {}

    def run(
        self,
        name: str,
        given: Sequence[np.ndarray | str],
        result: np.ndarray,
        kind: str = "aten::mul",
        phase: Phase = Phase.FORWARD,
        stack: Sequence[str] = (),
    ) -> Step:
        self.order += 1
        facts = {"phase": phase, "dtype": "float32", "stack": tuple(stack)}
        for slot, each in enumerate(given):
            array = self.made[each] if isinstance(each, str) else each
            tensor = DebugTensor(name, kind, role=Role.INPUT, slot=str(slot), **facts)
            self.rows.append(Recorded(tensor, array, self.order))
        self.made[name] = marked(result, self.order)
        self.rows.append(
            Recorded(DebugTensor(name, kind, role=Role.OUTPUT, slot="0", **facts), self.made[name], self.order)
        )
        return self

    def parameter(self, module: str, array: np.ndarray, phase: Phase, **facts: object) -> Step:
        self.order += 1
        tensor = dataclasses.replace(parameter(module), phase=phase)
        self.rows.append(Recorded(tensor, array, self.order, facts.get("before")))
        return self

    def gradient(self, module: str, array: np.ndarray) -> Step:
        self.order += 1
        self.rows.append(Recorded(gradient(module), array, self.order))
        return self


def chain(bad_at: int, modules: str = "abcd", **facts: object) -> Step:
    """Operators in a row; from one on all outputs are NaN."""
    step = Step()
    for place, name in enumerate(modules):
        given = [modules[place - 1]] if place else [GOOD]
        step.run(name, given, BAD if place >= bad_at else GOOD, **facts)
    return step


def first(*steps: Step, digests: bool = True) -> FirstBad | None:
    return find_first_bad(source_of({n: step.rows for n, step in enumerate(steps, start=1)}, digests=digests))


@given(st.integers(1, 6), st.integers(0, 5), st.booleans())
def test_the_planted_operator_and_step_are_found(bad_step: int, bad_at: int, digests: bool) -> None:
    steps = [chain(bad_at if n >= bad_step else 99, "abcdef") for n in range(1, 8)]
    found = first(*steps, digests=digests)
    assert found is not None
    assert (found.cause, found.step, found.operator) == (Cause.OPERATOR, bad_step, f"{'abcdef'[bad_at]}/aten::mul")
    assert found.chain == tuple(f"{name}/aten::mul" for name in "abcdef"[bad_at:])
    assert dict(found.counts)["nan"] == 1


@pytest.mark.parametrize("digests", [True, False])
def test_a_mask_that_a_softmax_takes_away_is_not_the_origin(digests: bool) -> None:
    def masked(loss: np.ndarray) -> Step:
        step = Step().run("scores", [GOOD], GOOD).run("mask", ["scores"], GOOD - np.array([0, math.inf, 0]))
        return step.run("softmax", ["mask"], GOOD).run("log", ["softmax"], loss).run("", ["log"], loss)

    assert first(masked(GOOD), masked(GOOD), digests=digests) is None
    found = first(masked(BAD), digests=digests)
    assert found is not None
    assert found.operator == "log/aten::mul"
    later = first(masked(GOOD), masked(BAD), digests=digests)
    assert later is not None
    assert (later.step, later.operator, later.chain) == (2, "log/aten::mul", ("log/aten::mul", "aten::mul"))


def test_nan_of_the_batch_and_of_parameters_are_said_to_be_so() -> None:
    batch = first(Step().run("a", [BAD], BAD).run("b", ["a"], BAD))
    assert batch is not None
    assert (batch.cause, batch.operator, batch.tensor_name) == (
        Cause.BATCH, "a/aten::mul", "input 0 of a/aten::mul"
    )  # fmt: skip
    assert "The batch of step 1 has NaN in 1 of 3 elements" in batch.text
    step = Step().parameter("b", BAD, Phase.FORWARD)
    step.run("a", [GOOD], GOOD, "Linear").run("b", ["a"], BAD, "Linear").run("c", ["b"], BAD, "Linear")
    weights = first(step)
    assert weights is not None
    assert (weights.cause, weights.tensor_name, weights.operator) == (Cause.PARAMETERS, "b.weight", "b/Linear")


def test_backward_optimizer_and_loss_alone() -> None:
    forward = chain(99)
    forward.run("d", [GOOD], GOOD, "aten::mul", Phase.BACKWARD).run("c", ["d"], BAD, "aten::sqrt", Phase.BACKWARD)
    backward = first(forward.run("b", ["c"], BAD, "aten::mul", Phase.BACKWARD).gradient("a", BAD))
    assert backward is not None
    assert (backward.phase, backward.operator) == ("backward", "c/aten::sqrt")
    assert backward.chain[-1] == "gradient of a.weight"

    step = chain(99).gradient("a", GOOD).parameter("a", BAD, Phase.OPTIMIZER, before=GOOD)
    optimizer = first(step)
    assert optimizer is not None
    assert (optimizer.phase, optimizer.operator) == ("optimizer", "update of a.weight")

    loss = first(chain(3).gradient("a", BAD))
    assert loss is not None
    assert loss.operator == "d/aten::mul"


def test_gradients_without_backward_operators_begin_at_the_last_module() -> None:
    step = chain(99, "abc", kind="Linear").gradient("a", BAD).gradient("b", BAD).gradient("c", GOOD)
    found = first(step)
    assert found is not None
    assert found.operator == "gradient of b.weight"
    assert found.chain == ("gradient of b.weight", "gradient of a.weight") or found.chain == ("gradient of b.weight",)


def test_the_loss_is_named_if_only_its_gradient_is_bad() -> None:
    step = chain(99, "ab", kind="Linear")
    step.run("b", [marked(BAD, 9)], BAD, "Linear", Phase.BACKWARD).gradient("b", BAD)
    found = first(step)
    assert found is not None
    assert (found.cause, found.before) == (Cause.LOSS, "b/Linear")


@pytest.mark.parametrize("enters_first", [True, False])
def test_of_nested_modules_the_smallest_is_named(enters_first: bool) -> None:
    """Recorders number a module when it begins, or when it ends."""
    names = ["", "net", "net.block", "net.block.fc"]
    rows = []
    for depth, name in enumerate(names):
        order = depth if enters_first else len(names) - depth
        rows += [
            Recorded(DebugTensor(name, "Module", Phase.FORWARD, Role.INPUT, "0"), GOOD, order),
            Recorded(DebugTensor(name, "Module", Phase.FORWARD, Role.OUTPUT, "0"), BAD, order),
        ]
    for digests in (True, False):
        found = find_first_bad(source_of({1: rows}, digests=digests))
        assert found is not None
        assert (found.operator, found.is_module) == ("net.block.fc/Module", True)
    assert "Only modules were recorded" in found.text


def test_an_operator_between_modules_is_placed_in_the_module_around_it() -> None:
    rows = [
        Recorded(DebugTensor("net", "Net", Phase.FORWARD, Role.INPUT, "0"), GOOD, 0),
        Recorded(DebugTensor("net.a", "Linear", Phase.FORWARD, Role.INPUT, "0"), GOOD, 1),
        Recorded(output("net.a"), marked(GOOD, 1), 1),
        Recorded(DebugTensor("net.b", "Linear", Phase.FORWARD, Role.INPUT, "0"), BAD, 2),
        Recorded(output("net.b"), marked(BAD, 2), 2),
        Recorded(output("net", "Net"), marked(BAD, 2), 0),
    ]
    found = find_first_bad(source_of({1: rows}))
    assert found is not None
    assert (found.cause, found.operator, found.before) == (Cause.UNRECORDED, "net/Net", "net.b/Linear")


def test_an_operator_that_changed_its_input_in_place_is_the_origin() -> None:
    step = Step().run("a", [GOOD], GOOD)
    step.run("b", [marked(BAD, 2)], BAD, "aten::log_").run("c", ["b"], BAD)
    found = first(step)
    assert found is not None
    assert (found.cause, found.operator) == (Cause.OPERATOR, "b/aten::log_")


MASK = GOOD - np.array([0, math.inf, 0], np.float32)


@pytest.mark.parametrize("digests", [True, False])
def test_a_buffer_that_was_bad_before_is_named_with_its_first_step(digests: bool) -> None:
    def sliced(buffer: np.ndarray, result: np.ndarray) -> Step:
        return Step().run("fc", [GOOD], GOOD).run("pos", [buffer], result).run("", ["pos"], result)

    clean, dirty = sliced(GOOD, GOOD), sliced(BAD, GOOD)
    found = first(clean, dirty, dirty, sliced(BAD, BAD), digests=digests)
    assert found is not None
    assert (found.cause, found.step, found.since, found.made_by) == (Cause.BUFFER, 4, 2, "")
    assert found.text.startswith(
        "In step 4, input 0 of pos/aten::mul has NaN in 1 of 3 elements since step 2, made by no recorded operator; "
        "pos/aten::mul uses it first."
    )
    assert found.chain == ("pos/aten::mul", "aten::mul")
    again = first(dirty, clean, dirty, sliced(BAD, BAD), digests=digests)
    assert again is not None
    assert again.since == 3  # finite in step 2
    at_once = first(clean, sliced(BAD, BAD), digests=digests)
    assert at_once is not None
    assert (at_once.cause, at_once.since) == (Cause.BUFFER, 2)
    assert "since" not in at_once.text


def test_an_operator_that_wrote_a_buffer_in_an_earlier_step_is_named() -> None:
    def step(result: np.ndarray, *, writes: bool) -> Step:
        made = Step().run("fc", [GOOD], GOOD)
        if writes:
            made.run("", [np.array(math.nan)], BAD, "aten::fill_", stack=["/train/net.py:7 step: pos.fill_(nan)"])
        return made.run("pos", [BAD], result).run("", ["pos"], result)

    found = first(step(GOOD, writes=True), step(BAD, writes=False))
    assert found is not None
    assert (found.cause, found.since) == (Cause.BUFFER, 1)
    assert "since step 1, made there by aten::fill_ at /train/net.py:7 step" in found.text
    constant = first(step(BAD, writes=True))
    assert constant is not None
    assert (constant.cause, constant.tensor_name) == (Cause.BUFFER, "input 0 of aten::fill_")


def test_nan_made_of_a_mask_is_not_said_to_come_of_finite_inputs() -> None:
    def masked(result: np.ndarray) -> Step:
        step = Step().run("scores", [GOOD], GOOD).run("mask", ["scores"], MASK)
        return step.run("softmax", ["mask"], result).run("", ["softmax"], result)

    found = first(masked(GOOD), masked(BAD))
    assert found is not None
    assert (found.cause, found.operator, found.has_finite_inputs) == (Cause.OPERATOR, "softmax/aten::mul", False)
    assert "from finite inputs" not in found.text
    assert "Its input: input 0 of softmax/aten::mul, from 1 to 7, -infinity in 1 of 5 elements." in found.text


def test_nan_in_a_tensor_that_a_mask_had_before_is_followed() -> None:
    def masked(scores: np.ndarray, mask: np.ndarray, result: np.ndarray) -> Step:
        step = Step().run("scores", [GOOD], scores).run("mask", ["scores"], mask)
        return step.run("softmax", ["mask"], result).run("", ["softmax"], result)

    found = first(masked(GOOD, MASK, GOOD), masked(BAD, MASK + BAD, BAD))
    assert found is not None
    assert (found.cause, found.operator) == (Cause.OPERATOR, "scores/aten::mul")


def test_nan_that_was_thrown_away_until_it_does_damage_is_followed_to_its_operator() -> None:
    def chosen(result: np.ndarray) -> Step:
        return Step().run("div", [GOOD], BAD).run("where", ["div"], result).run("", ["where"], result)

    found = first(chosen(GOOD), chosen(BAD))
    assert found is not None
    assert (found.cause, found.operator, found.step) == (Cause.OPERATOR, "div/aten::mul", 2)
    assert "from finite inputs" in found.text


def test_gradients_that_a_scaler_skipped_before_do_damage_later() -> None:
    infinite = GOOD * math.inf

    def step(before: np.ndarray) -> Step:
        made = chain(99).run("d", [GOOD], infinite, "aten::sqrt", Phase.BACKWARD)
        return made.gradient("d", made.made["d"]).parameter("d", GOOD, Phase.OPTIMIZER, before=before)

    found = first(step(GOOD), step(GOOD * 2))
    assert found is not None
    assert (found.cause, found.step, found.operator) == (Cause.OPERATOR, 2, "d/aten::sqrt")


def test_an_input_without_a_finite_element_has_no_range() -> None:
    bad = np.full(3, math.nan, np.float32)
    alone = Step().run("a", [GOOD], GOOD)
    alone.rows += [
        Recorded(DebugTensor("b", "aten::log_", Phase.FORWARD, role, "0", dtype="float32"), bad, 2)
        for role in (Role.INPUT, Role.OUTPUT)
    ]
    changed = first(alone)
    assert changed is not None
    assert "input 0 of b/aten::log_, NaN in 3 of 3 elements after the operator changed it" in changed.text


def test_a_scalar_that_is_copied_is_no_change_in_place() -> None:
    step = Step().run("a", [GOOD], GOOD)
    kind = DebugTensor("", "aten::copy_", Phase.FORWARD, Role.INPUT, "1", dtype="float32")
    step.rows += [
        Recorded(each, np.float32(math.nan), 2) for each in (kind, dataclasses.replace(kind, role=Role.OUTPUT))
    ]
    found = first(step.run("bn", [GOOD, BAD], BAD).run("", ["bn"], BAD))
    assert found is not None
    assert (found.cause, found.tensor_name) == (Cause.BUFFER, "input 1 of aten::copy_")


def test_a_skipped_step_of_a_scaler_is_no_damage() -> None:
    infinite = GOOD * math.inf
    skipped = chain(99).gradient("a", infinite).parameter("a", GOOD, Phase.OPTIMIZER, before=GOOD)
    changed = chain(99).gradient("a", infinite).parameter("a", GOOD, Phase.OPTIMIZER, before=GOOD * 2)
    assert first(skipped) is None
    assert first(changed) is not None


def test_a_rank_that_computes_comes_before_one_that_communicates() -> None:
    origin = chain(99).run("x", ["d"], BAD, "aten::log", Phase.BACKWARD)
    origin.run("", ["x"], BAD, "c10d::allreduce_", Phase.BACKWARD).gradient("a", BAD)
    other = chain(99).run("", ["d"], BAD, "c10d::allreduce_", Phase.BACKWARD).gradient("a", BAD)
    found = find_first_bad(source_of({(1, 0): other.rows, (1, 1): origin.rows}))
    assert found is not None
    assert (found.rank, found.operator) == (1, "x/aten::log")
    assert dict(found.other_ranks) == {0: "c10d::allreduce_"}
    alone = find_first_bad(source_of({(1, 0): other.rows}))
    assert alone is not None
    assert alone.cause is Cause.OTHER_RANK


def test_the_first_recorded_step_and_the_source_line_are_named() -> None:
    line = "/train/net.py:49 forward: x = x.log()"
    found = find_first_bad(source_of({812: chain(0, stack=[line]).rows}))
    assert found is not None
    assert (found.is_first_step, found.source) == (True, line)
    assert found.text.startswith(
        "In the forward pass of step 812, a/aten::mul returns NaN in 1 of 4 elements from finite inputs. "
        f"It ran at {line}. Its input: "
    )


@given(st.floats(1.1, 4), st.integers(0, 20), st.integers(5, 12))
def test_growth_is_fitted_from_its_first_step(factor: float, flat: int, grown: int) -> None:
    steps = np.arange(flat + grown) + 800
    magnitude = np.concatenate([np.ones(flat), factor ** np.arange(grown)])
    found = fit_growth(steps, magnitude, "float16")
    if factor ** (grown - 1) < 2:
        assert found is None
        return
    assert found is not None
    assert found.since <= 800 + flat
    assert found.since >= 800 + flat - max(3, grown)
    if flat == 0:
        assert math.isclose(found.factor, factor, rel_tol=1e-6)
    assert found.limit == 65504


def test_growth_of_the_inputs_is_in_the_text() -> None:
    steps = {}
    for n in range(800, 816):
        value = np.array([2.0 ** (n - 800)], np.float16)
        result = value * value if n < 808 else np.array([np.inf], np.float16)
        tensors = [DebugTensor("a", "aten::mul", Phase.FORWARD, role, "0", dtype="float16")
                   for role in (Role.INPUT, Role.OUTPUT)]  # fmt: skip
        steps[n] = [Recorded(tensors[0], value, 1), Recorded(tensors[1], result, 1)]
    found = find_first_bad(source_of(steps))
    assert found is not None
    assert found.step == 808
    assert "Max |x| doubled each step since step 800, from 1 to 256. float16 ends at 65,504." in found.text


def test_a_training_without_bad_numbers_has_none() -> None:
    assert first(chain(99), chain(99)) is None
    assert find_first_bad(source_of({})) is None


def test_the_rows_are_those_of_the_step() -> None:
    step = chain(1).gradient("fc1", BAD)
    source = source_of({1: step.rows})
    found = find_first_bad(source)
    assert found is not None
    recorded, rows = source.at(1, 0), found.rows
    assert [(each.text, each.kind) for each in rows.chain] == [(each, OperatorKind.OPERATOR) for each in found.chain]
    for each in rows.chain:
        tensor = source.tensors[recorded.tensor[each.row]]
        assert (tensor.operator, tensor.role) == (each.name, Role.OUTPUT)
    assert rows.operator.row == found.row
    roles = [source.tensors[recorded.tensor[row]].role for row in (*rows.inputs, *rows.outputs)]
    assert roles == [Role.INPUT, Role.OUTPUT]


def test_a_search_pauses_leaves_steps_out_and_is_taken_over() -> None:
    steps = {1: chain(99).rows, 2: chain(0).rows, 3: chain(99).rows, 4: chain(2).rows}
    source = source_of(steps)
    search = FirstBadSearch(source, lambda step, rank: None if step == 2 else source.at(step, rank))
    while search.read_steps < 3:
        search.read_next()
        assert search.found is None
    later = FirstBadSearch(source)
    later.take_over(search)
    assert (later.read_steps, later.is_over) == (3, False)
    later.read_next()
    assert later.found is not None
    assert (later.found.step, later.found.operator) == (4, "c/aten::mul")
    other = FirstBadSearch(source_of({5: chain(99).rows}))
    other.take_over(search)
    assert other.read_steps == 0


def test_a_step_within_which_a_training_ended_is_told_from_one_without_an_optimizer() -> None:
    def whole() -> Step:
        backward = chain(99).run("d", [GOOD], GOOD, "aten::mul", Phase.BACKWARD)
        return backward.parameter("a", GOOD, Phase.OPTIMIZER, before=GOOD)

    def ended(*steps: Step) -> UnfinishedStep | None:
        return unfinished_step(source_of({n: step.rows for n, step in enumerate(steps, start=1)}))

    assert ended(whole(), whole(), chain(99, "ab")) == UnfinishedStep(3, 0, "b/aten::mul")
    assert ended(whole(), whole(), whole()) is None
    accumulating = chain(99).run("d", [GOOD], GOOD, "aten::mul", Phase.BACKWARD)
    assert ended(accumulating, whole(), accumulating) is None
    assert ended(chain(99)) is None  # nothing to compare with
    assert ended(chain(99), chain(99)) is None


def explained(kind: str, *given: np.ndarray, result: np.ndarray = BAD) -> list[tuple[str, str, str]]:
    """Traits, kinds and names of what explains an operator that gets the outputs of others."""
    step = Step().run("before", [GOOD], GOOD, "aten::relu")
    names = [f"made_{place}" for place in range(len(given))]
    for name, array in zip(names, given, strict=True):
        step.run(name, ["before"], array, "aten::relu")
    found = first(step.run("bad", [step.made[name] for name in names], result, kind).run("", ["bad"], BAD))
    assert found is not None
    return [(each.trait.value, each.kind.value, each.name) for each in found.explanations]


def test_inputs_explain_only_what_they_can() -> None:
    zeros, infinite = np.zeros(3, np.float32), np.array([math.inf] * 3, np.float32)
    assert explained("aten::log", zeros) == [("zeros", "operator", "made_0/aten::relu")]
    assert explained("aten::div", GOOD, zeros) == [("zeros", "operator", "made_1/aten::relu")]
    assert explained("aten::div", zeros, GOOD) == []  # zeros are divided, not divided by
    assert explained("aten::div", zeros) == []  # by a number that was not recorded
    assert explained("aten::mul", zeros, GOOD) == []
    assert explained("aten::log", GOOD) == [("negatives", "operator", "made_0/aten::relu")]
    assert explained("aten::exp", GOOD, result=infinite) == []
    assert explained("aten::exp", GOOD * np.float32(100), result=infinite) == [
        ("large", "operator", "made_0/aten::relu")
    ]
    assert explained("aten::mul", GOOD * np.float32(1e30), GOOD, result=infinite)[0][0] == "large"
