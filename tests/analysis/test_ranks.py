# SPDX-License-Identifier: Apache-2.0
"""Ranks of one training are found by the ids of runs."""

from __future__ import annotations

from mindscope.analysis.ranks import expand_ranks, find_ranks


def test_ranks_are_siblings_only():
    ids = ["a/rank_0", "a/rank_1", "b/rank_0", "rank_0", "rank_1", "c/summary_dir0", "c/summary_dir10", "d/frank_1"]
    ids += ["e/rank_0/x", "e/rank_1/x", "e/rank_0/y", "f/rank_0/rank_0", "f/rank_0/rank_1", "g/rank0", "g/rank_0"]
    groups = {id: rank.group for id, rank in find_ranks(ids).items()}
    assert groups == {
        "a/rank_0": "a/rank_*",
        "a/rank_1": "a/rank_*",
        "rank_0": "rank_*",
        "rank_1": "rank_*",
        "c/summary_dir0": "c/summary_dir*",
        "c/summary_dir10": "c/summary_dir*",
        "e/rank_0/x": "e/rank_*/x",
        "e/rank_1/x": "e/rank_*/x",
        "f/rank_0/rank_0": "f/rank_0/rank_*",
        "f/rank_0/rank_1": "f/rank_0/rank_*",
    }
    assert expand_ranks(["c/summary_dir*", "b/rank_0", "c/summary_dir0"], ids) == [
        "c/summary_dir0", "c/summary_dir10", "b/rank_0"
    ]  # fmt: skip
