# SPDX-License-Identifier: Apache-2.0
"""Any text of a log becomes one harmless path component, and two texts never the same."""

from __future__ import annotations

import unicodedata
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindscope.reading.file_names import file_names, quoted

TEXTS = st.text(max_size=300) | st.sampled_from(
    ["", ".", "..", "/", "../../etc/passwd", "a/../b", "CON", "\\", "\0", "-"]
)


@given(st.lists(TEXTS, max_size=20))
def test_names_are_single_visible_components_and_all_different(tags: list[str]) -> None:
    names = file_names(tags)
    assert set(names) == set(tags)
    assert len({unicodedata.normalize("NFD", name).casefold() for name in names.values()}) == len(names)
    for name in names.values():
        assert name not in ("", ".", "..")
        assert not name.startswith(".")
        assert not set(name) & set('/\\:*?"<>|\0\n')
        assert len(name.encode()) <= 200


@given(st.text(max_size=30))
def test_a_short_tag_can_be_had_back(tag: str) -> None:
    assert tag == "" or unquote(quoted(tag)) == tag


@pytest.mark.parametrize(
    ("tag", "name"),
    [
        ("loss", "loss"),
        ("train/loss", "train%2Floss"),
        ("..", "%2E."),
        (".hidden", "%2Ehidden"),
        ("", "%"),
        ("net.conv1.weight/auto", "net.conv1.weight%2Fauto"),
        ("50%", "50%25"),
        ("损失/验证", "损失%2F验证"),
        ("lr=0.1,seed=3 (a)", "lr=0.1,seed=3%20(a)"),
        ("a\u200bb\ud800", "a%E2%80%8Bb%ED%A0%80"),
    ],
)
def test_names(tag: str, name: str) -> None:
    assert file_names([tag]) == {tag: name}


def test_case_alone_does_not_tell_two_names_apart() -> None:
    first, second = file_names(["Loss", "loss"]).values()
    assert first == "Loss"
    assert second.startswith("loss~")


def test_long_tags_with_one_beginning_stay_apart() -> None:
    names = file_names(["x" * 400, "x" * 401])
    assert len(set(names.values())) == 2


@pytest.mark.parametrize("tag", ["图像" * 60, "a/" * 200, "é/" * 100, "x" * 159 + "图"])
def test_a_long_name_is_cut_between_characters(tag: str) -> None:
    (name,) = file_names([tag]).values()
    beginning = name.rpartition("~")[0]
    assert 150 <= len(beginning.encode()) <= 160
    assert tag.startswith(unquote(beginning, errors="strict"))


def test_names_that_differ_only_in_how_accents_are_written_stay_apart() -> None:
    first, second = file_names(["caf\u00e9", "cafe\u0301"]).values()
    assert unicodedata.normalize("NFC", first) != unicodedata.normalize("NFC", second)
