# SPDX-License-Identifier: Apache-2.0
"""Communication between ranks: kernels of the devices, or what gloo and MPI run on the host."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.kineto.analysis import KinetoAnalysis
from mindscope.profile.kineto.categories import SliceRole
from mindscope.profile.kineto.device_work import COMMUNICATION
from mindscope.profile.tables.communication import Communication
from mindscope.profile.texts import Missing
from mindscope.table.columns import TextColumn

_KIND = re.compile(
    r"all_?reduce|all_?gather|reduce_?scatter|all_?to_?all|broadcast|barrier|gather|scatter|reduce|send_?recv|send|recv",
    re.IGNORECASE,
)
_KINDS = {"recv": "receive", "sendrecv": "sendreceive"}
_HOST_NAME = re.compile(r"(?:gloo|mpi|ucc):\w")
_MOST_ELEMENTS = 1 << 58
_DTYPE_BYTES = {
    "float": 4, "double": 8, "half": 2, "bfloat16": 2, "byte": 1, "char": 1, "bool": 1, "short": 2, "int": 4, "long": 8,
    "float8_e4m3fn": 1, "float8_e5m2": 1, "complexfloat": 8, "complexdouble": 16,
    # As the host calls them.
    "long int": 8, "short int": 2, "unsigned char": 1, "signed char": 1, "c10::half": 2, "c10::bfloat16": 2,
    "c10::complex<float>": 8, "c10::complex<double>": 16,
}  # fmt: skip


def communication_of(analysis: KinetoAnalysis) -> Communication | Missing:
    """Return communication as the devices ran it; without any, as the threads of gloo, MPI or UCC ran it."""
    return _of_devices(analysis) or _of_host(analysis) or analysis.missing("communication")


def _of_devices(analysis: KinetoAnalysis) -> Communication | None:
    work = analysis.device
    rows = np.flatnonzero(work.is_kind(COMMUNICATION))
    if not len(rows):
        return None
    rows = rows[np.argsort(work.start[rows], kind="stable")]
    integers, texts = work.arguments.integers, work.arguments.texts
    name = TextColumn(work.name[rows], analysis.trace.names)
    dtype = _unquoted(texts["dtype"].select(rows))
    named, described = (
        _unquoted(texts[f"Process Group {each}"].select(rows)) for each in ("Name", "Description")
    )  # fmt: skip
    return Communication(
        name=name,
        kind=TextColumn.of(
            _kind(collective or kernel)
            for collective, kernel in zip(_unquoted(texts["Collective name"].select(rows)), name, strict=True)
        ),
        group=TextColumn.of(description or group for description, group in zip(described, named, strict=True)),
        group_ranks=_ranks(_unquoted(texts["Process Group Ranks"].select(rows))),
        sequence=np.maximum(integers["Seq"][rows], -1),
        group_size=np.maximum(integers["Group size"][rows], -1),
        step=_step_numbers(analysis, work.step[rows]),
        device=work.device.select(rows),
        start=work.start[rows],
        duration=work.duration[rows],
        size=_sizes(integers["In msg nelems"][rows], dtype),
        dtype=dtype,
    )


def _of_host(analysis: KinetoAnalysis) -> Communication | None:
    """Return the ranges of the threads that communicate. They have no number: ranks match by their order in a step."""
    calls = analysis.calls
    is_named = np.array([_HOST_NAME.match(each) is not None for each in analysis.trace.names], np.bool_)
    if not is_named.any():
        return None
    rows = np.flatnonzero(is_named[calls.name] & (calls.role == SliceRole.ANNOTATION))
    rows = rows[np.argsort(calls.start[rows], kind="stable")]
    if not len(rows):
        return None
    arguments, name = analysis.call_arguments, TextColumn(calls.name[rows], analysis.trace.names)
    dtype = _first_of_lists(arguments.dtypes.select(rows))
    group = _only_group(analysis)
    return Communication(
        name=name,
        kind=TextColumn(name.codes, [_kind(value.partition(":")[2]) for value in name.values]),
        group=TextColumn.constant(group.name, len(rows)),
        group_ranks=TextColumn.constant(",".join(map(str, group.ranks)), len(rows)),
        group_size=np.full(len(rows), group.size, np.int64),
        step=_step_numbers(analysis, analysis.marked_steps.at(calls.start[rows])),
        device=TextColumn.constant("CPU", len(rows)),
        start=calls.start[rows],
        duration=calls.duration[rows],
        size=_sizes(_elements(arguments.dims.select(rows)), dtype),
        dtype=dtype,
    )


@dataclass(frozen=True, slots=True)
class _Group:
    name: str = ""
    size: int = -1
    ranks: Sequence[int] = ()


def _only_group(analysis: KinetoAnalysis) -> _Group:
    """Return the process group, if there is one; ranges of the host don't say theirs."""
    facts = analysis.trace.properties.get("distributedInfo")
    groups = cast("dict[str, Any]", facts).get("pg_config") if isinstance(facts, dict) else None
    if not isinstance(groups, list) or len(cast("list[Any]", groups)) != 1 or not isinstance(groups[0], dict):
        return _Group()
    group = cast("dict[str, Any]", groups[0])
    size, ranks = group.get("pg_size"), group.get("ranks")
    return _Group(
        str(group.get("pg_desc") or group.get("pg_name") or ""),
        size if isinstance(size, int) and 0 <= size < 1 << 31 else -1,
        [rank for rank in cast("list[Any]", ranks) if isinstance(rank, int)] if isinstance(ranks, list) else (),
    )


def _step_numbers(analysis: KinetoAnalysis, steps: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the number of each step by its index; -1 for none."""
    marked = analysis.marked_steps
    return np.where(steps >= 0, marked.number[steps], -1) if len(marked) else steps


def _sizes(elements: NDArray[np.int64], dtype: TextColumn) -> NDArray[np.int64]:
    """Return the sizes in bytes; -1 where the number of elements or their type is unknown."""
    each = np.array([_DTYPE_BYTES.get(value.lower(), 0) for value in dtype.values], np.int64)[dtype.codes]
    is_known = (elements >= 0) & (elements <= _MOST_ELEMENTS) & (each > 0)
    return np.where(is_known, np.where(is_known, elements, 0) * each, -1)


def _elements(shapes: TextColumn) -> NDArray[np.int64]:
    """Return the elements of all tensors of ``[[8, 64], [10]]``; -1 where a text is no list."""
    return np.array([_element_count(value) for value in shapes.values], np.int64)[shapes.codes]


def _element_count(shapes: str) -> int:
    value = _value(shapes)
    return _product(cast("list[Any]", value)) if isinstance(value, list) else -1


def _product(shape: list[Any]) -> int:
    """Return the elements of a shape, or of nested lists of shapes.

    It is 0 for an empty shape; shapes of other arguments are empty too.
    """
    if any(isinstance(each, list) for each in shape):
        return _bounded(sum(_product(cast("list[Any]", each)) for each in shape if isinstance(each, list)))
    return _bounded(prod(each for each in shape if isinstance(each, int))) if shape else 0


def _bounded(count: int) -> int:
    """Return a number of elements; damaged shapes have any."""
    return max(-1, min(count, _MOST_ELEMENTS))


def _first_of_lists(texts: TextColumn) -> TextColumn:
    """Return ``float`` of ``["float", ""]``; empty where a text is no list."""
    lists = [_value(value) for value in texts.values]
    return TextColumn(
        texts.codes,
        [str(cast("list[Any]", each)[0]) if isinstance(each, list) and each else "" for each in lists],
    )


def _value(text: str) -> Any:
    """Return the value of JSON; None of anything else."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _ranks(texts: TextColumn) -> TextColumn:
    """Return ``0,1`` of ``[0, 1]``."""
    return TextColumn(texts.codes, [re.sub(r"[\[\]\s]", "", value) for value in texts.values])


def _unquoted(texts: TextColumn) -> TextColumn:
    """Return the content of texts in JSON."""
    return TextColumn(texts.codes, [value.strip('"') for value in texts.values])


def _kind(name: str) -> str:
    found = _KIND.search(name)
    kind = found[0].lower().replace("_", "") if found else "other"
    return _KINDS.get(kind, kind)
