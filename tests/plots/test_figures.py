# SPDX-License-Identifier: Apache-2.0
"""Figures hold the values of the runs, in both libraries."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mindscope
from mindscope.errors import ColumnNotFoundError, MissingPackageError, RunNotFoundError, TagNotFoundError, UsageError
from mindscope.plots.palette import OTHERS, PALETTE
from mindscope.stats import smooth

from .conftest import write_curve

ENGINES = ("matplotlib", "plotly")


def lines_of(figure: Any, engine: str) -> list[tuple[np.ndarray, np.ndarray]]:
    """The named lines, without marks, bands and values before smoothing."""
    if engine == "matplotlib":
        lines = [line for axes in figure.axes for line in axes.lines if not line.get_label().startswith("_")]
        return [(np.asarray(line.get_xdata(), float), np.asarray(line.get_ydata(), float)) for line in lines]
    traces = [trace for trace in figure.data if trace.name and trace.mode != "markers"]
    return [(np.asarray(trace.x, float), np.asarray(trace.y, float)) for trace in traces]


@pytest.fixture
def losses(tmp_path: Path) -> np.ndarray:
    values = np.random.default_rng(0).normal(size=300).cumsum() + 50
    for seed in range(3):
        write_curve(tmp_path / f"runs/s{seed}", values + seed)
    return values


@pytest.mark.parametrize("engine", ENGINES)
def test_lines_are_the_points_of_the_runs(tmp_path: Path, losses: np.ndarray, engine: str):
    runs = mindscope.open_runs(tmp_path / "runs")
    lines = lines_of(runs.plot("loss", engine=engine), engine)
    for run, (x, y) in zip(runs.values(), lines, strict=True):
        scalars = run.scalars("loss")
        np.testing.assert_array_equal(x, scalars.step)
        np.testing.assert_array_equal(y, scalars.value)


@pytest.mark.parametrize("engine", ENGINES)
def test_smoothing_is_that_of_the_page(tmp_path: Path, losses: np.ndarray, engine: str):
    run = mindscope.open_run(tmp_path / "runs/s0")
    ((_, y),) = lines_of(run.plot("loss", smoothing=0.9, engine=engine), engine)
    np.testing.assert_array_equal(y, smooth(run.scalars("loss").value, 0.9))


@pytest.mark.parametrize("engine", ENGINES)
def test_groups_are_their_mean_with_a_band(tmp_path: Path, losses: np.ndarray, engine: str):
    runs = mindscope.open_runs(tmp_path / "runs")
    figure = runs.plot("loss", by=lambda run: "seeds", spread="range", engine=engine)
    ((_, y),) = lines_of(figure, engine)
    values = np.array([run.scalars("loss").value for run in runs.values()], np.float64)
    np.testing.assert_allclose(y, values.mean(axis=0))
    if engine == "matplotlib":
        corners = figure.axes[0].collections[0].get_paths()[0].vertices
        np.testing.assert_allclose([corners[:, 1].min(), corners[:, 1].max()], [values.min(), values.max()])
    else:
        low, high = (np.asarray(trace.y) for trace in figure.data[:2])
        np.testing.assert_allclose(np.array([low, high]), [values.min(axis=0), values.max(axis=0)])


@pytest.mark.parametrize("spread", ["deviation", "error", "confidence", "quartiles", "none"])
def test_bands_are_the_statistics_of_groups(tmp_path: Path, losses: np.ndarray, spread: Any):
    runs = mindscope.open_runs(tmp_path / "runs")
    want = next(iter(runs.groups("loss", by=lambda run: "all").values()))
    figure = runs.plot("loss", by=lambda run: "all", spread=spread, engine="plotly")
    ends = {
        "deviation": (want.mean - want.deviation, want.mean + want.deviation),
        "error": (want.mean - want.standard_error, want.mean + want.standard_error),
        "confidence": (want.mean - want.confidence, want.mean + want.confidence),
        "quartiles": (want.lower_quartile, want.upper_quartile),
    }.get(spread)
    assert len(figure.data) == (1 if ends is None else 3)
    for trace, end in zip(figure.data, ends or (), strict=False):
        np.testing.assert_allclose(trace.y, end)


def test_a_parameter_groups_runs(tmp_path: Path):
    for lr in (0.1, 0.01):
        for seed in range(2):
            run = mindscope.init(dir=str(tmp_path / "runs"), name=f"{lr}-{seed}", config={"lr": lr})
            run.log({"loss": lr + seed}, step=1)
            run.finish()
    runs = mindscope.open_runs(tmp_path / "runs")
    figure = runs.plot("loss", by="lr")
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["lr = 0.01", "lr = 0.1"]
    with pytest.raises(ColumnNotFoundError, match="did you mean 'lr'"):
        runs.plot("loss", by="lrr")
    figure = runs.plot("loss", where="lr < 0.05")
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["0.01-0", "0.01-1"]


def test_an_expression_is_its_values(tmp_path: Path, losses: np.ndarray):
    run = mindscope.open_run(tmp_path / "runs/s1")
    ((_, y),) = lines_of(run.plot("loss * 2"), "matplotlib")
    np.testing.assert_array_equal(y, run.expression("loss * 2").value)


def test_a_new_run_has_the_color_of_the_page(tmp_path: Path, losses: np.ndarray):
    runs = mindscope.open_runs(tmp_path / "runs")
    assert [line.get_color() for line in runs.plot("loss").axes[0].lines] == list(PALETTE[:3])
    assert runs["s2"].plot("loss").axes[0].lines[0].get_color() == PALETTE[2]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "values", [[1.0, np.nan, 2.0, np.inf, 3.0, 4.0], [np.nan, np.nan], [7.0], [0.0, -1.0, 2.0, 3.0]]
)
def test_gaps_and_single_points_are_seen(tmp_path: Path, engine: str, values: list[float]):
    write_curve(tmp_path / "run", values)
    run = mindscope.open_run(tmp_path / "run")
    for is_log in (False, True):
        ((_, y),) = lines_of(run.plot("loss", engine=engine, log_y=is_log, best="auto"), engine)
        shown = np.where(np.isfinite(values) & (~np.array(is_log) | (np.array(values) > 0)), values, np.nan)
        if engine == "matplotlib":
            np.testing.assert_array_equal(y, np.float32(shown))
            run.plot("loss", log_y=is_log).savefig(tmp_path / "drawn.pdf")
        assert y.size == len(values)
    axes = run.plot("loss").axes[0]
    markers = {line.get_marker(): len(line.get_xdata()) for line in axes.lines if line.get_marker() != "None"}
    finite = np.isfinite(values)
    assert markers.get("x", 0) == int((~finite).sum())
    if len(values) == 1:
        assert markers["o"] == 1


def test_a_restarted_run_shows_its_newest_points(tmp_path: Path):
    write_curve(tmp_path / "run", range(10))
    write_curve(tmp_path / "run", range(100, 103), first_step=5)
    run = mindscope.open_run(tmp_path / "run")
    ((x, y),) = lines_of(run.plot("loss"), "matplotlib")
    np.testing.assert_array_equal([x, y], [run.scalars("loss").step, run.scalars("loss").value])
    assert y.tolist() == [0, 1, 2, 3, 100, 101, 102]


@pytest.mark.parametrize("x", ["relative", "wall"])
def test_times_are_x_axes(tmp_path: Path, losses: np.ndarray, x: str):
    run = mindscope.open_run(tmp_path / "runs/s0")
    times = run.scalars("loss").wall_time
    figure = run.plot("loss", x=x)
    ((got, _),) = lines_of(figure, "matplotlib")
    if x == "relative":
        np.testing.assert_array_equal(got, times - times[0])
        assert figure.axes[0].get_xlabel() == "time (seconds)"
    else:
        np.testing.assert_allclose(got * 86400, times, atol=1e-3)
        assert figure.axes[0].get_xlabel() == "wall time (UTC)"


def test_many_points_are_reduced_with_their_extremes(tmp_path: Path):
    values = np.random.default_rng(1).normal(size=10_000)
    values[4321] = 99.0
    write_curve(tmp_path / "run", values)
    ((x, y),) = lines_of(mindscope.open_run(tmp_path / "run").plot("loss"), "matplotlib")
    assert y.size <= 2500
    assert y.max() == 99.0
    assert x[y.argmax()] == 4322
    assert (x[0], x[-1]) == (1, 10_000)


def test_of_many_runs_the_best_have_names(tmp_path: Path):
    for number in range(40):
        write_curve(tmp_path / f"runs/r{number}", [50.0, float(number)])
    figure = mindscope.open_runs(tmp_path / "runs").plot("loss")
    texts = [text.get_text() for text in figure.legends[0].get_texts()]
    assert texts == [*(f"r{number}" for number in range(10)), "30 others"]
    (others,) = figure.axes[0].collections
    assert len(others.get_segments()) == 30
    assert mindscope.open_runs(tmp_path / "runs").plot("loss", engine="plotly").data[0].line.color == OTHERS


def test_a_missing_tag_names_similar_ones(tmp_path: Path, losses: np.ndarray):
    runs = mindscope.open_runs(tmp_path / "runs")
    with pytest.raises(TagNotFoundError, match=r"scalar tag 'los' is not in any of the 3 runs: did you mean 'loss'\?"):
        runs.plot("los")
    with pytest.raises(TagNotFoundError, match=r"is not in run 's0': did you mean 'loss'\?"):
        runs["s0"].plot("train loss")
    with pytest.raises(RunNotFoundError, match="no runs that match"):
        runs.plot("loss", runs=["nope*"])
    with pytest.raises(UsageError, match="no tags to plot"):
        runs.plot([])


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"smoothing": 1.0}, "smoothing is 1.0, want a weight"),
        ({"smoothing": float("nan")}, "smoothing is nan"),
        ({"x": "time"}, "x is 'time', want one of step, relative, wall"),
        ({"engine": "ggplot"}, "engine is 'ggplot', want one of matplotlib, plotly"),
        ({"spread": "std"}, "spread is 'std', want one of range"),
        ({"center": "mode"}, "center is 'mode'"),
        ({"best": "most"}, "best is 'most'"),
        ({"size": "huge"}, "size is 'huge', want one of single"),
        ({"size": (3.0, 0.0)}, r"size is \(3.0, 0.0\)"),
        ({"y_limits": (1, 0)}, r"y_limits are \(1, 0\), want two ascending"),
        ({"y_limits": (0, 1), "log_y": True}, "above 0 for a logarithmic axis"),
        ({"y_limits": 3}, "y_limits are 3"),
        ({"x": "wall", "log_x": True}, "wall time has no useful logarithm"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else None,
)
def test_wrong_options_say_what_is_accepted(tmp_path: Path, losses: np.ndarray, options: dict[str, Any], text: str):
    with pytest.raises(UsageError, match=text):
        mindscope.open_runs(tmp_path / "runs").plot("loss", **options)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_missing_library_is_named(tmp_path: Path, losses: np.ndarray, engine: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(__import__("sys").modules, engine, None)
    with pytest.raises(
        MissingPackageError, match=rf"needs {engine.title()}, which is not installed. .*mindscope\[plot\]"
    ):
        mindscope.open_run(tmp_path / "runs/s0").plot("loss", engine=engine)
