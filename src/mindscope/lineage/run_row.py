# SPDX-License-Identifier: Apache-2.0
"""Converts the lineage of one run to a row of the table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from mindscope.formats.json_text import parse_json
from mindscope.lineage.cell import Cell, as_cell, as_unicode, flatten
from mindscope.lineage.column import ColumnKey, Group
from mindscope.lineage.model import EvalLineage, Lineage, TrainLineage

ENVIRONMENT = "env/"
"""Prefix of custom fields that mindscope's collectors add automatically.

``env/host`` is a fact of the run; ``env/parameter/seed`` and ``env/model/parameters`` name their group.
"""
_NAMED_GROUPS = frozenset(group.value for group in (Group.PARAMETER, Group.MODEL))
_TRAIN: Mapping[str, ColumnKey] = {
    **{
        name: ColumnKey(Group.PARAMETER, name)
        for name in "optimizer learning_rate loss_function epoch parallel_mode device_num batch_size".split()
    },
    "dataset_path": ColumnKey(Group.DATASET, "train_path"),
    "dataset_size": ColumnKey(Group.DATASET, "train_size"),
    "network": ColumnKey(Group.ALGORITHM, "network"),
    "loss": ColumnKey(Group.ALGORITHM, "loss"),
    "model_path": ColumnKey(Group.MODEL, "path"),
    "model_size": ColumnKey(Group.MODEL, "size"),
}
_EVAL: Mapping[str, ColumnKey] = {
    "dataset_path": ColumnKey(Group.DATASET, "eval_path"),
    "dataset_size": ColumnKey(Group.DATASET, "eval_size"),
}


def lineage_cells(lineage: Lineage) -> Iterator[tuple[ColumnKey, Cell]]:
    """Yield every lineage value of a run, by its column."""
    yield from _fields(lineage.train, _TRAIN)
    yield from _fields(lineage.eval, _EVAL)
    paths = (lineage.train and lineage.train.model_paths) or {}
    for name, cell in flatten({key: value for key, value in paths.items() if key != "ckpt"}):
        yield ColumnKey(Group.MODEL, name), cell
    yield from _named(Group.METRIC, flatten((lineage.eval and lineage.eval.metric) or {}))
    for name, value in lineage.custom.items():
        cell, name = as_cell(value), as_unicode(name)
        if cell is not None and name.startswith(ENVIRONMENT):
            yield _automatic(name.removeprefix(ENVIRONMENT), cell)
        elif cell is not None:
            yield ColumnKey(Group.CUSTOM, name), cell


def parameter_cells(settings: Mapping[str, Any]) -> Iterator[tuple[ColumnKey, Cell]]:
    """Yield hyperparameters by name; nested ones have dotted names. Names with ``env/`` are facts."""
    for name, cell in flatten(settings):
        is_fact = name.startswith(ENVIRONMENT)
        yield _automatic(name.removeprefix(ENVIRONMENT), cell) if is_fact else (ColumnKey(Group.PARAMETER, name), cell)


def _automatic(name: str, cell: Cell) -> tuple[ColumnKey, Cell]:
    """Return a field that a collector added.

    The file has only int32, float64 and text, so other types are JSON texts.
    """
    group, _, rest = name.partition("/")
    if group not in _NAMED_GROUPS or not rest:
        return ColumnKey(Group.FACT, name), cell == "true" if cell in ("true", "false") else cell
    return ColumnKey(Group(group), rest), _of_json(cell) if isinstance(cell, str) else cell


def _of_json(text: str) -> Cell:
    """Return a boolean, a large integer or a list in JSON; any other text stays as it is."""
    try:
        value = as_cell(parse_json(text))
    except ValueError:
        return text
    return value if isinstance(value, bool | int | tuple) else text


def _named(group: Group, cells: Iterable[tuple[str, Cell]]) -> Iterator[tuple[ColumnKey, Cell]]:
    return ((ColumnKey(group, name), cell) for name, cell in cells)


def _fields(
    part: TrainLineage | EvalLineage | None, columns: Mapping[str, ColumnKey]
) -> Iterator[tuple[ColumnKey, Cell]]:
    for name, key in columns.items():
        cell = as_cell(getattr(part, name, None))
        if cell is not None:
            yield key, cell
