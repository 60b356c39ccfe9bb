# SPDX-License-Identifier: Apache-2.0
"""Layouts that PyTorch's, tensorboardX's and our writers recorded: charts, tags and values are TensorBoard's."""

from __future__ import annotations

import json
import warnings
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import mindscope
from mindscope.ingest import Catalog
from mindscope.server.layouts.query import answer_layouts
from mindscope.server.layouts.schema import LayoutChartEntry, LayoutsAnswer, LayoutsQuery

pytestmark = pytest.mark.framework
pytest.importorskip("tensorboard")

WRITERS = {"torch": "torch.utils.tensorboard", "tensorboardX": "tensorboardX", "ours": "mindscope"}
TAGS = ("loss/train", "loss/val", "total_loss", "acc", "acc_low", "acc_high")
LAYOUTS: list[dict[str, Any]] = [
    {"losses": {"all": ["Multiline", ["loss"]], "some": ["Multiline", ["loss/t.*", "^acc$"]]}},
    {
        "losses": {"all": ["Multiline", ["loss"]], "other": ["Multiline", ["(?i)LOSS", "nothing"]]},
        "margins": {"acc": ["Margin", ["acc", "acc_low", "acc_high"]], "gone": ["Margin", ["acc", "acc_low", "x"]]},
    },
]


def write(directory: Path, writer: str, layouts: list[dict[str, Any]]) -> None:
    pytest.importorskip(WRITERS[writer].split(".")[0])
    with import_module(WRITERS[writer]).SummaryWriter(str(directory)) as recorder:
        for layout in layouts:
            recorder.add_custom_scalars(layout)
        for step in range(5):
            for number, tag in enumerate(TAGS):
                recorder.add_scalar(tag, step * 0.5 + number, step)


def of_tensorboard(logs: Path) -> tuple[Any, Any]:
    """TensorBoard's plugin of custom scalars over the logs, and the context of its requests."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its own dependencies warn at import
        event_processing = "tensorboard.backend.event_processing"
        multiplexer = import_module(f"{event_processing}.plugin_event_multiplexer").EventMultiplexer()
        provider = import_module(f"{event_processing}.data_provider").MultiplexerDataProvider(multiplexer, str(logs))
        scalars = import_module("tensorboard.plugins.scalar.scalars_plugin").ScalarsPlugin
        custom = import_module("tensorboard.plugins.custom_scalar.custom_scalars_plugin").CustomScalarsPlugin
        base_plugin = import_module("tensorboard.plugins.base_plugin")
        context = import_module("tensorboard.context").RequestContext()
    multiplexer.AddRunsFromDirectory(str(logs))
    multiplexer.Reload()
    plugins: dict[str, Any] = {}
    about = base_plugin.TBContext(logdir=str(logs), data_provider=provider, plugin_name_to_instance=plugins)
    plugins["scalars"] = scalars(about)
    return custom(about), context


def ours(logs: Path) -> LayoutsAnswer:
    catalog = Catalog(logs)
    catalog.refresh()
    return answer_layouts(catalog, LayoutsQuery(runs=list(catalog.runs)))


def charts_of(answer: LayoutsAnswer) -> list[tuple[str, str, list[str], list[tuple[str, ...]]]]:
    return [
        (category.title, chart.title, chart.patterns, [(one.value, one.lower, one.upper) for one in chart.margins])
        for category in answer.categories
        for chart in category.charts
    ]


def charts_of_tensorboard(layout: str) -> list[tuple[str, str, list[str], list[tuple[str, ...]]]]:
    return [
        (
            category["title"], chart["title"], chart.get("multiline", {}).get("tag", []),
            [(one["value"], one["lower"], one["upper"]) for one in chart.get("margin", {}).get("series", [])],
        )
        for category in json.loads(layout)["category"] for chart in category["chart"]
    ]  # fmt: skip


@pytest.mark.parametrize("writer", WRITERS)
def test_charts_tags_and_values_are_those_of_tensorboard(tmp_path: Path, writer: str) -> None:
    for run, layout in zip("ab", LAYOUTS, strict=True):
        write(tmp_path / run, writer, [{"old": {"gone": ["Multiline", ["acc"]]}}, layout])
    plugin, context = of_tensorboard(tmp_path)
    answer = ours(tmp_path)
    assert charts_of(answer) == charts_of_tensorboard(plugin.layout_impl(context, "e"))
    assert [category.title for category in answer.categories] == ["losses", "margins"]
    for chart in (chart for category in answer.categories for chart in category.charts):
        for run in "ab":
            values = tensorboard_values(plugin, context, run, chart.patterns)
            assert sorted(values) == chart.tags
            check_values(tmp_path / run, values)


def tensorboard_values(plugin: Any, context: Any, run: str, patterns: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for pattern in patterns:
        answer = plugin.scalars_impl(context, run, pattern, "e")
        assert answer["regex_valid"]
        found |= answer["tag_to_events"]
    return found


def check_values(directory: Path, values: dict[str, Any]) -> None:
    run = mindscope.open_run(directory)
    for tag, points in values.items():
        scalars = run.scalars(tag)
        assert [(step, value) for _, step, value in points] == list(
            zip(scalars.step.tolist(), scalars.value.tolist(), strict=True)
        )


def only_chart(answer: LayoutsAnswer) -> LayoutChartEntry:
    ((chart,),) = [category.charts for category in answer.categories]
    return chart


@pytest.mark.parametrize(("pattern", "detail"), [
    ("(?=loss)loss", "invalid perl operator"), ("loss(", "missing )"), (r"(a)\1", "invalid escape sequence"),
    ("(.*){1,1000}", "at most 4000"),
])  # fmt: skip
def test_a_pattern_that_re2_refuses_is_named(tmp_path: Path, pattern: str, detail: str) -> None:
    write(tmp_path, "ours", [{"a": {"b": ["Multiline", [pattern, "acc$"]]}}])
    chart = only_chart(ours(tmp_path))
    assert [each.pattern for each in chart.unusable] == [pattern]
    assert detail in chart.unusable[0].detail
    assert chart.tags == ["acc"]


def test_a_usable_pattern_is_not_named(tmp_path: Path) -> None:
    write(tmp_path, "ours", [LAYOUTS[0]])
    assert [chart.unusable for category in ours(tmp_path).categories for chart in category.charts] == [[], []]


def test_python_reads_the_newest_layout_of_a_run(tmp_path: Path) -> None:
    write(tmp_path, "ours", [LAYOUTS[0], LAYOUTS[1]])
    losses, margins = mindscope.open_run(tmp_path).layout
    assert [chart.title for chart in losses.charts] == ["all", "other"]
    assert margins.charts[0].margins == (("acc", "acc_low", "acc_high"),)
    assert not losses.is_closed
    write(tmp_path / "none", "ours", [])
    assert mindscope.open_run(tmp_path / "none").layout == ()


def test_runs_without_layouts_answer_none(tmp_path: Path) -> None:
    write(tmp_path, "ours", [])
    assert ours(tmp_path) == LayoutsAnswer(categories=[], unread=[])


def test_a_third_run_adds_its_charts_which_tensorboard_loses(tmp_path: Path) -> None:
    for run, chart in zip("abc", ("one", "two", "three"), strict=True):
        write(tmp_path / run, "ours", [{"first" if run == "a" else "later": {chart: ["Multiline", [chart]]}}])
    assert [chart[:2] for chart in charts_of(ours(tmp_path))] == [
        ("first", "one"),
        ("later", "two"),
        ("later", "three"),
    ]
