# SPDX-License-Identifier: Apache-2.0
"""The charts of ``wandb.plot``: each is recorded as the table of its data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mindscope.redirect.media import Table


def plot_table(vega_spec_name: Any = None, data_table: Any = None, *_: Any, **others: Any) -> Any:
    """Return the table of a chart."""
    return data_table


def of_table(table: Any = None, *_: Any, **others: Any) -> Any:
    """Return the table of a line, scatter or bar chart, or of a histogram."""
    return table


def line_series(xs: Any, ys: Any, keys: Any = None, title: Any = None, xname: Any = "x", **others: Any) -> Table:
    """Return the points of several lines: x, the name of the line, y."""
    lines = [list(y) for y in ys]
    first = list(xs)
    axes = [list(x) for x in first] if first and np.ndim(first[0]) else [first] * len(lines)
    names = [str(key) for key in keys] if keys is not None else [f"key_{number}" for number in range(len(lines))]
    rows = [
        [x, name, y] for name, x_s, y_s in zip(names, axes, lines, strict=False) for x, y in zip(x_s, y_s, strict=False)
    ]
    return Table([str(xname), "line", "y"], rows)


def confusion_matrix(
    probs: Any = None, y_true: Any = None, preds: Any = None, class_names: Any = None, *_: Any, **others: Any
) -> Table:
    """Return the counts of each pair of classes: actual, predicted, count."""
    actual = np.asarray(y_true).astype(int)
    predicted = np.asarray(preds if probs is None else np.argmax(np.asarray(probs), axis=1)).astype(int)
    count = 1 + max(int(actual.max(initial=0)), int(predicted.max(initial=0)))
    names = _names(class_names, count)
    counts = np.zeros((len(names), len(names)), np.int64)
    np.add.at(counts, (actual, predicted), 1)
    rows = [[a, p, int(counts[i, j])] for i, a in enumerate(names) for j, p in enumerate(names)]
    return Table(["Actual", "Predicted", "nPredictions"], rows)


def roc_curve(y_true: Any = None, y_probas: Any = None, labels: Any = None, *_: Any, **others: Any) -> Table:
    """Return the points of each class against the others: class, false positive rate, true positive rate."""
    rows: list[list[Any]] = []
    for name, true, scores in _classes(y_true, y_probas, labels):
        order = np.argsort(-scores, kind="stable")
        hits: Any = np.cumsum(true[order])
        misses = np.arange(1, len(order) + 1) - hits
        ends = np.flatnonzero(np.diff(scores[order], append=-np.inf))
        for at in (-1, *ends):
            rates = (0.0, 0.0) if at < 0 else (misses[at] / max(misses[-1], 1), hits[at] / max(hits[-1], 1))
            rows.append([name, float(rates[0]), float(rates[1])])
    return Table(["class", "fpr", "tpr"], rows)


def pr_curve(y_true: Any = None, y_probas: Any = None, labels: Any = None, *_: Any, **others: Any) -> Table:
    """Return the points of each class against the others: class, recall, precision."""
    rows: list[list[Any]] = []
    for name, true, scores in _classes(y_true, y_probas, labels):
        order = np.argsort(-scores, kind="stable")
        hits: Any = np.cumsum(true[order])
        ends: Any = np.flatnonzero(np.diff(scores[order], append=-np.inf))
        for at in ends:
            rows.append([name, float(hits[at] / max(hits[-1], 1)), float(hits[at] / (at + 1))])
    return Table(["class", "recall", "precision"], rows)


def _classes(y_true: Any, y_probas: Any, labels: Any) -> list[tuple[str, Any, Any]]:
    true: Any = np.asarray(y_true).astype(int)
    scores: Any = np.asarray(y_probas, np.float64)
    names = _names(labels, scores.shape[1])
    return [(name, np.equal(true, number), scores[:, number]) for number, name in enumerate(names[: scores.shape[1]])]


def _names(given: Sequence[Any] | None, count: int) -> list[str]:
    names = [] if given is None else [str(name) for name in given]
    return names + [f"Class_{number + 1}" for number in range(len(names), count)]


NAMES = {
    "line": of_table, "scatter": of_table, "bar": of_table, "histogram": of_table, "line_series": line_series,
    "confusion_matrix": confusion_matrix, "roc_curve": roc_curve, "pr_curve": pr_curve, "plot_table": plot_table,
}  # fmt: skip
