# SPDX-License-Identifier: Apache-2.0
"""Every reason has words in each language of the page, which name nothing that the reason doesn't tell."""

from __future__ import annotations

import ast
import json
import pickle
import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest

import mindscope
from mindscope.errors import AnnotationError, TagNotFoundError
from mindscope.reasons import OS_ERRORS, TEXTS, Reason, reason_from_json, reason_of, reason_to_json
from mindscope.server.http.schema import ReasonEntry

I18N = Path(__file__).parents[2] / "ui" / "src" / "i18n"
WORDS = re.compile(r"""^  "error\.code\.(\w+)":\s+["'](.*)["'],$""", re.M)
OS_WORDS = re.compile(r'^  "error\.os\.(\w+)":\s+".+",$', re.M)
NAMES = re.compile(r"\{(\w+)")


def words(language: str) -> dict[str, str]:
    return dict(WORDS.findall((I18N / language / "errors.ts").read_text("utf-8")))


def names_of(code: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(TEXTS[code]) if name}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_code_has_words_in_the_language(language: str):
    said = words(language)
    assert set(said) == set(TEXTS)
    assert {
        code: NAMES.findall(text) for code, text in said.items() if not set(NAMES.findall(text)) <= names_of(code)
    } == {}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_refusal_of_the_system_has_words_in_the_language(language: str):
    assert set(OS_WORDS.findall((I18N / language / "errors.ts").read_text("utf-8"))) == OS_ERRORS


def test_the_chinese_words_are_chinese():
    plain = [code for code, text in words("zh").items() if not re.search("[\u4e00-\u9fff]", text)]
    assert plain == ["uncoded"]


TOLD = frozenset(
    "FormatError WireError AnnotationError ExpressionError SliceError RunNotFoundError TagNotFoundError".split()
)
"""Errors whose text a page shows."""
FOLDERS = ("formats", "ingest", "annotations", "server", "stats", "store")
SHOWN = (*(f"{folder}/**/*.py" for folder in FOLDERS), "graph/mindspore.py", "graph/tensorboard.py")
"""Where a viewer meets them."""


def raised(source: Path) -> Iterator[ast.expr]:
    """What the errors of a module that pages show are told with."""
    for node in ast.walk(ast.parse(source.read_text("utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in TOLD:
            yield from node.args[:1]


def test_what_a_page_shows_is_never_plain_english():
    package = Path(mindscope.__file__).parent
    sources = [each for place in SHOWN for each in package.glob(place)]
    plain = {
        f"{source.relative_to(package)}:{told.lineno}"
        for source in sources
        for told in raised(source)
        if isinstance(told, ast.Constant | ast.JoinedStr)
    }
    assert len(sources) > 100
    assert plain == set()


def test_a_reason_is_its_english_text():
    reason = Reason("tag_not_found", kind="scalar", tag="a b", run="x")
    assert reason == "scalar tag 'a b' is not in run 'x'; it may not have been recorded yet"
    assert ReasonEntry.of(TagNotFoundError(reason)).model_dump() == {
        "code": "tag_not_found", "values": {"kind": "scalar", "tag": "a b", "run": "x"}, "message": str(reason)
    }  # fmt: skip
    assert reason_of(AnnotationError("no code")).code == "uncoded"
    assert reason_of(AnnotationError("no code")) == "no code"


@pytest.mark.parametrize("text", [Reason("file_shrunk", size=3, before=9), "an older cache", Reason("file_exchanged")])
def test_a_reason_outlives_being_kept(text: str):
    for again in (reason_from_json(json.loads(json.dumps(reason_to_json(text)))), pickle.loads(pickle.dumps(text))):
        assert again == text
        assert getattr(again, "code", None) == getattr(text, "code", None)
        assert getattr(again, "values", None) == getattr(text, "values", None)


def test_names_that_are_no_text_can_be_sent():
    entry = ReasonEntry.of(Reason("file_shorter", file="a\udcff{b}"))
    assert entry.model_dump_json()
    assert entry.values["file"] == "a\ufffd{b}"


def test_a_reason_without_a_value_of_its_text_is_a_mistake():
    with pytest.raises(KeyError):
        Reason("file_shorter")
