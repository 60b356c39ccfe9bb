# SPDX-License-Identifier: Apache-2.0
"""Names of the files of dumps: operator, time, slot among inputs or outputs, dtype.

Source: MindSpore's documentation of dumps, r1.0 to r2.6; the dtype in the name as MindSpore 2.10 writes it.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from mindscope.debug.model.tensors import Role

STATISTICS = "statistic.csv"
MAPPING = "mapping.csv"
OVERFLOW = "Opdebug"
PARAMETER = "Parameter"
"""The operator type of weights and constants."""
LONGEST_NAME = 4096
"""Searches in longer names take too long, and numbers may have too many digits."""


class DumpName(NamedTuple):
    """Facts that a name has about a tensor, or, without ``slot``, about a file of all tensors of an operator."""

    type: str
    name: str
    """Name of the operator: the last part of its scope, or the whole scope with ``_`` for ``/`` and dots."""
    timestamp: int
    role: Role | None = None
    slot: int = 0
    task: int = 0
    stream: int = 0
    format: str = ""
    """Layout of the axes: ``NCHW``, ``NC1HWC0``."""
    dtype: str = ""
    shape: tuple[int, ...] | None = None
    """Shape where the file has no header."""


_NPY = re.compile(
    r"(?P<type>[^.]+)\.(?P<name>.+?)\.(?P<task>\d+)\.(?P<stream>\d+)\.(?P<time>\d+)\.(?P<role>input|output)"
    r"\.(?P<slot>\d+)\.(?P<format>[^.]+)(?:\.(?P<dtype>[^.]+))?\.npy",
    re.ASCII,
)
_RAW = re.compile(
    r"(?P<name>.+)_(?P<role>input|output)_(?P<slot>\d+)_shape_(?P<shape>(?:\d+_)*)(?P<dtype>[A-Za-z]+\d*)_"
    r"(?P<format>[A-Za-z0-9_]+)\.bin",
    re.ASCII,
)
_ALL_TENSORS = re.compile(
    r"(?P<type>[^.]+)\.(?P<name>[^.]+)\.(?P<task>\d+)(?:\.(?P<stream>\d{1,10}))?\.(?P<time>\d{13,20})(?:\.\d+){0,4}",
    re.ASCII,
)
_LONG = re.compile(r"\d{6,}(\.npy)?", re.ASCII)
_NUMBERED = re.compile(r"(?P<type>.+)-op\d+", re.ASCII)
_ROLES = {"input": Role.INPUT, "output": Role.OUTPUT}


def is_dump_file(name: str) -> bool:
    """Return whether a directory with such a file holds a dump."""
    return name in (STATISTICS, MAPPING) or is_long_name(name) or parse_name(name) is not None


def is_overflow_file(name: str) -> bool:
    """Return whether a file holds a record of an overflow."""
    return name.startswith(f"{OVERFLOW}.")


def is_long_name(name: str) -> bool:
    """Return whether a file may be one whose name was longer than a file system allows, see ``mapping.csv``."""
    return _LONG.fullmatch(name) is not None


def parse_name(name: str) -> DumpName | None:
    """Read the facts from a name; None if it is not that of a tensor."""
    if len(name) > LONGEST_NAME:
        return None
    if name.endswith(".npy"):
        return _parse_npy(name)
    if name.endswith(".bin"):
        return _parse_raw(name)
    match = _ALL_TENSORS.fullmatch(name)
    if match is None or match["type"] == OVERFLOW:
        return None
    return DumpName(
        match["type"], match["name"], int(match["time"]), task=int(match["task"]), stream=int(match["stream"] or 0)
    )


def _parse_npy(name: str) -> DumpName | None:
    match = _NPY.fullmatch(name)
    return match and DumpName(
        match["type"],
        match["name"],
        int(match["time"]),
        _ROLES[match["role"]],
        int(match["slot"]),
        int(match["task"]),
        int(match["stream"]),
        match["format"],
        (match["dtype"] or "").lower(),
    )


def _parse_raw(name: str) -> DumpName | None:
    """``Default--conv1-Conv2d--Conv2D-op107_output_0_shape_32_12_Float16_NC1HWC0.bin``: ``--`` separates scopes."""
    match = _RAW.fullmatch(name)
    if match is None:
        return None
    scope = match["name"].replace("--", "/")
    numbered = _NUMBERED.fullmatch(scope.rpartition("/")[2])
    return DumpName(
        numbered["type"] if numbered else PARAMETER,
        scope,
        0,
        _ROLES[match["role"]],
        int(match["slot"]),
        format=match["format"],
        dtype=match["dtype"].lower(),
        shape=tuple(int(size) for size in match["shape"].split("_") if size),
    )
