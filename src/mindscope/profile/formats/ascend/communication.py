# SPDX-License-Identifier: Apache-2.0
"""Operations between ranks of ``communication.json``, and links of ``communication_matrix.json``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np

from mindscope.profile.formats.ascend.packets import PACKETS, packets_of
from mindscope.profile.formats.json_file import read_object
from mindscope.profile.formats.json_values import bounded, whole_numbers
from mindscope.profile.tables.communication import Communication, Links
from mindscope.table.columns import TextColumn

_STEP = re.compile(r"step\s*(\d+)")
_SEQUENCE = re.compile(r"__\w+?_(\d+)_\d+$")
_KIND = re.compile(r"(?:hcom_)?([A-Za-z]+(?:_[A-Za-z]+)*?)(?:__|_\d|-|$)")
_TOTAL = "Total Op Info"
_PARTS_OF_SDMA = ("HCCS", "PCIE", "SIO")
_MB = 1_000_000


class AscendOperation(NamedTuple):
    """An entry of ``communication.json``."""

    step: int
    name: str
    group: str
    facts: Mapping[str, Any]


def communication_of(path: Path, rank: int, origin_ns: int) -> Communication | None:
    """Return all operations; None if the file lists none. Times count from ``origin_ns``.

    Raises:
        FormatError: no JSON object.
        OSError: it can't be read.
    """
    return communication_table(list(_operations(read_object(path))), f"NPU {rank}", origin_ns)


def communication_table(operations: Sequence[AscendOperation], device: str, origin_ns: int) -> Communication | None:
    """Return the operations of one rank, without sums; None without any. Times count from ``origin_ns``."""
    found = [operation for operation in operations if operation.name != _TOTAL]
    if not found:
        return None
    times = [_mapping(each.facts.get("Communication Time Info")) for each in found]
    links = [_mapping(each.facts.get("Communication Bandwidth Info")) for each in found]
    return Communication(
        name=TextColumn.of(each.name for each in found),
        kind=TextColumn.of(_kind(each.name) for each in found),
        group=TextColumn.of(each.group for each in found),
        sequence=np.array([_sequence(each.name) for each in found], np.int64),
        step=np.array([each.step for each in found], np.int64),
        device=TextColumn.constant(device, len(found)),
        start=np.array([_nanoseconds(_number(time, "Start Timestamp(us)")) for time in times], np.int64) - origin_ns,
        duration=_milliseconds(times, "Elapse Time(ms)"),
        transit=_milliseconds(times, "Transit Time(ms)"),
        wait=_milliseconds(times, "Wait Time(ms)"),
        synchronization=_milliseconds(times, "Synchronization Time(ms)"),
        size=np.array([_size(link) for link in links], np.int64),
        extra=packets_of(links),
        extra_fields=PACKETS,
    )


def links_of(path: Path) -> Links | None:
    """Sum the operations of each kind; None if the file lists none. Raises FormatError, OSError."""
    return links_table(list(_operations(read_object(path))))


def links_table(operations: Sequence[AscendOperation]) -> Links | None:
    """Return the links of the sums over the operations of each kind; None without any."""
    rows = [
        (operation.step, *map(int, ends), _mapping(facts))
        for operation in operations
        if operation.name.endswith("-total")
        for link, facts in operation.facts.items()
        if len(ends := link.split("-")) == 2 and all(end.isdecimal() for end in ends)
    ]
    if not rows:
        return None
    return Links(
        kind=TextColumn.of(str(facts.get("Transport Type", "")) for *_, facts in rows),
        source=np.array([row[1] for row in rows], np.int64),
        destination=np.array([row[2] for row in rows], np.int64),
        step=np.array([row[0] for row in rows], np.int64),
        size=whole_numbers([_number(facts, "Transit Size(MB)") * _MB for *_, facts in rows]),
        transit=whole_numbers([_number(facts, "Transit Time(ms)") * 1e6 for *_, facts in rows]),
    )


def _operations(content: Mapping[str, Any]) -> Iterator[AscendOperation]:
    for step, kinds in content.items():
        for operations in _mapping(kinds).values():
            for name, facts in _mapping(operations).items():
                yield ascend_operation(step, name, facts)


def ascend_operation(step: str, name: str, facts: Any) -> AscendOperation:
    """Return an entry by the names of its step and of itself, such as ``step7`` and
    ``hcom_allReduce__844_2_1@8440``.
    """
    match = _STEP.fullmatch(step)
    bare, _, group = name.partition("@")
    return AscendOperation(int(match[1]) if match else -1, bare, group, _mapping(facts))


def _kind(name: str) -> str:
    match = _KIND.match(name)
    return (match[1] if match else name).replace("_", "").lower()


def _sequence(name: str) -> int:
    found = _SEQUENCE.search(name)
    return int(found[1]) if found else -1


def _size(links: Mapping[str, Any]) -> int:
    """Return bytes over all links; SDMA is the sum of its parts."""
    has_sum = _number(_mapping(links.get("SDMA")), "Transit Size(MB)") > 0
    parts = [name for name in links if not (has_sum and name in _PARTS_OF_SDMA)]
    return round(sum(_number(_mapping(links[name]), "Transit Size(MB)") for name in parts) * _MB)


def _nanoseconds(stamp_us: float) -> int:
    """Return nanoseconds of a stamp since 1970, a float64 of whole microseconds plus at most three quarters."""
    whole = int(stamp_us)
    return whole * 1000 + round((stamp_us - whole) * 1000)


def _milliseconds(times: list[Mapping[str, Any]], name: str) -> Any:
    return whole_numbers([_number(time, name) * 1e6 for time in times])


def _number(facts: Mapping[str, Any], name: str) -> float:
    try:
        found = bounded(float(facts.get(name, 0)))
    except (TypeError, ValueError, OverflowError):
        return 0.0
    return found if np.isfinite(found) else 0.0


def _mapping(value: Any) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}
