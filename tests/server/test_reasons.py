# SPDX-License-Identifier: Apache-2.0
"""Every error has a text in each language, which the page and Python both read."""

from __future__ import annotations

import ast
import json
import pickle
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import mindscope
from mindscope.errors import AnnotationError, TagNotFoundError
from mindscope.reasons import Reason, reason_from_json, reason_of, reason_to_json
from mindscope.server.http.schema import ReasonEntry
from mindscope.texts import fill

CATALOGS = Path(mindscope.__file__).parent / "texts"
SUBJECTS = ("errors", "advice", "debug")
NAMES = re.compile(r"\{(\w+(?::\w+)?)")


def catalog(language: str, subject: str = "errors") -> dict[str, dict[str, Any]]:
    return json.loads((CATALOGS / language / f"{subject}.json").read_text("utf-8"))


def test_every_file_of_texts_is_known():
    assert {path.relative_to(CATALOGS).as_posix() for path in CATALOGS.rglob("*.json")} == {
        f"{language}/{subject}.json" for language in ("en", "zh") for subject in SUBJECTS
    }


@pytest.mark.parametrize("subject", SUBJECTS)
def test_the_languages_say_the_same(subject: str):
    """The same codes in the same order, filled with the same values. Only English has lines of code as remedies."""
    english, chinese = catalog("en", subject), catalog("zh", subject)
    assert [(section, list(texts)) for section, texts in english.items()] == [
        (section, list(texts)) for section, texts in chinese.items()
    ]
    for section in ("errors", "advice", "first_bad", "compare"):
        for code, texts in english.get(section, {}).items():
            assert {kind: set(NAMES.findall(text)) for kind, text in chinese[section][code].items()} == {
                kind: set(NAMES.findall(text)) for kind, text in texts.items()
            }


def test_a_missing_value_or_unit_is_a_mistake():
    assert fill("{n} {n|run|runs} in {t:time}.", {"n": 1, "t": 2}, {"time": "{} s".format}) == "1 run in 2.0 s."
    with pytest.raises(KeyError):
        fill("{t:time}", {"t": 2}, {})
    with pytest.raises(KeyError):
        fill("{t}", {})


def test_texts_are_sentences_and_remedies_name_no_value():
    """A remedy is the same for all values. Only a text that is someone else's has no full stop."""
    texts = catalog("en")["errors"]
    assert {code for code, said in texts.items() if not said["text"].endswith((".", "?"))} == {"uncoded"}
    assert [said["remedy"] for said in texts.values() if not said.get("remedy", ".").endswith(".")] == []
    assert [said["remedy"] for said in texts.values() if "{" in said.get("remedy", "")] == []


def test_the_chinese_words_are_chinese():
    plain = [code for code, said in catalog("zh")["errors"].items() if not re.search("[\u4e00-\u9fff]", said["text"])]
    assert plain == ["uncoded"]


TOLD = frozenset(
    "FormatError WireError AnnotationError ExpressionError SliceError RunNotFoundError TagNotFoundError".split()
)
"""Errors whose text a page shows."""
FOLDERS = ("formats", "ingest", "annotations", "server", "stats", "store")
SHOWN = (*(f"{folder}/**/*.py" for folder in FOLDERS), "graph/formats/mindspore.py", "graph/formats/tensorboard.py")
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
    assert reason == "Run “x” has no tag “a b”. It may not have been recorded yet."
    assert reason.remedy == "It may not have been recorded yet."
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


def test_a_reason_within_another_has_one_full_stop():
    inner = Reason("file_exchanged")
    assert inner.endswith(".")
    assert Reason("profile_file_unreadable", reason=inner).startswith(f"The file can’t be read: {inner} Check")
    assert Reason("profile_rows_skipped", count=1) == "1 row could not be read."
    assert Reason("profile_rows_skipped", count=2) == "2 rows could not be read."


def test_a_reason_without_a_value_of_its_text_is_a_mistake():
    with pytest.raises(KeyError):
        Reason("file_shorter")
