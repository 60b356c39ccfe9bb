# SPDX-License-Identifier: Apache-2.0
"""YAML of Hydra and Lightning, and YAML that means harm."""

from __future__ import annotations

import re
import string
from contextlib import suppress

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from mindscope.artifacts.yaml_text import MOST_VALUES, parse_yaml
from mindscope.errors import FormatError

NAMES = st.text(string.ascii_letters, min_size=1, max_size=8)
TEXTS = st.text(string.printable, max_size=12).filter(lambda text: not re.fullmatch(r"[-+]?[\d.]+[eE][-+]?\d+", text))
"""The library writes a text such as 1e5 without quotes, which is a number for Hydra."""
PLAIN = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS
VALUES = st.recursive(PLAIN, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4))


@given(st.dictionaries(NAMES, VALUES, max_size=5))
def test_what_the_library_dumps_is_read_back(settings: dict[str, object]) -> None:
    assert parse_yaml(yaml.safe_dump(settings)) == settings


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("lr: 1e-3", 0.001),
        ("lr: -1E5", -1e5),
        ("lr: .5e+1", 5.0),
        ("lr: 0.001", 0.001),
        ("lr: 3", 3),
        ("lr: '3'", "3"),
        ("lr: yes", True),
        ("lr: ~", None),
        ("lr: -.inf", float("-inf")),
        ("at: 1:30", "1:30"),
        ("at: 12:30:45.5", "12:30:45.5"),
        ("at: 2026-01-02", "2026-01-02"),
        ("at: 2026-01-02 03:04:05", "2026-01-02 03:04:05"),
        ("betas: !!python/tuple [0.9, 0.999]", [0.9, 0.999]),
        ("act: !!python/name:torch.nn.ReLU ''", "torch.nn.ReLU"),
        ("x: !!python/object:foo.Bar {a: 1}", {"a": 1}),
        ("x: !!python/object/apply:os.getcwd []", []),
        ("x: !custom 3", "3"),
        ("x: !!int three", "three"),
        ("x: !!timestamp soon", "soon"),
    ],
)
def test_values_as_their_authors_mean_them(text: str, want: object) -> None:
    (got,) = parse_yaml(text).values()
    assert (type(got), got) == (type(want), want)


def test_merges_and_aliases() -> None:
    text = "base: &b {lr: 1, wd: 2}\nother: &o {wd: 3, x: 4}\na: {<<: *b, wd: 9}\nb: {<<: [*b, *o]}\nc: *b\n"
    got = parse_yaml(text)
    assert got["a"] == {"lr": 1, "wd": 9}
    assert got["b"] == {"lr": 1, "wd": 2, "x": 4}
    assert got["c"] == {"lr": 1, "wd": 2}


def bomb(item: str) -> str:
    lines = ["a0: &a0 {x: 1}"]
    lines += [f"a{n}: &a{n} " + item.format(", ".join([f"*a{n - 1}"] * 10)) for n in range(1, 13)]
    return "\n".join(lines)


@pytest.mark.parametrize(
    "text",
    [
        bomb("[{}]"),
        bomb("{{<<: [{}]}}"),
        "a: &a [*a]",
        "a: &a {<<: *a}",
        "[" * 200_000,
        "{a: " * 200_000,
        "[a, " * 200_000,
        "- " * 200_000,
        "\n".join(" " * depth + "-" for depth in range(300)),
        "\n".join(f"k{n}: {n}" for n in range(MOST_VALUES)),
        "a: [",
        "a: *nowhere",
        "\t- x",
        "a: 1\n---\nb: 2",
        "a: \x00",
    ],
    ids=lambda text: text[:20].replace("\n", " "),
)
def test_hostile_texts_are_refused_at_once(text: str) -> None:
    with pytest.raises(FormatError):
        parse_yaml(text)


def test_an_error_says_its_place() -> None:
    with pytest.raises(FormatError, match=r"^line 2, column \d+: "):
        parse_yaml("a: 1\nb: ]\n")


def test_an_empty_text() -> None:
    assert parse_yaml("") is None
    assert parse_yaml("# nothing\n") is None


@given(st.text(max_size=60))
def test_any_text_is_a_value_or_a_format_error(text: str) -> None:
    with suppress(FormatError):
        parse_yaml(text)
