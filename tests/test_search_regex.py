# SPDX-License-Identifier: Apache-2.0
"""Regular expressions of users: which are too large, and what they match."""

from __future__ import annotations

import pytest

from mindscope.search_regex import MAX_SIZE, RegexError, check, matches, size_of


@pytest.mark.parametrize("regex", [
    "(.*){1,1000}" * 20, "(.*){1,1000}", "((a{10}){10}){100}", "(?i)(?:x|y){1,900}{9}", r"\pL{1,100}",
    r"(\p{Han}b){90}", r"([^x]|[[:alpha:]\]]){1,600}", ".{0,600}" * 2, "a{1000}" * 5,
])  # fmt: skip
def test_a_large_expression_is_refused_before_it_runs(regex: str) -> None:
    assert size_of(regex) > MAX_SIZE
    with pytest.raises(RegexError, match=f"at most {MAX_SIZE}"):
        check(regex)


@pytest.mark.parametrize(("regex", "size"), [
    ("", 0), ("error", 5), (r"\d{1,3}(\.\d{1,3}){3}", 15), ("a{3}", 3), ("a{2,}b", 4), ("a{0}", 1), ("{3}", 0),
    ("a{x}", 4), ("[a-z]{2}", 16), ("[]]", 8), ("[^]a]x", 9), (r"\Qa{99}\E", 5), (r"\(a{9}", 10), ("a)b(", 3),
    ("[", 1), (".", 8),
])  # fmt: skip
def test_sizes(regex: str, size: int) -> None:
    assert size_of(regex) == size


@pytest.mark.parametrize("regex", [
    r"loss=\d+\.\d{1,8}", r"(?i)error|warn(ing)?", r"^\[rank\d+\]:.{0,200}timeout$", r"(\d{1,3}\.){3}\d{1,3}",
    r"Traceback[\s\S]*?Error", r"\p{Han}+", "x" * 1000,
])  # fmt: skip
def test_expressions_of_users_are_searched(regex: str) -> None:
    check(regex)


def test_matches_in_lines() -> None:
    assert matches("^b$", ["a\nb", "ab", "b"]).tolist() == [True, False, True]
    assert matches("B", ["b"], ignores_case=True).tolist() == [True]


@pytest.mark.parametrize("regex", ["(", "a**", "[", r"\1", "(?=a)", "x{1001}"])
def test_what_is_no_expression_of_re2_is_said(regex: str) -> None:
    with pytest.raises(RegexError):
        check(regex)
