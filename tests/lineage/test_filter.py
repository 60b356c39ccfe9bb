# SPDX-License-Identifier: Apache-2.0
"""The filter language: what it selects, and where it says that a text is wrong."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mindscope.errors import ExpressionError
from mindscope.expressions.syntax import DEEPEST, parse
from mindscope.lineage.column import RUN, Column, ColumnKey, Group
from mindscope.lineage.filter import RUNS, Filter
from mindscope.lineage.table import Table
from tests.lineage.row_filter import holds

LR, ACC = ColumnKey(Group.PARAMETER, "lr"), ColumnKey(Group.METRIC, "Accuracy")
OPT, AMP = ColumnKey(Group.PARAMETER, "optimizer"), ColumnKey(Group.PARAMETER, "amp")
BETAS, DEPTH = ColumnKey(Group.PARAMETER, "betas"), ColumnKey(Group.PARAMETER, "model.depth")
NOTE, SEED = ColumnKey(Group.CUSTOM, "a note"), ColumnKey(Group.PARAMETER, "seed")

TABLE = Table.from_rows(
    {
        "a": {LR: 0.001, ACC: 0.95, OPT: "Adam", AMP: True, BETAS: (0.9, 0.999), DEPTH: 3, NOTE: "first try"},
        "b": {LR: 0.1, ACC: 0.5, OPT: "SGD", AMP: False, BETAS: (0.5,), DEPTH: 4, SEED: 2**53 + 1},
        "c": {LR: 1, ACC: math.nan, OPT: "RMSProp", DEPTH: "deep", SEED: 2**53},
        "d": {ACC: math.inf, OPT: 7},
    }
)


def runs(text: str) -> str:
    return "".join(Filter(text).apply(TABLE).runs)


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ('lr < 0.01 and metric["Accuracy"] > 0.9', "a"),
        ("lr < 0.01 or lr >= 1", "ac"),
        ("0.01 < lr <= 1", "bc"),
        ("1 >= lr > 0.01", "bc"),
        ("lr == 1", "c"),
        ("lr == 1.0", "c"),
        ("lr != 1", "ab"),  # d has none
        ("not lr == 1", "abd"),
        ("not (lr < 0.01)", "bcd"),
        ("lr is missing", "d"),
        ("lr is not missing", "abc"),
        ("Accuracy is nan", "c"),
        ("Accuracy is not nan", "abd"),
        ("Accuracy == inf", "d"),
        ("Accuracy == nan", ""),
        ("Accuracy > 0", "abd"),
        ('optimizer == "Adam"', "a"),
        ("optimizer in ['Adam', \"SGD\", 7]", "abd"),
        ("optimizer not in ['Adam']", "bcd"),
        ('optimizer < "B"', "a"),
        ('"dam" in optimizer', "a"),
        ("0.999 in betas", "a"),
        ("betas == [0.5]", "b"),
        ("betas != [0.5]", "a"),
        ("amp", "a"),
        ("not amp", "bcd"),
        ("amp == false", "b"),
        ("amp == 1", ""),
        ("model.depth >= 3", "ab"),
        ('model.depth == "deep"', "c"),
        ('model.depth != "deep"', "ab"),
        ('custom["a note"] is not missing', "a"),
        ('"try" in `custom/a note`', "a"),
        ("`lr` < 1", "ab"),
        ('parameter["lr"] < 1', "ab"),
        ('run in ["a", "c"]', "ac"),
        ("lr * 10 + 1 < 2.5", "ab"),
        ("-lr < -0.05", "bc"),
        ("lr / 0 == inf", "abc"),
        ("lr - lr == 0", "abc"),
        ("(lr - 0.1) / (model.depth - 4) is nan", "b"),
        ("+lr // 0.05 % 4 == 2 ** 1", "b"),
        ("seed % 2 == 1 and seed // 2 == 4503599627370496", "b"),
        ("lr // 0 == inf and lr % 0 is nan and (-lr) ** 0.5 is nan", "abc"),
        ("10 ** 400 == inf and 9 ** 9 ** 9 == inf and lr is not missing", "abc"),
        ("log10(lr) <= -1 and max(lr, model.depth) < 4", "a"),
        ("isnan(Accuracy) or isinf(metric['Accuracy'])", "cd"),
        ("abs(optimizer) is missing and sqrt(-lr) is nan", "abc"),
        ("0 < lr in [0.1, 1]", "bc"),
        ("seed == 9007199254740993", "b"),
        ("seed > 9007199254740992", "b"),
        ("Accuracy > 0.9 and lr < 1 or optimizer == 'SGD'", "ab"),
        ("Accuracy > 0.9 and (lr < 1 or optimizer == 7)", "ad"),
    ],
)
def test_rows_that_a_filter_selects(text: str, want: str) -> None:
    table = Table(TABLE.runs, {**TABLE.columns, **run_column()})
    assert "".join(Filter(text).apply(table).runs) == want


def run_column() -> dict[ColumnKey, Any]:
    return {RUN: Column(RUN, TABLE.runs, len(TABLE))}


@pytest.mark.parametrize(
    ("text", "position", "message"),
    [
        ("", 0, "is incomplete; expected a name"),
        ("lr <", 4, "expression is incomplete"),
        ("lr = 1", 3, "Use == to compare"),
        ("lr < 1 and", 10, "expression is incomplete"),
        ("lr < 1 lr", 7, "expected an operator, or the end"),
        ("lr < 1)", 6, "expected an operator, or the end"),
        ("(lr < 1", 7, "is incomplete; expected )"),
        ("lr", None, ""),
        ("lr + 1", 3, "expected a condition"),
        ("3", 0, "expected a condition"),
        ("'a' and lr", 0, "expected a condition"),
        ("(lr < 1) < 2", 4, "A condition can’t be compared"),
        ("(lr < 1) + 2 > 1", 4, "expected a number"),
        ("lr < 'a' + 1", 5, "expected a number"),
        ("-'a' < lr", 1, "expected a number"),
        ("lr in [lr]", 7, "a list can only hold"),
        ("lr in [1 2]", 9, "expected ,"),
        ("lr is 3", 6, "expected missing, nan"),
        ("lr not 3", 7, "expected in"),
        ("lr < 'a", 5, "has no closing '"),
        ("`lr < 1", 0, "has no closing `"),
        ("lr < 1 & amp", 7, "Unexpected character “&”"),
        ("metrics['a'] < 1", 0, "is not a group"),
        ("metric[a] < 1", 7, "in quotes"),
        ("nothing < 1", 0, "There is no column “nothing”"),
        ("lr < 1 and metric['x'] > 2", 11, "There is no column “metric/x”"),
        ("__import__('os') < 1", 0, "is no function here"),
        ("(" * (DEEPEST + 1), DEEPEST + 1, "nested deeper"),
        ("not " * (DEEPEST + 1), None, "nested deeper"),
        ("-" * (DEEPEST + 1) + "1 < lr", DEEPEST + 1, "nested deeper"),
        ("+".join(["lr"] * 150) + " < 1", 302, "more than 100 operations"),
        ("lr < " + "1" * RUNS.vocabulary.longest, RUNS.vocabulary.longest, "the limit is"),
    ],
)
def test_an_error_says_its_place(text: str, position: int | None, message: str) -> None:
    if not message:
        assert runs(text) == ""
        return
    with pytest.raises(ExpressionError) as raised:
        Filter(text).apply(TABLE)
    assert message in str(raised.value)
    if position is not None:
        assert raised.value.position == position


NAMES = {"lr": LR, "optimizer": OPT, "amp": AMP, "betas": BETAS, 'metric["Accuracy"]': ACC, 'custom["a note"]': NOTE}
NUMBERS = st.sampled_from([0, 1, -1, 2, 0.5, -0.0, 1e300, math.inf, -math.inf, math.nan, 2**53, 2**53 + 1, 10**400])
TEXTS = st.sampled_from(["", "a", "b", "ab", "A\"'\\\n", "é"])
ATOMS = NUMBERS | TEXTS | st.booleans()
CELLS = ATOMS | st.lists(ATOMS, max_size=3).map(tuple)
ROWS = st.lists(st.dictionaries(st.sampled_from(list(NAMES.values())), CELLS), min_size=1, max_size=5)


def literal(cell: Any) -> str:
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, str):
        return '"' + cell.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
    return f"[{', '.join(map(literal, cell))}]" if isinstance(cell, tuple) else repr(cell)


COLUMNS = st.sampled_from(list(NAMES))
PLAIN_NUMBERS = COLUMNS | NUMBERS.map(literal)
SUMS = st.tuples(PLAIN_NUMBERS, st.sampled_from("+-*/"), PLAIN_NUMBERS).map(" ".join).map("({})".format)
OPERANDS = COLUMNS | CELLS.map(literal) | SUMS
COMPARISONS = (
    st.tuples(OPERANDS, st.sampled_from(["<", "<=", ">", ">=", "==", "!=", "in", "not in"]), OPERANDS).map(" ".join)
    | st.tuples(OPERANDS, st.sampled_from(["is missing", "is not missing", "is nan", "is not nan"])).map(" ".join)
    | COLUMNS
)
CONDITIONS = st.recursive(
    COMPARISONS,
    lambda inner: (
        st.tuples(inner, st.sampled_from(["and", "or"]), inner).map(" ".join).map("({})".format)
        | inner.map("not ({})".format)
    ),
    max_leaves=6,
)


@given(ROWS, CONDITIONS)
@example([{LR: 2**53 + 1}], "lr == 9007199254740992")
@example([{LR: 0.5}, {LR: 10**400}], "(lr * 1e300) is nan")
def test_columns_give_what_rows_give(rows: list[dict[ColumnKey, Any]], text: str) -> None:
    table = Table.from_rows({str(number): row for number, row in enumerate(rows)})
    columns = {key: table.columns.get(key) for key in NAMES.values()}
    missing = [None] * len(rows)
    table = Table(table.runs, {key: each or Column(key, missing, len(rows)) for key, each in columns.items()})
    syntax = parse(text, RUNS.vocabulary)
    want = [holds(syntax, syntax.tree, {key.id: cell for key, cell in row.items()}) for row in rows]
    assert Filter(text).matches(table).tolist() == want


@given(st.text(max_size=40) | st.text("lr<>=()[]'\"` and or not in is 1.e", max_size=40))
def test_any_text_is_a_filter_or_an_error_with_its_place(text: str) -> None:
    got: ExpressionError | None = None
    try:
        Filter(text).matches(TABLE)
    except ExpressionError as error:
        got = error
    assert got is None or (got.position is not None and 0 <= got.position <= len(text))


def test_an_empty_table() -> None:
    table = Table((), dict.fromkeys((), None))  # type: ignore[arg-type]
    with pytest.raises(ExpressionError, match="no columns"):
        Filter("lr < 1").matches(table)
    empty = TABLE.take(np.array([], np.intp))
    assert Filter("lr < 1 and 'a' in optimizer").matches(empty).tolist() == []
