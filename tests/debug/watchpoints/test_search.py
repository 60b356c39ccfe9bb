# SPDX-License-Identifier: Apache-2.0
"""A search that pauses after each step and takes up later ones finds what one pass over all steps finds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict

import numpy as np
import pytest

from mindscope.debug.model.loaded import LoadedSource
from mindscope.debug.watchpoints import (
    RECOMMENDED,
    WatchpointSearch,
    evaluate_watchpoints,
    make_watchpoint,
    parse_watchpoint,
    recommended_watchpoints,
)
from tests.debug.made_sources import Recorded, gradient, output, parameter, source_of

LASTING = parse_watchpoint("tensor_too_large max_gt=1 for 2")
OVERFLOW = parse_watchpoint("tensor_overflow")


def growing(steps: Iterable[int], ranks: Iterable[int] = (0,)) -> LoadedSource:
    """From step 4 on a further tensor is recorded; from step 6 on it is infinite."""
    made: dict[tuple[int, int], list[Recorded]] = {}
    for step in steps:
        for rank in ranks:
            rows = [Recorded(output("a"), np.array([float(step % 4)]), 1), Recorded(output("a"), np.array([3.0]), 1)]
            if step >= 4:
                rows.append(Recorded(output("b"), np.array([np.inf if step >= 6 else 2.0]), 2))
            made[step, rank] = rows
    return source_of(made)


def read_all(search: WatchpointSearch) -> WatchpointSearch:
    while not search.is_over:
        search.read_next()
    return search


def test_steps_and_tensors_that_come_later_are_taken_up() -> None:
    watchpoints = [LASTING, OVERFLOW]
    search = read_all(WatchpointSearch(growing(range(1, 3)), watchpoints, is_growing=True))
    for last in (4, 6, 9):
        longer = WatchpointSearch(growing(range(1, last)), watchpoints, is_growing=True)
        longer.take_over(search)
        assert longer.read_steps == search.read_steps > 0
        search = read_all(longer)
    whole = read_all(WatchpointSearch(growing(range(1, 9)), watchpoints, is_growing=True))
    assert search.result().hits == whole.result().hits
    assert search.counts == whole.counts
    assert search.groups.page(0, 100) == whole.groups.page(0, 100)
    assert search.result().hits == evaluate_watchpoints(growing(range(1, 9)), watchpoints).hits


def test_a_rank_that_is_behind_is_taken_up() -> None:
    values = {(1, 0): 5.0, (1, 1): 6.0, (2, 0): 7.0, (2, 1): 8.0}
    made = {key: [Recorded(output("a"), np.array([value]))] for key, value in values.items()}
    both, early = source_of(made), source_of({key: made[key] for key in list(made)[:3]})
    watchpoint = parse_watchpoint("TL max_gt=1")
    search, later = (WatchpointSearch(each, [watchpoint], is_growing=True) for each in (early, both))
    later.take_over(read_all(search))
    assert later.read_steps == 3
    hits = read_all(later).result().hits
    assert [(hit.step, hit.rank, hit.actual) for hit in hits] == [(1, 0, 5), (1, 1, 6), (2, 0, 7), (2, 1, 8)]


def test_other_data_are_searched_from_the_start() -> None:
    search = read_all(WatchpointSearch(growing(range(1, 5)), [OVERFLOW], is_growing=True))
    for other in (
        WatchpointSearch(growing(range(2, 6)), [OVERFLOW], is_growing=True),
        WatchpointSearch(growing(range(1, 6)), [LASTING], is_growing=True),
        WatchpointSearch(source_of({1: [Recorded(output("c"), np.ones(1))]}), [OVERFLOW], is_growing=True),
    ):
        other.take_over(search)
        assert other.read_steps == 0


def test_a_growing_run_waits_for_all_steps_in_a_row_and_a_short_one_does_not() -> None:
    source = growing(range(1, 2))
    growing_search = read_all(WatchpointSearch(source, [LASTING], is_growing=True))
    assert growing_search.result().count == 0
    ended = WatchpointSearch(source, [LASTING])
    ended.take_over(growing_search)
    assert read_all(ended).result().count == 1


def test_groups_hold_the_first_and_the_last_hit_of_a_tensor() -> None:
    search = read_all(WatchpointSearch(growing(range(1, 9)), [parse_watchpoint("TL max_gt=1.5"), OVERFLOW]))
    total, groups = search.groups.page(0, 100)
    assert total == len(groups) == 3
    found = [(each.first.watchpoint, each.first.tensor, each.first.step, each.last.step, each.count) for each in groups]
    assert found == [(0, 0, 1, 8, 12), (0, 1, 4, 5, 2), (1, 1, 6, 8, 3)]
    assert (groups[0].first.row, groups[0].first.actual) == (1, 3)  # of two rows of a tensor, the first that holds
    assert search.groups.page(1, 1) == (3, groups[1:2])
    assert search.groups.page(0, 9, watchpoint=1) == (1, groups[2:])
    assert search.groups.page(5, 9) == (3, [])
    assert sum(each.count for each in groups) == search.result().count


def test_groups_count_hits_beyond_the_limit() -> None:
    search = read_all(WatchpointSearch(growing(range(1, 9)), [OVERFLOW], most_hits=1))
    assert len(search.result().hits) == 1
    assert [each.count for each in search.groups.page(0, 9)[1]] == [3]


@pytest.mark.parametrize("name", RECOMMENDED)
def test_a_recommended_watchpoint_has_a_text_that_makes_it_again(name: str) -> None:
    watchpoint = make_watchpoint(name, {})
    assert watchpoint.text == name
    assert parse_watchpoint(name) == watchpoint
    assert watchpoint in recommended_watchpoints()
    changed = parse_watchpoint(f"{name} for 5 @ encoder.*")
    assert (changed.text, changed.recommendation) == (f"{name} for 5 @ encoder.*", watchpoint.recommendation)


def test_a_recommendation_takes_other_parameters_and_keeps_its_guard() -> None:
    watchpoint = parse_watchpoint("dead_relu range_percentage_gt=50.5 for 1")
    assert watchpoint.text == "dead_relu range_percentage_gt=50.5 for 1"
    assert parse_watchpoint(watchpoint.text) == watchpoint
    half = np.array([-1.0, -1.0, 0.0, 5.0])
    rows = [Recorded(output("act", "ReLU"), half, 1), Recorded(output("", "aten::relu"), half, 2)]
    found = evaluate_watchpoints(source_of({1: rows}), [watchpoint])
    assert [hit.order for hit in found.hits] == [1]  # that of a module


def test_recommended_ones_follow_a_training_step_by_step() -> None:
    def rows(step: int) -> list[Recorded]:
        weight = np.full((2, 2), 1.0 + step)
        small = np.full((2, 2), 1e-12)
        return [
            Recorded(parameter("fc", shape=(2, 2)), weight, 0, weight - 0.1),
            Recorded(gradient("fc", shape=(2, 2)), np.ones((2, 2)), 8),
            Recorded(gradient("deep", shape=(2, 2)), small, 9),
        ]

    search: WatchpointSearch | None = None
    for last in range(1, 6):
        source = source_of({step: rows(step) for step in range(1, last + 1)})
        longer = WatchpointSearch(source, recommended_watchpoints(), is_growing=True)
        if search is not None:
            longer.take_over(search)
        search = read_all(longer)
        assert search.result().count == max(0, last - 2)
    assert search is not None
    assert {asdict(hit)["step"] for hit in search.result().hits} == {3, 4, 5}
