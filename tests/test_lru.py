# SPDX-License-Identifier: Apache-2.0
"""The one cache in memory, against a list that is searched from its end."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindscope.lru import LRU

OPERATIONS = st.lists(st.tuples(st.sampled_from(["add", "get", "drop"]), st.integers(0, 5), st.integers(0, 9)))


@given(OPERATIONS, st.integers(1, 20))
def test_holds_what_was_used_last_within_its_limit(operations: list[tuple[str, int, int]], limit: int):
    cache: LRU[int, int] = LRU(limit, lambda weight: weight)
    want: list[tuple[int, int]] = []  # the least recently used first
    for name, key, weight in operations:
        earlier = next((entry for entry in want if entry[0] == key), None)
        if name == "get":
            assert cache.get(key) == (None if earlier is None else earlier[1])
        else:
            assert (cache.add(key, weight) if name == "add" else cache.drop(key)) == (weight if name == "add" else None)
        want = [entry for entry in want if entry[0] != key]
        if name == "add":
            want.append((key, weight))
        elif name == "get" and earlier is not None:
            want.append(earlier)
        while sum(weight for _, weight in want) > limit and len(want) > 1:
            del want[0]
        assert cache.values() == [weight for _, weight in want]
        assert len(cache) == len(want)


def test_each_value_counts_one_without_weights():
    cache: LRU[str, str] = LRU(2)
    for key in "abc":
        cache.add(key, key)
    assert cache.values() == ["b", "c"]


def test_a_value_that_has_grown_is_weighed_when_it_is_added_again():
    cache: LRU[str, list[int]] = LRU(3, len)
    grows = cache.add("grows", [1])
    cache.add("other", [1])
    grows += [2, 3]
    cache.add("grows", grows)
    assert cache.values() == [[1, 2, 3]]


def test_a_value_that_is_not_current_is_made_again():
    cache: LRU[str, int] = LRU(2)
    assert cache.get_or_add("key", lambda: 1) == 1
    assert cache.get_or_add("key", lambda: 2) == 1
    assert cache.get_or_add("key", lambda: 3, lambda value: value > 1) == 3
    assert cache["key"] == 3


def test_none_is_a_value():
    cache: LRU[str, None] = LRU(2)
    calls: list[str] = []
    for _ in range(2):
        cache.get_or_add("key", lambda: calls.append("made"))
    assert calls == ["made"]


def test_nothing_stays_of_what_could_not_be_made():
    cache: LRU[str, int] = LRU(2)
    with pytest.raises(ZeroDivisionError):
        cache.get_or_add("key", lambda: 1 // 0)
    assert len(cache) == 0
    with pytest.raises(KeyError):
        cache["key"]


def test_threads_make_a_value_once():
    cache: LRU[int, object] = LRU(4)
    made: list[int] = []

    def make(key: int) -> Callable[[], object]:
        return lambda: made.append(key) or object()

    def use() -> None:
        for turn in range(400):
            cache.get_or_add(turn % 4, make(turn % 4))

    threads = [threading.Thread(target=use) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(made) == [0, 1, 2, 3]
