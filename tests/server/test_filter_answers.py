# SPDX-License-Identifier: Apache-2.0
"""An expression has the same answer in Python and in the API, errors included, whatever the settings of runs hold."""

from __future__ import annotations

import json
import math
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from mindscope.errors import ExpressionError
from mindscope.ingest import Catalog
from mindscope.lineage.column import ColumnKey, Group
from mindscope.reading import open_runs
from mindscope.reasons import reason_of
from mindscope.server.app import create_app
from mindscope.settings import Settings
from tests.event_log import MINDSPORE_NAME, append, version
from tests.lineage.page_cases import NAMES as HOSTILE_NAMES
from tests.lineage.page_cases import literal, reference

NAMES = ["lr", "model.depth", *(name for name in HOSTILE_NAMES if name and "." not in name)]
NUMBERS = st.sampled_from(
    [0, 1, -1, 2, 0.5, -0.0, 1.0, 1e300, 5e-324, math.inf, -math.inf, math.nan, 2**53, 2**53 + 1, 2**64, 10**400]
)
TEXTS = st.sampled_from(["", "a", "ab", "1", "true", "A\"'\\\n\t", "é🚀", "NaN", "学习率"])
ATOMS = NUMBERS | TEXTS | st.booleans()
LISTS = st.lists(ATOMS, max_size=3)
CELLS = ATOMS | LISTS | st.none()
TABLES = st.lists(st.dictionaries(st.sampled_from(NAMES), CELLS, max_size=6), min_size=1, max_size=4)
COLUMNS = st.sampled_from(NAMES).map(lambda name: reference(ColumnKey(Group.PARAMETER, name)))
OPERANDS = COLUMNS | ATOMS.map(literal) | LISTS.map(tuple).map(literal)
SIGNS = st.sampled_from(["<", "<=", ">", ">=", "==", "!=", "in", "not in", "+", "-", "*", "/", "and", "or", "=", "&"])
TAILS = st.sampled_from([" is missing", " is not missing", " is nan", " is not nan", " is", ""])
CONDITIONS = st.recursive(
    st.tuples(OPERANDS, SIGNS, OPERANDS, TAILS).map(lambda parts: f"{parts[0]} {parts[1]} {parts[2]}{parts[3]}")
    | st.tuples(COLUMNS, TAILS).map("".join),
    lambda inner: (
        st.tuples(st.sampled_from(["({} and {})", "({} or {})", "{} and ({}"]), inner, inner).map(
            lambda parts: parts[0].format(*parts[1:])
        )
        | inner.map("not ({})".format)
    ),
    max_leaves=5,
)
TEXT_WITH_SLIPS = st.tuples(
    CONDITIONS, st.integers(0, 200), st.sampled_from(["", "", "", "", "🚀", '"', "`", "(", "x"])
).map(lambda parts: parts[0][: parts[1]] + parts[2] + parts[0][parts[1] :] if parts[2] else parts[0])
Answer = tuple[Any, ...]


@contextmanager
def written(rows: list[dict[str, Any]]) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as directory:
        for number, row in enumerate(rows):
            run = Path(directory) / f"run_{number}"
            run.mkdir()
            append(run / MINDSPORE_NAME.format(1), version())
            (run / "params.json").write_text(json.dumps(row), "utf-8")
        yield Path(directory)


def answer_of_python(base: Path, text: str) -> Answer:
    try:
        return 200, list(open_runs(base).lineage().filter(text).runs)
    except ExpressionError as error:
        reason = reason_of(error)
        return 422, reason.code, error.position, dict(reason.values)


def answer_of_api(base: Path, text: str) -> Answer:
    catalog = Catalog(base)
    catalog.refresh()
    app = create_app(Settings(summary_base_dir=base, workspace=base / "workspace"), catalog)
    response = TestClient(app, "http://localhost").post("/api/lineage/filter", json={"where": text})
    app.state.viewer.close()
    body = response.json()
    if response.status_code == 200:
        return 200, body["runs"]
    error = body["error"]
    return response.status_code, error["code"], error["values"].get("position"), error["values"]


@settings(max_examples=50, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(TABLES, TEXT_WITH_SLIPS)
@example([{"lr": 2**53 + 1}, {"lr": 2.0**53}, {"lr": "9007199254740993"}], "lr == 9007199254740993")
@example([{"lr": math.nan}, {"lr": math.inf}, {"lr": "NaN"}, {}], "lr is nan or lr == inf")
@example([{"and": 1, "missing": 2}], "`and` < `missing` and parameter['in'] is missing")
@example([{"🚀": 1}], "`🚀` == 1 and `🚀`` > 2")
def test_an_expression_has_the_same_answer_in_python_and_in_the_api(rows: list[dict[str, Any]], text: str) -> None:
    with written(rows) as base:
        assert answer_of_api(base, text) == answer_of_python(base, text)
