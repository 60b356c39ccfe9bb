# SPDX-License-Identifier: Apache-2.0
"""Regular expressions of users: which are too large, and what they match."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindscope.search_regex import (
    MAX_SIZE,
    RegexError,
    check,
    line_search,
    matches,
    prefix_match,
    text_search,
    whole_match,
)


@pytest.mark.parametrize("regex", [
    "(.*){1,1000}" * 20, "(.*){1,1000}", "((a{10}){10}){10}" * 5, "(?i)(?:(?:x|y){1,90}){9}" * 3, r"\pL{1,100}",
    r"(\p{Han}b){90}", r"([^x]|[[:alpha:]\]]){1,600}", ".{0,600}" * 2, "a{1000}" * 5,
])  # fmt: skip
def test_a_large_expression_is_refused_before_it_runs(regex: str) -> None:
    with pytest.raises(RegexError, match=f"at most {MAX_SIZE}"):
        check(regex)


@pytest.mark.parametrize("regex", [
    r"loss=\d+\.\d{1,8}", r"(?i)error|warn(ing)?", r"^\[rank\d+\]:.{0,200}timeout$", r"(\d{1,3}\.){3}\d{1,3}",
    r"Traceback[\s\S]*?Error", r"\p{Han}+", "x" * 1000,
])  # fmt: skip
def test_expressions_of_users_are_searched(regex: str) -> None:
    check(regex)


def test_matches_in_lines() -> None:
    assert matches("^b$", ["a\nb", "ab", "b"]).tolist() == [True, False, True]
    assert matches("B", ["b"], ignores_case=True).tolist() == [True]
    assert matches("Ä", ["ä\udc80"], ignores_case=True).tolist() == [True]
    assert matches("x", []).tolist() == []


@pytest.mark.parametrize(("regex", "message"), [
    ("(", r"missing \): \($"), ("a**", "bad repetition operator"), ("[", "missing ]"), (r"\1", "escape sequence"),
    ("(?=a)", "perl operator"), ("x{1001}", "repetition size"), ("a)|(b", "unexpected"), ("\udc80", "escape sequence"),
])  # fmt: skip
def test_what_is_no_expression_of_re2_is_said(regex: str, message: str) -> None:
    with pytest.raises(RegexError, match=message):
        check(regex)
    with pytest.raises(RegexError, match=message):
        whole_match(regex)


ITEMS = st.sampled_from([
    *"aAb.^$|", r"\s", r"\S", r"\d", r"\w", r"\W", r"\b", r"\B", "[^a]", "[ab]", r"[^\s]", r"\n",
    "(a|b)", "(?:ab)", "(?i:A)",
    "a*", "b+", ".*", "[^b]*", r"\s*", r"(?s:.)", r"(?s:.*)", r"[a\n]", r"\A", r"(?-m:^)", "(?:a|(?s:.*)b)", "é",
    "[^-a]", r"[\t-a]", r"[^\t-]", r"[\s1]", "(?s:.)",
])  # fmt: skip
TEXTS = st.lists(st.text("aAb \n1é", max_size=5), max_size=200)


@given(st.lists(ITEMS, max_size=4).map("".join), TEXTS, st.booleans())
def test_a_text_matches_as_in_pythons_own_expressions(regex: str, texts: list[str], ignores_case: bool) -> None:
    """Also where a match of the joined texts would cross from one to the next."""
    flags = re.MULTILINE | re.ASCII | (re.IGNORECASE if ignores_case else 0)
    try:
        want = re.compile(regex, flags)
    except re.error:
        return
    assert matches(regex, texts, ignores_case=ignores_case).tolist() == [bool(want.search(each)) for each in texts]


@pytest.mark.parametrize("regex", ["a", "^a", r"\d a", "b$", "[^c]b", r"a\s", "(?s:.*)b", "a(?s:.*)c|b", r"\Ab"])
def test_many_texts_with_and_without_a_match(regex: str) -> None:
    random = np.random.default_rng(1)
    texts = [
        line for run in range(300) for line in [f"{run} " + "ab\n"[random.integers(3)] + "b"] * random.integers(30)
    ]
    assert matches(regex, texts).tolist() == [bool(re.search(regex, each, re.MULTILINE)) for each in texts]


def test_an_expression_that_reads_on_behind_its_match_takes_linear_time() -> None:
    """The first alternative may still match at the end of all texts: 40,000 times 2 MB would take minutes."""
    texts = ["step 1 of many, with a long message that fills the line"] * 40_000
    assert matches("step 1(?s:.*)never|step [0-9]", texts).all()


@given(st.text(max_size=9).filter(lambda text: text.isascii()), st.text(max_size=3))
def test_a_text_is_found_in_any_case(text: str, rest: str) -> None:
    data = f"{rest}{text.upper()}\n".encode()
    assert text_search(text).rows(data, np.array([0, len(data)])).all()


def test_a_long_text_is_found() -> None:
    text = "Sk" * 10_000
    assert text_search(text).rows(f"{text}\n".encode(), np.array([0, len(text) + 1])).all()


def test_a_whole_text_matches() -> None:
    assert whole_match("a|ab")("ab")
    assert not whole_match("a")("ab")


@pytest.mark.parametrize("regex", ["loss", "loss/.*val$", "^acc", "a|ss", "", "(?i)LOSS", ".oss", "(loss)|(acc)"])
@pytest.mark.parametrize("text", ["loss/train", "total_loss", "loss/a/val", "acc", "LOSS", "", "añ"])
def test_the_beginning_of_a_text_matches_as_in_python(regex: str, text: str) -> None:
    assert prefix_match(regex)(text) == (re.match(regex, text) is not None)


@given(st.text(), st.text("aé漢\n", min_size=1, max_size=3))
def test_the_span_of_a_text_is_that_of_its_characters(text: str, part: str) -> None:
    span = text_search(part).span(text + part)
    assert span is not None
    found = (text + part).encode("utf-8", "replace").decode()
    assert found[slice(*span)].lower() == part.lower()


def test_a_match_within_the_bytes_of_a_character_has_a_span() -> None:
    assert line_search(r"\C\n").span("é\n") == (1, 2)
    assert line_search("x").span("é") is None
