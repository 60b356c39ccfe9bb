# SPDX-License-Identifier: Apache-2.0
"""Expressions over columns: what they give, and that nothing else of Python gets through."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mindscope.errors import ExpressionError
from mindscope.stats.expression import Bound, coordinate, parse, require_tags

COLUMNS = {
    "loss": np.array([3.0, 2.0, np.nan]),
    "acc": np.array([0.25, 0.5, 0.75]),
    "train/loss": np.array([1.0, 2.0, 4.0]),
    coordinate("step"): np.array([0, 10, 20]),
    coordinate("wall_time"): np.array([1e9, 1e9 + 1, 1e9 + 2]),
}


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("1 - acc", [0.75, 0.5, 0.25]),
        ("`train/loss` / acc", [4.0, 4.0, 16 / 3]),
        ("loss - tag('train/loss')", [2.0, 0.0, np.nan]),
        ('max(tag("acc"), 0.5) * 2 ** 3', [4.0, 4.0, 6.0]),
        ("-loss % 2 + +acc // 0.5", [1.0, 1.0, np.nan]),
        ("min(step, 10)", [0.0, 10.0, 10.0]),
        ("log(acc - 1)", [np.nan] * 3),
        ("acc / 0", [np.inf] * 3),
        ("sqrt(abs(acc)) * 0 + pi", [np.pi] * 3),
        ("10 ** 400 + acc", [np.inf] * 3),
        ("9 ** 9 ** 9 * acc", [np.inf] * 3),
        ("wall_time - 1e9", [0.0, 1.0, 2.0]),
        ("loss > 2", [True, False, False]),
        ("isnan(loss) or step < 5", [True, False, True]),
        ("0.3 < acc <= 0.5", [False, True, False]),
        ("not (acc > 0.3 and loss == 2)", [True, False, True]),
        ("loss != loss", [False, False, True]),
    ],
)
def test_it_gives_what_python_would(text: str, want: list[float]):
    got = parse(text).evaluate(COLUMNS)
    assert got.dtype == (bool if isinstance(want[0], bool) else float)
    np.testing.assert_allclose(got, want)


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('x')",
        "(lambda: 1)()",
        "[x for x in y]",
        "{1: 2}",
        "f'{loss}'",
        "loss if acc else 1",
        "(a := 1)",
        "open('x')",
        "print",
        "a[0]",
        "a is b",
        "a in b",
        "tag(loss)",
        "tag('a', 'b')",
        "max(1)",
        "max(*a)",
        "abs(x=1)",
        "True",
        "'text'",
        "'text' < loss",
        "loss in [1, 2]",
        "loss is nan",
        "`tag`('a')",
        "tag('a' < 1)",
        "1j",
        "...",
        "a @ b",
        "a << 2",
        "~a",
        "a; b",
        "a = 1",
        "await x",
        "`a",
        "",
        " ",
        "(" * 200,
        "-" * 300 + "a",
        "a" * 501,
        "a\0b",
        "loss and acc",
        "not loss",
        "1 + (loss > 2)",
        "isnan(loss > 2)",
    ],
)
def test_anything_else_is_refused(text: str):
    if text == "print":
        assert parse(text).tags == ("print",)  # a name is a tag, whatever else Python calls so
        return
    with pytest.raises(ExpressionError):
        parse(text)


@given(st.text(alphabet="ab `'\"()+-*/<>=!.,:[]{}\\\n0 1andortg", max_size=40))
@example("tag('a\\'b')")
@example("`a` `b`")
def test_no_text_does_anything_but_give_a_column_or_be_refused(text: str):
    try:
        expression = parse(text)
    except ExpressionError:
        return
    columns = dict.fromkeys(expression.tags, np.ones(2)) | {coordinate("step"): np.arange(2)}
    assert expression.evaluate(columns).shape == (2,)


def test_it_says_which_sort_is_wanted():
    with pytest.raises(ExpressionError, match="expected a condition such as loss > 2"):
        parse("loss", wants_condition=True)
    with pytest.raises(ExpressionError, match="expected a number such as 1 - acc"):
        parse("loss > 2", wants_condition=False)


def test_tags_are_named_once_in_their_order():
    assert parse("b + `a/x` * b - tag('step') + step").tags == ("b", "a/x", "step")


def test_an_unknown_tag_is_named_with_those_that_are_near():
    with pytest.raises(ExpressionError, match="there is no scalar tag “los”; did you mean `loss`"):
        require_tags("los > 1", ["los"], {"loss", "acc"})
    with pytest.raises(ExpressionError, match="did you mean `train/loss`"):
        require_tags("loss > 1", ["loss"], {"train/loss", "acc"})


def test_a_name_with_dots_is_a_tag_and_no_attribute():
    assert parse("loss.__class__ + val.loss").tags == ("loss.__class__", "val.loss")


@pytest.mark.parametrize(
    ("text", "position", "message"),
    [
        ("loss +", 6, "The expression is incomplete; expected a name"),
        ("1 - (acc + ) * 2", 11, "Unexpected “)” (character 12)"),
        ("loss = 2", 5, "Use == to compare"),
        ("a @ b", 2, "Unexpected character “@”"),
        ("loss + (acc > 2)", 12, "“acc > 2” (character 13) is no number"),
        ("loss > 2 and not acc * 2", 21, "“acc * 2” (character 22) is no condition"),
        ("acc + open('x')", 6, "“open” (character 7) is no function here"),
        ("acc + max(loss)", 6, "“max(loss)” (character 7) is no function here"),
        ("acc + tag(loss)", 6, "“tag(loss)” (character 7) names no tag"),
        ("acc in loss", 4, "A formula can’t compare with in (character 5)"),
        ("1 < acc is nan", 8, "A formula can’t compare with is (character 9)"),
    ],
)
def test_an_error_says_its_position(text: str, position: int, message: str):
    with pytest.raises(ExpressionError) as raised:
        parse(text)
    assert message in str(raised.value)
    assert raised.value.position == position


def test_bounds_are_the_comparisons_with_numbers():
    assert parse("a > 2 and (3 >= `b/c` or not a < 1) or a + 1 > 2 or a == -4").bounds == (
        Bound("a", ">", 2.0), Bound("b/c", "<=", 3.0), Bound("a", "==", -4.0)
    )  # fmt: skip
