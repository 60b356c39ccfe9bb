# SPDX-License-Identifier: Apache-2.0
"""The grammar of expressions: what Python's parser makes of them, and where an error is."""

from __future__ import annotations

import ast
from itertools import product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mindscope.errors import ExpressionError
from mindscope.expressions.syntax import DEEPEST, MOST_OPERATIONS, Syntax, parse
from mindscope.expressions.tokens import Vocabulary
from mindscope.reasons import reason_of

WORDS = Vocabulary(200, {"nan": float("nan"), "true": True}, ("abs", "max"), ("metric",), ("missing",))
TOKENS = [
    *"a b.c `x` metric [ ] ( ) 'it\\'s' \"t\" 1 .5 1_000 nan true abs max , + - * / // % ** < <= == !=".split(),
    *"and or not in is missing = & ` '".split(),
]
TEXTS = st.lists(st.sampled_from(TOKENS), max_size=12).map(" ".join) | st.text(max_size=30)
ENDS = ("", " a", " in a", " missing", " 'n']", " []", "`", "'")


def shape(syntax: Syntax, node: ast.expr) -> str:
    """The tree with parentheses around everything."""
    match node:
        case ast.BoolOp(op=sign, values=values):
            return f"({f' {type(sign).__name__.lower()} '.join(shape(syntax, each) for each in values)})"
        case ast.UnaryOp(operand=operand):
            return f"({syntax.token(node).text} {shape(syntax, operand)})"
        case ast.BinOp(left=left, right=right):
            return f"({shape(syntax, left)} {syntax.sign_after(left).text} {shape(syntax, right)})"
        case ast.Compare(left=left, comparators=others):
            operands = [left, *others]
            signs = [syntax.sign_after(each).text for each in operands[:-1]]
            rest = " ".join(f"{sign} {shape(syntax, each)}" for sign, each in zip(signs, others, strict=True))
            return f"({shape(syntax, left)} {rest})"
        case _:
            return syntax.part(node)


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("a or b and not c", "(a or (b and (not c)))"),
        ("not a < b", "(not (a < b))"),
        ("a + b*c ** -d - 1", "((a + (b * (c ** (- d)))) - 1)"),
        ("-a ** 2 % b.c // 007", "(((- (a ** 2)) % b.c) // 007)"),
        ("(a + b) * (c) <= `x y` < abs( a ) ", "(((a + b) * c) <= `x y` < abs( a ))"),
        ("a not in [1, 'x', ] and ((b)) is not missing", "((a not [1, 'x', ]) and (b is missing))"),
        ('metric [ "a b" ] == "c\\"d"', '(metric [ "a b" ] == "c\\"d")'),
    ],
)
def test_operators_have_the_precedence_of_python(text: str, want: str) -> None:
    syntax = parse(text, WORDS)
    assert shape(syntax, syntax.tree) == want


@given(TEXTS)
@example("a < 🚀")
@example("`é` + ]")
def test_what_is_before_an_error_can_be_continued(text: str) -> None:
    try:
        parse(text, WORDS)
    except ExpressionError as error:
        position = error.position
        assert position is not None
        if (sign := reason_of(error).values.get("sign")) is not None:  # characters are checked before the grammar
            assert text[position] == sign
            return
        assert any(is_expression(text[:position] + end) for end in endings(text[:position]))


def endings(text: str) -> list[str]:
    brackets = [sign for sign in text if sign in "()[]"]
    most = len(brackets) + 1
    closings = ["".join(each) for count in range(min(most, 5)) for each in product(")]", repeat=count)]
    return [end + closing for end in ENDS for closing in closings]


def is_expression(text: str) -> bool:
    try:
        return bool(parse(text, WORDS))
    except ExpressionError:
        return False


@pytest.mark.parametrize(
    ("text", "position", "message"),
    [
        ("(" * 100, DEEPEST + 1, "nested deeper than"),
        ("[" * 100, DEEPEST + 1, "nested deeper than"),
        ("abs(" * 50, 4 * (DEEPEST + 1), "nested deeper than"),
        ("-" * 150 + "a", DEEPEST + 1, "nested deeper than"),
        ("not (" * 33, 5 * 20 + 4, "nested deeper than"),
        ("a" + "**9" * 60, None, None),
        ("1" + "+1" * (MOST_OPERATIONS - 1), None, None),
        ("1" + "+1" * 199, 200, "the limit is 200"),
        ("9" * 200, None, None),
        ("a or b and " * 18 + "a", None, None),
        ("a<" * 99 + "a", None, None),
    ],
)
def test_a_hostile_text_is_refused_or_read_at_once(text: str, position: int | None, message: str | None) -> None:
    if message is None:
        assert parse(text, WORDS).text == text
        return
    with pytest.raises(ExpressionError, match=message) as raised:
        parse(text, WORDS)
    assert raised.value.position == position
