# SPDX-License-Identifier: Apache-2.0
"""Layouts of charts: which scalars TensorBoard's page of custom scalars shows together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from mindscope.errors import ValueRejectedError
from mindscope.formats.kinds.tensorboard_plugins import layout_to_tensorboard
from mindscope.types import Message

MULTILINE, MARGIN = "Multiline", "Margin"


def layout_to_value(layout: Any) -> Message:
    """Return the Summary.Value of ``{category: {title: [kind, tags]}}``.

    ``kind`` is Multiline, or Margin with the tags of a value, a lower and an upper bound. Raises ValueRejectedError.
    """
    categories = [
        {"title": category, "chart": [_chart(title, chart) for title, chart in _entries(charts)]}
        for category, charts in _entries(layout)
    ]
    return layout_to_tensorboard({"category": categories})


def _entries(value: Any) -> list[tuple[str, Any]]:
    if not isinstance(value, Mapping):
        raise ValueRejectedError(
            f"layout holds {type(value).__name__}, want {{category: {{title: ['{MULTILINE}', tags]}}}}"
        )
    return [(str(key), each) for key, each in cast("Mapping[Any, Any]", value).items()]


def _chart(title: str, chart: Any) -> Message:
    if not isinstance(chart, (list, tuple)) or len(cast("list[Any]", chart)) != 2:
        raise ValueRejectedError(f"chart {title!r} of the layout is no [kind, tags]")
    kind, tags = cast("list[Any]", chart)
    names = [str(tag) for tag in tags]
    if kind != MARGIN:
        return {"title": title, "multiline": {"tag": names}}
    if len(names) != 3:
        raise ValueRejectedError(f"chart {title!r} has {len(names)} tags, want 3: value, lower and upper bound")
    value, lower, upper = names
    return {"title": title, "margin": {"series": [{"value": value, "lower": lower, "upper": upper}]}}
