# SPDX-License-Identifier: Apache-2.0
"""Groups of runs, derived lines and ranks over HTTP, against numpy on the same points."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from mindscope.analysis.groups import GroupExpression
from mindscope.ingest import Catalog
from mindscope.server.expressions.schema import ExpressionsHeader
from mindscope.server.groups.cache import GroupCache, GroupSpread
from mindscope.server.groups.schema import GroupsHeader
from tests.event_log import DATA, append, scalars, version

from .live_viewer import LiveViewer, check_header, eventually, running_viewer, unpack

RUNS = 5
POINTS = 3000
NAME = "events.out.events.summary.1795225259.0.test_MS"


def loss(run: int, steps: np.ndarray) -> np.ndarray:
    return (np.exp(-steps / 1000) + 0.1 * np.sin(steps * (run + 1))).astype(np.float32)


def steps_of(run: int) -> np.ndarray:
    """Every run logs every second step; the last one only every tenth, and not to the end."""
    return np.arange(0, 2 * POINTS, 2) if run < RUNS - 1 else np.arange(0, POINTS, 10)


@pytest.fixture(scope="module")
def grouped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveViewer]:
    room = tmp_path_factory.mktemp("groups")
    for run in range(RUNS):
        directory = room / "logs" / "ddp" / f"rank_{run}"
        directory.mkdir(parents=True)
        records = [
            scalars(int(step), {"train/loss": value, "acc": 1 - value, "lr": 0.1 / (1 + step)}, 1e9 + 100 * run + step)
            for step, value in zip(steps_of(run), loss(run, steps_of(run)).tolist(), strict=True)
        ]
        append(directory / NAME, version() + b"".join(records))
    (room / "logs" / "alone").mkdir()
    append(room / "logs" / "alone" / NAME, version() + scalars(1, {"loss": float("nan")}) + scalars(2, {"loss": 2.0}))
    with running_viewer(room / "logs", room, "--reload-interval", "0") as viewer:
        eventually(lambda: len(viewer.runs()) == RUNS + 1 and all(run["tags"] for run in viewer.runs().values()))
        yield viewer


class Answer:
    """Lines or groups of an answer, with their columns as arrays."""

    def __init__(self, body: bytes, key: str) -> None:
        answer = unpack(body)
        check_header({"lines": ExpressionsHeader, "groups": GroupsHeader}[key], answer)
        self.facts: list[dict[str, Any]] = answer.header[key]
        self.arrays = [
            {
                name: np.frombuffer(answer.data, place["dtype"], place["length"], place["offset"])
                for name, place in (each["columns"] or {}).items()
                if place
            }
            for each in self.facts
        ]


def groups(viewer: LiveViewer, *names: dict[str, Any], **query: Any) -> Answer:
    body = {"groups": [{"key": "k", "y": "`train/loss`", "runs": ["ddp/rank_*"], **name} for name in names], **query}
    return Answer(viewer.http.post("/api/groups", json=body).raise_for_status().content, "groups")


def derived(viewer: LiveViewer, *names: dict[str, Any], **query: Any) -> Answer:
    body = {"lines": [{"run": "ddp/rank_0", "y": "`train/loss`", **name} for name in names], **query}
    return Answer(viewer.http.post("/api/expressions", json=body).raise_for_status().content, "lines")


def matrix() -> np.ndarray:
    """A row for each run, a column for each of the first 6000 steps; NaN where there is no point."""
    values = np.full((RUNS, 2 * POINTS), np.nan)
    for run in range(RUNS):
        values[run, steps_of(run)] = loss(run, steps_of(run))
    return values


def joined() -> np.ndarray:
    """The same with straight lines between the points of a run."""
    return pd.DataFrame(matrix()).interpolate(axis=1, limit_area="inside").to_numpy()


@pytest.mark.parametrize(("alignment", "values"), [("exact", matrix), ("linear", joined)])
def test_statistics_are_over_all_points_with_their_count(
    grouped: LiveViewer, alignment: str, values: Callable[[], np.ndarray]
):
    answer = groups(grouped, {}, pixels=8192, alignment=alignment)
    facts, got = answer.facts[0], answer.arrays[0]
    assert not facts["reduced"]
    assert facts["points"] == POINTS
    assert facts["runs"] == RUNS
    assert facts["interpolated"] == (alignment == "linear")
    want = values()[:, ::2]
    assert got["x"].tolist() == list(range(0, 2 * POINTS, 2))
    np.testing.assert_array_equal(got["count"], np.isfinite(want).sum(axis=0))
    np.testing.assert_allclose(got["mean"], np.nanmean(want, axis=0), rtol=1e-5)
    np.testing.assert_allclose(got["low"], np.nanmin(want, axis=0))
    np.testing.assert_allclose(got["high"], np.nanmax(want, axis=0))
    np.testing.assert_allclose(got["deviation"], np.nanstd(want, axis=0, ddof=1), rtol=1e-4)
    for name, share in (("lower_quartile", 0.25), ("median", 0.5), ("upper_quartile", 0.75)):
        np.testing.assert_allclose(got[name], np.nanquantile(want, share, axis=0), rtol=1e-5)
    errors = pd.DataFrame(want).sem().to_numpy()
    np.testing.assert_allclose(got["standard_error"], errors, rtol=1e-4)
    students = np.select([got["count"] == 5, got["count"] == 4], [2.776445, 3.182446])
    np.testing.assert_allclose(got["confidence"], students * errors, rtol=1e-4)


def test_what_is_not_interpolated_says_so(grouped: LiveViewer):
    same = groups(grouped, {"runs": [f"ddp/rank_{run}" for run in range(RUNS - 1)]}, {"runs": ["ddp/rank_4"]})
    assert [each["interpolated"] for each in same.facts] == [False, False]
    zoomed = groups(grouped, {}, {"y": "acc"}, range=[POINTS + 100, POINTS + 200])
    assert [each["interpolated"] for each in zoomed.facts] == [False, False]  # one run has ended there
    assert groups(grouped, {}, range=[100, 200]).facts[0]["interpolated"]


def test_a_reduced_group_keeps_its_extremes_and_a_zoom_is_exact(grouped: LiveViewer):
    whole = groups(grouped, {}, pixels=8192).arrays[0]
    narrow = groups(grouped, {}, pixels=20)
    assert narrow.facts[0]["reduced"]
    assert narrow.facts[0]["returned"] < POINTS / 2
    assert narrow.arrays[0]["high"].max() == whole["high"].max()
    assert narrow.arrays[0]["low"].min() == whole["low"].min()
    rows = np.isin(whole["x"], narrow.arrays[0]["x"])
    for name, column in narrow.arrays[0].items():
        np.testing.assert_array_equal(column, whole[name][rows])
    zoomed = groups(grouped, {}, pixels=20, range=[101, 141])
    assert not zoomed.facts[0]["reduced"]
    inside = (whole["x"] >= 100) & (whole["x"] <= 142)  # with a neighbor on each side
    for name, column in zoomed.arrays[0].items():
        np.testing.assert_array_equal(column, whole[name][inside])


def test_over_time_runs_count_between_their_points(grouped: LiveViewer):
    answer = groups(grouped, {"runs": ["ddp/rank_0", "ddp/rank_4"]}, axis="relative", pixels=8192)
    assert answer.facts[0]["alignment"] == "linear"
    got = answer.arrays[0]
    assert got["count"][got["x"] <= POINTS - 10].tolist() == [2.0] * (POINTS // 2 - 4)
    assert set(got["count"][got["x"] > POINTS - 10]) == {1.0}
    at = int(np.flatnonzero(got["x"] == 14)[0])
    ends = loss(4, np.array([10, 20]))
    assert got["mean"][at] == pytest.approx((loss(0, np.array([14]))[0] + ends[0] * 0.6 + ends[1] * 0.4) / 2, rel=1e-5)


def test_smoothing_comes_before_grouping(grouped: LiveViewer):
    plain = groups(grouped, {}, pixels=8192).arrays[0]
    smooth = groups(grouped, {}, pixels=8192, smoothing={"half_life_steps": 200}).arrays[0]
    assert np.abs(np.diff(smooth["mean"][::5])).max() < np.abs(np.diff(plain["mean"][::5])).max() / 4


def test_runs_without_the_tag_are_named(grouped: LiveViewer):
    facts = groups(grouped, {"runs": ["ddp/rank_0", "alone", "nix"]}).facts[0]
    assert facts["runs"] == 1
    assert facts["missing"] == ["alone", "nix"]
    assert "there is no scalar tag" in facts["problem"]["message"]
    assert facts["error"] is None


@pytest.mark.parametrize(
    ("change", "want"),
    [
        ({"y": "loss +"}, "is incomplete"),
        ({"y": "loss > 2"}, "expected a number"),
        ({"y": "1 + 2"}, "names no tag"),
        ({"runs": []}, "has no runs"),
        ({"runs": ["nix"]}, "There is no run “nix”"),
    ],
)
def test_a_group_without_values_says_why(grouped: LiveViewer, change: dict[str, Any], want: str):
    answer = groups(grouped, change, {})
    assert want in answer.facts[0]["error"]["message"]
    assert answer.facts[0]["columns"] is None
    assert answer.facts[1]["error"] is None


def test_a_cursor_spares_what_is_known(grouped: LiveViewer):
    first = groups(grouped, {}).facts[0]
    again = groups(grouped, {"since": first["cursor"]}).facts[0]
    assert again["kept"] == again["returned"] == first["returned"]
    assert again["columns"]["x"]["length"] == 0


def test_a_derived_line_is_evaluated_at_common_steps(grouped: LiveViewer):
    answer = derived(grouped, {"y": "1 - acc - `train/loss`"}, {"y": "`train/loss` * 2"}, pixels=8192)
    np.testing.assert_allclose(answer.arrays[0]["value"], 0, atol=1e-6)
    np.testing.assert_array_equal(answer.arrays[1]["value"], loss(0, steps_of(0)).astype(float) * 2)
    assert answer.arrays[1]["step"].tolist() == steps_of(0).tolist()
    assert answer.arrays[1]["wall_time"][3] == 1e9 + 6


def test_any_tag_may_be_the_axis(grouped: LiveViewer):
    answer = derived(grouped, {}, x="lr", pixels=8192)
    got = answer.arrays[0]
    assert (np.diff(got["x"]) > 0).all()
    np.testing.assert_array_equal(got["value"], loss(0, steps_of(0))[::-1])
    assert answer.facts[0]["last_x"] == pytest.approx(0.1)


def test_runs_are_laid_over_each_other_by_an_offset(grouped: LiveViewer):
    got = derived(grouped, {"offset": -1000}, pixels=8192, range=[-1000, -990]).arrays[0]
    assert got["x"].tolist() == [-1000, -998, -996, -994, -992, -990, -988]
    assert got["step"].tolist() == [0, 2, 4, 6, 8, 10, 12]


def test_lines_and_groups_are_as_sharp_in_the_first_decade_of_a_logarithmic_axis(grouped: LiveViewer):
    first = set(range(0, 40, 2))
    for ask in (derived, groups):
        even = ask(grouped, {}, pixels=100).arrays[0]["x"]
        log = ask(grouped, {}, pixels=100, log_origin=0).arrays[0]["x"]
        assert first <= set(log.tolist())
        assert not first <= set(even.tolist())
        moved = ask(grouped, {}, pixels=100, log_origin=-1000, range=[-999, 6000]).arrays[0]["x"]
        assert not first <= set(moved.tolist())


@pytest.mark.parametrize(
    "smoothing",
    [{"weight": 0.9}, {"half_life_steps": 50}, {"half_life_seconds": 50}, {"median_points": 9}],
)
def test_a_smoothed_line_comes_beside_the_values(grouped: LiveViewer, smoothing: dict[str, float]):
    got = derived(grouped, {}, smoothing=smoothing, pixels=8192).arrays[0]
    np.testing.assert_array_equal(got["value"], loss(0, steps_of(0)))
    assert np.abs(np.diff(got["smoothed"])).mean() < np.abs(np.diff(got["value"])).mean() / 2


def test_steps_and_seconds_are_the_same_where_a_step_takes_a_second(grouped: LiveViewer):
    steps = derived(grouped, {}, smoothing={"half_life_steps": 50}, pixels=8192).arrays[0]["smoothed"]
    seconds = derived(grouped, {}, smoothing={"half_life_seconds": 50}, pixels=8192).arrays[0]["smoothed"]
    np.testing.assert_allclose(steps, seconds)


def test_a_baseline_is_taken_off_at_the_same_x(grouped: LiveViewer):
    answer = derived(grouped, {}, {"run": "ddp/rank_4"}, baseline="ddp/rank_4", pixels=8192)
    own = answer.arrays[1]["value"]
    assert own.tolist() == [0.0] * steps_of(4).size
    got = answer.arrays[0]
    on_both = np.isin(got["x"], steps_of(4))
    common = got["x"][on_both].astype(int)
    np.testing.assert_allclose(got["value"][on_both], loss(0, common).astype(float) - loss(4, common), atol=1e-7)
    assert np.isnan(got["value"][got["x"] > POINTS]).all()


@pytest.mark.parametrize("center", ["mean", "median"])
def test_a_group_is_compared_with_the_center_of_another(grouped: LiveViewer, center: str):
    base = {"runs": ["ddp/rank_0", "ddp/rank_4"], "center": center}
    plain = groups(grouped, {}, pixels=8192).arrays[0]
    answer = groups(grouped, {"runs": ["ddp/rank_*"]}, {"runs": base["runs"]}, baseline=base, pixels=8192)
    got, own = answer.arrays
    level = np.nanmean(joined()[[0, 4]][:, ::2].astype(float), axis=0)  # of two, the median is the mean
    is_known = np.isin(got["x"], got["x"][np.isfinite(level)])
    for name in ("mean", "median", "low", "high", "lower_quartile", "upper_quartile"):
        np.testing.assert_allclose(got[name][is_known], (plain[name] - level)[is_known], atol=1e-6)
    for name in ("x", "count", "deviation"):
        np.testing.assert_array_equal(got[name][is_known], plain[name][is_known])
    np.testing.assert_allclose(own[center], 0, atol=1e-7)


def test_a_group_has_no_difference_beyond_its_baseline(grouped: LiveViewer):
    got = groups(grouped, {}, baseline={"runs": ["ddp/rank_4"]}, pixels=8192).arrays[0]
    beyond = got["x"] > steps_of(4)[-1]
    assert np.isnan(got["mean"][beyond]).all()
    assert set(got["count"][beyond]) == {0.0}
    assert np.isfinite(got["mean"][~beyond]).all()  # a straight line between the points of the baseline
    zoomed = groups(grouped, {}, baseline={"runs": ["ddp/rank_4"]}, pixels=8192, range=[100, 140]).arrays[0]
    np.testing.assert_array_equal(zoomed["mean"], got["mean"][np.isin(got["x"], zoomed["x"])])
    missing = groups(grouped, {}, baseline={"runs": ["nix"]}).facts[0]
    assert missing["error"]["code"] == "run_not_found"
    assert missing["columns"] is None


def test_values_that_are_no_numbers_are_counted_and_sent(grouped: LiveViewer):
    answer = derived(grouped, {"run": "alone", "y": "loss * 2"})
    assert answer.facts[0]["nan"] == 1
    assert np.isnan(answer.arrays[0]["value"][0])


def test_a_line_that_can_not_be_had_says_why(grouped: LiveViewer):
    answer = derived(grouped, {"y": "`trian/loss`"}, {"run": "nix"}, {"y": "a @ b"}, {})
    errors = [each["error"] and each["error"]["message"] for each in answer.facts]
    assert "did you mean `train/loss`" in errors[0]
    assert "There is no run “nix”" in errors[1]
    assert "Unexpected character “@”" in errors[2]
    assert errors[3] is None


def test_the_run_list_tells_ranks(grouped: LiveViewer):
    runs = grouped.runs()
    assert [(runs[f"ddp/rank_{n}"]["rank_of"], runs[f"ddp/rank_{n}"]["rank"]) for n in range(RUNS)] == [
        ("ddp/rank_*", n) for n in range(RUNS)
    ]
    assert (runs["alone"]["rank_of"], runs["alone"]["rank"]) == (None, None)


def test_a_group_is_computed_anew_only_when_its_runs_changed(tmp_path: Path):
    def write(run: str, step: int, value: float) -> None:
        (tmp_path / run).mkdir(exist_ok=True)
        path = tmp_path / run / NAME
        append(path, (b"" if path.exists() else version()) + scalars(step, {"loss": value}))

    def look(*runs: str, range: tuple[float, float] | None = None) -> GroupSpread:
        catalog.refresh()
        return spreads.get(catalog, runs, GroupExpression("loss"), range)

    write("a", 1, 1.0)
    write("b", 1, 3.0)
    catalog, spreads = Catalog(tmp_path), GroupCache()
    assert look("a", "b").computed == 1
    assert look("a", "b").computed == 0
    assert look("a", "b", range=(1, 2)).computed == 0
    assert look("a").computed == 1
    write("b", 2, 5.0)
    second = look("a", "b")
    assert second.statistics.mean.tolist() == [2.0, 5.0]
    for step in range(3, 100):
        write("b", step, float(step))
        grown = look("a", "b")
        assert grown.computed == 2  # the new step, and the one before it, which might have been written over
        assert grown.statistics.mean[-1] == step
    write("c", 1, 0.0)
    assert look("a", "b").computed == 0
    assert look("a", "b", "c").statistics.count.tolist() == [3.0, *[1.0] * 98]
    assert look("a", "nix").problems.keys() == {"nix"}
    write("nix", 1, 0.0)
    assert look("a", "nix").problems == {}


def test_groups_are_remembered_within_bounds():
    catalog = Catalog(DATA)
    catalog.refresh()
    spreads = GroupCache(kept_bytes=0)
    for _ in range(2):
        for tag in ("train/loss", "train/accuracy"):
            spreads.get(catalog, ("mindspore/custom_loop",), GroupExpression(f"`{tag}`"), None)
    assert len(spreads) == 1  # the last one
