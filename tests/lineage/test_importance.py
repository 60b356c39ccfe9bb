# SPDX-License-Identifier: Apache-2.0
"""Importance on data whose answer is known."""

from __future__ import annotations

import sys
from functools import cache
from typing import Any

import numpy as np
import pytest

from mindscope.errors import ColumnNotFoundError
from mindscope.lineage.association import (
    RESAMPLES,
    binned,
    correlation_ratio,
    linear_correlation,
    mutual_information,
    rank_correlation,
    ranks,
    sample_weights,
)
from mindscope.lineage.column import ColumnKey, Group
from mindscope.lineage.features import LOSS
from mindscope.lineage.importance import CANNOT_SEE, Importance, Measure, importance_of
from mindscope.lineage.table import Table

TARGET = ColumnKey(Group.METRIC, "target")
COUNT = 240


def table_of(target: Any, **parameters: Any) -> Table:
    columns = {ColumnKey(Group.PARAMETER, name): values for name, values in parameters.items()} | {TARGET: target}
    rows = {
        f"run_{row}": {key: values[row] for key, values in columns.items() if values[row] is not None}
        for row in range(len(target))
    }
    return Table.from_rows(rows)


@cache
def known_answers() -> Importance:
    """One target made of a line, a curve, a category and a product; a monotone and an idle parameter beside them."""
    rng = np.random.default_rng(1)
    line, curve, left, right, idle = (rng.uniform(-1, 1, COUNT) for _ in range(5))
    category = rng.integers(0, 3, COUNT)
    target = 1.0 * line + 2.5 * curve**2 + np.array([0.0, 1.5, 0.0])[category] + 4 * left * right
    names: list[str] = [["Adam", "SGD", "Lion"][code] for code in category.tolist()]
    return importance_of(
        table_of(
            target.tolist(),
            line=line.tolist(),
            curve=curve.tolist(),
            left=left.tolist(),
            right=right.tolist(),
            idle=idle.tolist(),
            optimizer=names,
            constant=[3] * COUNT,
            note=[f"try {row}" for row in range(COUNT)],
            rare=[1.0, 2.0] + [None] * (COUNT - 2),
        ),
        TARGET,
    )


def value(name: str, measure: Measure) -> float:
    return known_answers()[name].measures[measure].value


def test_a_line_is_seen_by_all() -> None:
    got = known_answers()["line"].measures
    assert got[Measure.LINEAR].low > 0.2
    assert got[Measure.RANK].low > 0.2
    assert got[Measure.INFORMATION].value > value("idle", Measure.INFORMATION)
    assert got[Measure.FOREST].low > 0.05


def test_a_parabola_has_no_slope_and_is_seen_by_information_and_forest() -> None:
    got = known_answers()["curve"].measures
    assert got[Measure.LINEAR].low < 0 < got[Measure.LINEAR].high
    assert got[Measure.RANK].low < 0 < got[Measure.RANK].high
    assert got[Measure.INFORMATION].value > 0.3
    assert got[Measure.FOREST].low > 0.05


def test_a_category_counts_by_its_means() -> None:
    feature = known_answers()["optimizer"]
    assert feature.kind == "category"
    assert feature.measures[Measure.LINEAR].low > 0.2
    assert feature.measures[Measure.FOREST].low > 0


def test_what_matters_together_only_is_seen_by_the_forest() -> None:
    got = known_answers()
    for name in ("left", "right"):
        measures = got[name].measures
        assert measures[Measure.LINEAR].low < 0 < measures[Measure.LINEAR].high
        assert measures[Measure.FOREST].low > 0.05
    strongest = got.pairs[0]
    assert {strongest.one.name, strongest.other.name} == {"left", "right"}
    assert strongest.share.low > 0.2
    assert strongest.share.value > 5 * got.pairs[1].share.value


def test_an_idle_parameter_is_last() -> None:
    got = known_answers()
    assert got.features[-1].key.name == "idle"
    assert abs(value("idle", Measure.FOREST)) < 0.02
    assert value("idle", Measure.INFORMATION) < 0.2
    assert got.forest_score is not None
    assert got.forest_score.low > 0.2


def test_columns_that_cannot_explain_are_set_apart_with_a_reason() -> None:
    got = {each.key.name: each.reason for each in known_answers().set_apart}
    assert got["constant"] == "Constant: all runs have 3."
    assert got["note"] == f"Nearly unique: {COUNT} different values in {COUNT} runs."
    assert got["rare"].startswith("Only 2 runs have it")
    with pytest.raises(ColumnNotFoundError, match="Nearly unique"):
        _ = known_answers()["note"]


def test_only_what_is_chosen_before_a_training_is_a_cause() -> None:
    numbers = np.random.default_rng(8).normal(size=(6, 30))
    groups = [Group.PARAMETER, Group.DATASET, Group.ALGORITHM, Group.MODEL, Group.CUSTOM, Group.METRIC]
    keys = [ColumnKey(group, "x") for group in groups]
    columns = {**dict(zip(keys, numbers.tolist(), strict=True)), LOSS: numbers[0].tolist()}
    columns |= {ColumnKey(Group.CUSTOM, "y"): numbers[1].tolist(), TARGET: numbers[2].tolist()}
    table = Table.from_rows({str(row): {key: each[row] for key, each in columns.items()} for row in range(30)})

    def analyzed(**choice: Any) -> tuple[set[str], dict[str, str]]:
        got = importance_of(table, TARGET, **choice)
        return {each.key.id for each in got.features}, {each.key.id: each.reason.code for each in got.set_apart}

    causes = {"x", "dataset/x", "algorithm/x", "model/x"}
    assert analyzed() == (causes, {"custom/x": "column_custom", "custom/y": "column_custom"})
    assert analyzed(also=[keys[4], keys[5]]) == ({*causes, "custom/x", "metric/x"}, {"custom/y": "column_custom"})
    assert analyzed(keys=[keys[4]]) == ({"custom/x"}, {})


def test_each_measure_says_what_it_cannot_see() -> None:
    assert set(CANNOT_SEE) == set(Measure)
    assert all(feature.measures.keys() == set(Measure) for feature in known_answers().features)


def test_a_monotone_curve_has_rank_one() -> None:
    x = np.linspace(0, 1, 50)
    y = np.exp(20 * x)
    assert rank_correlation(x, y).value == pytest.approx(1)
    assert rank_correlation(x, -y).value == pytest.approx(-1)
    assert abs(linear_correlation(x, y).value) < 0.8


def test_estimates_are_those_of_scipy() -> None:
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(2)
    x, y = rng.integers(0, 9, 60).astype(float), rng.normal(size=60)
    y += x / 3
    pearson = stats.pearsonr(x, y)
    got = linear_correlation(x, y)
    assert got.value == pytest.approx(pearson.statistic)
    assert (got.low, got.high) == pytest.approx(tuple(pearson.confidence_interval()), abs=1e-6)
    assert rank_correlation(x, y).value == pytest.approx(stats.spearmanr(x, y).statistic)
    assert ranks(x) == pytest.approx(stats.rankdata(x))


def test_information_of_what_is_known_in_closed_form() -> None:
    rng = np.random.default_rng(3)
    coin = rng.integers(0, 2, 20_000)
    assert mutual_information(coin, coin).value == pytest.approx(np.sqrt(1 - 0.25), abs=0.01)  # one bit
    assert mutual_information(coin, rng.integers(0, 2, 20_000)).value < 0.03
    x = rng.normal(size=20_000)
    y = 0.8 * x + 0.6 * rng.normal(size=20_000)
    assert mutual_information(binned(x), binned(y)).value == pytest.approx(0.8, abs=0.05)


def test_intervals_cover_the_truth_about_as_often_as_they_say() -> None:
    rng = np.random.default_rng(4)
    covered = 0
    for _ in range(400):
        x = rng.normal(size=40)
        got = linear_correlation(x, 0.6 * x + 0.8 * rng.normal(size=40))
        covered += got.low <= 0.6 <= got.high
    assert 0.92 <= covered / 400 <= 0.98


def test_a_category_without_effect_is_near_zero() -> None:
    rng = np.random.default_rng(5)
    got = correlation_ratio(rng.integers(0, 4, 400), rng.normal(size=400), sample_weights(400, rng))
    assert got.value < 0.12
    assert got.low == 0


def test_the_interval_of_a_category_is_that_of_resampled_runs() -> None:
    rng = np.random.default_rng(10)
    codes = rng.integers(0, 5, 90)
    y = rng.normal(size=90) + codes % 2
    got = correlation_ratio(codes, y, sample_weights(90, np.random.default_rng(11)))
    samples = np.random.default_rng(11).integers(0, 90, (RESAMPLES, 90))
    assert got.value == pytest.approx(plain_ratio(codes, y))
    want = np.percentile([plain_ratio(codes[rows], y[rows]) for rows in samples], (2.5, 97.5))
    assert (got.low, got.high) == pytest.approx(tuple(want))


def plain_ratio(codes: Any, y: Any) -> float:
    """The root of the share of the variance that category means explain, adjusted for their number."""
    groups = [y[codes == code] for code in np.unique(codes)]
    within = sum(((group - group.mean()) ** 2).sum() for group in groups)
    share = 1 - within / ((y - y.mean()) ** 2).sum() * (y.size - 1) / (y.size - len(groups))
    return float(np.sqrt(max(0, share)))


@pytest.mark.parametrize("scale", [1e200, 1e-200, 1.0])
def test_a_category_of_one_run_each_or_of_equal_results_explains_nothing(scale: float) -> None:
    weights = sample_weights(12, np.random.default_rng(12))
    assert correlation_ratio(np.arange(12), np.arange(12.0) * scale, weights).value == 0
    assert correlation_ratio(np.arange(12) % 2, np.full(12, 0.1) * scale, weights).high == 0
    outlier = np.append(np.full(11, 0.1), 7.3) * scale  # some samples are without it
    assert np.isfinite(correlation_ratio(np.arange(12) % 2, outlier, weights).high)
    assert correlation_ratio(np.arange(12) % 2, np.array([0.0, scale] * 6), weights).low == pytest.approx(1)


def test_too_few_runs_say_so() -> None:
    got = importance_of(table_of([1.0, 2.0, None, np.nan], lr=[1.0, 2.0, 3.0, 4.0]), TARGET)
    assert (got.sample_size, got.features) == (2, ())
    assert "At least 8 runs" in (got.forest_problem or "")
    got = importance_of(table_of([1.0] * 20, lr=list(range(20))), TARGET)
    assert "1 value." in (got.forest_problem or "")


def test_without_scikit_learn_the_other_measures_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.ensemble", None)
    numbers = np.arange(20.0).tolist()
    got = importance_of(table_of(numbers, lr=numbers), TARGET)
    assert got.forest_score is None
    assert "pip install 'mindscope[importance]'" in (got.forest_problem or "")
    assert set(got["lr"].measures) == {Measure.LINEAR, Measure.RANK, Measure.INFORMATION}
    assert got["lr"].measures[Measure.LINEAR].value == pytest.approx(1)


def test_missing_values_and_infinities_do_not_end_it() -> None:
    rng = np.random.default_rng(6)
    lr = [None if row % 5 == 0 else np.inf if row % 7 == 0 else float(rng.uniform()) for row in range(60)]
    amp = [None if row % 3 == 0 else bool(row % 2) for row in range(60)]
    target = [float(rng.normal()) + (2.0 if each else 0.0) for each in amp]
    got = importance_of(table_of(target, lr=lr, amp=amp), TARGET)
    assert got["lr"].measures[Measure.LINEAR].sample_size == sum(x is not None and np.isfinite(x) for x in lr)
    assert got.features[0].key.name == "amp"


def test_a_category_of_many_values_makes_no_pair() -> None:
    names = [f"name {row % 9}" for row in range(60)]
    numbers = np.random.default_rng(7).normal(size=60).tolist()
    got = importance_of(table_of(numbers, name=names, amp=[row % 2 == 0 for row in range(60)]), TARGET)
    assert {feature.key.name for feature in got.features} == {"name", "amp"}
    assert got.pairs == ()


def test_a_share_of_few_runs_is_at_most_all() -> None:
    rng = np.random.default_rng(9)
    columns = {name: [float(value) for value in rng.integers(0, 3, 9)] for name in "abcd"}
    got = importance_of(table_of(rng.normal(size=9).tolist(), **columns), TARGET)
    assert got.pairs
    assert all(0 <= pair.share.low <= pair.share.high <= 1 for pair in got.pairs)
