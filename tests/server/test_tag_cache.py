# SPDX-License-Identifier: Apache-2.0
"""Answers about tags are kept while nothing changes, within a bound, and are those of a new computation afterwards."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mindscope.ingest import Catalog
from mindscope.server.tags.cache import TagCache
from mindscope.server.tags.query import summarize_tags
from mindscope.server.tags.schema import TagsQuery
from mindscope.types import Kind

from .live_viewer import GrowingLog


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    for name in ("a", "b"):
        GrowingLog(tmp_path / name).scalar(1, 1.0)
    catalog = Catalog(tmp_path)
    catalog.refresh()
    return catalog


def test_an_answer_is_kept_until_a_run_changes(tmp_path: Path, catalog: Catalog):
    tags_of, query = TagCache(catalog), TagsQuery(runs=["a", "b"])
    first = tags_of.answer(query)
    assert tags_of.answer(query) is first
    GrowingLog(tmp_path / "b").scalar(7, 2.0)
    assert tags_of.answer(query) is first
    catalog.refresh()
    grown = tags_of.answer(query)
    assert [tag["last"]["step"] for tag in json.loads(grown)["tags"]] == [7]
    assert grown == summarize_tags(catalog, query).model_dump_json()


def test_queries_of_other_runs_or_kinds_have_their_own_answers(catalog: Catalog):
    tags_of = TagCache(catalog)
    queries = [TagsQuery(runs=["a"]), TagsQuery(runs=["a", "b"]), TagsQuery(runs=["a"], kind=Kind.IMAGE)]
    for _ in range(2):
        answers = [json.loads(tags_of.answer(query))["tags"] for query in queries]
        assert [[tag["runs"] for tag in tags] for tags in answers] == [[[0]], [[0, 1]], []]


def test_the_least_recently_used_answer_goes_first(catalog: Catalog):
    both, one = TagsQuery(runs=["a", "b"]), TagsQuery(runs=["a"])
    size = sum(len(TagCache(catalog).answer(query)) for query in (both, one))
    tags_of = TagCache(catalog, kept_bytes=size)
    first, second = tags_of.answer(both), tags_of.answer(one)
    assert tags_of.answer(both) is first
    tags_of.answer(TagsQuery(runs=["b"]))
    assert tags_of.answer(both) is first
    assert tags_of.answer(one) is not second
