# SPDX-License-Identifier: Apache-2.0
"""Reads what a running data recorder left: names of its files, orders of execution, addresses of memory.

``{MODULE}.{name}[.{graph id}].{YYYYMMDDhhmmss}.{ext}`` is a name; the earliest versions write plain names. Times are
local. Source: MindSpore's documentation of the recorder, r1.2 to r2.5.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from mindscope.artifacts.problems import Problems

_NAME = re.compile(
    r"(?:(?P<module>[A-Z_]+)\.)?(?P<name>.+?)(?:\.(?P<graph>\d{1,9}))?(?:\.(?P<time>\d{14}))?\.(?P<kind>ir|pb|txt|json|csv|pickle)",
    re.ASCII,
)
_GRAPHS = ("ir", "pb")
_NODE = re.compile(r"(?P<number>\d+):\s*(?P<rest>.*)", re.ASCII)
_SIZES = re.compile(r"(?P<part>kernel_(?:inputs|workspaces|outputs))\s+\d+", re.ASCII)
_BLOCK = re.compile(r"&(?P<address>\S+)\s+#(?P<size>\d+)", re.ASCII)
_LONGEST_LINE = 1 << 16
_LINES_OF_NODE = 3
_LONGEST_TEXT = 4096
"""Characters of a text of a node or an operator."""


class RunningDataFile(NamedTuple):
    """One file by what its name says."""

    path: Path
    module: str
    """Sub-module that recorded it: ``SESSION``; empty in the earliest versions."""
    name: str
    graph: int | None
    time: str
    """Local time as ``YYYYMMDDhhmmss``; empty if unknown."""
    kind: str
    """Suffix of the file: ``ir``, ``pb``, ``txt``, ``json``, ``csv``, ``pickle``."""

    @property
    def is_graph(self) -> bool:
        """Whether it is a graph as text or protobuf."""
        return self.kind in _GRAPHS


class ExecutedNode(NamedTuple):
    """One entry of an order of execution."""

    number: int
    text: str
    """Text by which the recorder writes the node."""
    stream: str
    graph: str


class MemoryAddress(NamedTuple):
    """Memory that an operator used."""

    operator: str
    part: str
    """``kernel_inputs``, ``kernel_workspaces`` or ``kernel_outputs``."""
    address: str
    size: int
    """Size in bytes."""


def running_data_files(directory: Path) -> list[RunningDataFile]:
    """Return the files of a directory ``rdr``, by time and name. Raises OSError."""
    data_files: list[RunningDataFile] = []
    for path in directory.iterdir():
        match = _NAME.fullmatch(path.name)
        if match and path.is_file():
            graph = None if match["graph"] is None else int(match["graph"])
            data_files.append(
                RunningDataFile(path, match["module"] or "", match["name"], graph, match["time"] or "", match["kind"])
            )
    return sorted(data_files, key=lambda file: (file.time, file.path.name))


def read_execution_order(path: Path, problems: Problems) -> Iterator[ExecutedNode]:
    """Yield the nodes of ``graph_exec_order``: a number with a colon, then lines for the node, its stream and its
    graph.
    """
    with problems.noted(path):
        yield from _nodes(path)


def read_memory_addresses(path: Path, problems: Problems) -> Iterator[MemoryAddress]:
    """Yield the blocks of ``mem_address_list``."""
    with problems.noted(path):
        yield from _addresses(path)


def _nodes(path: Path) -> Iterator[ExecutedNode]:
    number: int | None = None
    lines: list[str] = []
    for line in _lines(path):
        match = _NODE.fullmatch(line.strip())
        if match or set(line.strip()) <= {"=", "-", "*"}:
            if number is not None and lines:
                yield _node(number, lines)
            number = int(match["number"]) if match else None
            lines = [match["rest"]] if match and match["rest"] else []
        elif number is not None and len(lines) < _LINES_OF_NODE:
            lines.append(line.strip())
    if number is not None and lines:
        yield _node(number, lines)


def _node(number: int, lines: list[str]) -> ExecutedNode:
    text, stream, graph = [line[:_LONGEST_TEXT] for line in [*lines, "", "", ""][:_LINES_OF_NODE]]
    return ExecutedNode(number, text, stream, graph)


def _addresses(path: Path) -> Iterator[MemoryAddress]:
    operator, part = "", ""
    for line in _lines(path):
        text = line.strip()
        block, sizes = _BLOCK.fullmatch(text), _SIZES.fullmatch(text)
        if block:
            yield MemoryAddress(operator, part, block["address"][:_LONGEST_TEXT], int(block["size"]))
        elif sizes:
            part = sizes["part"]
        elif text:
            operator, part = text[:_LONGEST_TEXT], ""


def _lines(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8", errors="replace") as file:
        while line := file.readline(_LONGEST_LINE):
            yield line
