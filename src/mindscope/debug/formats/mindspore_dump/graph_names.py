# SPDX-License-Identifier: Apache-2.0
"""Full names of operators, in the order of execution, and their source lines, from the files beside a dump."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from mindscope.debug.formats.mindspore_dump.ir_text import IrText, read_ir
from mindscope.debug.formats.mindspore_dump.scopes import plain_name, scope_of
from mindscope.debug.formats.problems import Problems
from mindscope.errors import FormatError
from mindscope.formats import wire
from mindscope.formats.mindspore_schemas import MODEL

_GRAPH_FILE = re.compile(r"ms_output_trace_code_graph_(\d+)\.(ir|pb)", re.ASCII)
_LARGEST_PB = 1 << 28
_ORDER_HEADER = "NodeExecutionOrder"


class GraphNames:
    """Operators of one graph by the names in files. Empty where no file is beside the dump."""

    def __init__(
        self, order: Iterable[str] = (), stacks: Mapping[str, tuple[str, ...]] | None = None,
        parameters: Mapping[str, bool] | None = None,
    ) -> None:  # fmt: skip
        """``order``: full names as they run; ``stacks`` by full name; ``parameters``: whether each is a weight."""
        self._stacks = stacks or {}
        ordered = dict.fromkeys((*order, *self._stacks))
        self.order = {name: place for place, name in enumerate(ordered)}
        self.parameters = {plain_name(name): (name, is_weight) for name, is_weight in (parameters or {}).items()}
        """Name and whether it is a weight, by the name in files."""
        self.classes: dict[str, str] = {}
        """Class of each module."""
        self._by_plain: dict[str, list[str]] = {}
        self._by_stem: dict[str, list[str]] = {}
        for name in ordered:
            for plain in {plain_name(name), plain_name(name.rpartition("/")[2])}:
                self._by_plain.setdefault(plain, []).append(name)
            self._by_stem.setdefault(_stem(plain_name(name)), []).append(name)
            self.classes.update(scope_of(name, "").classes)

    def candidates(self, name: str) -> list[str]:
        """Full names that a name in a file may mean, in the order of execution."""
        found = self._by_plain.get(plain_name(name))
        if found:
            return found
        alike = self._by_stem.get(_stem(plain_name(name)), [])  # MindSpore 2.10 renumbers a few operators
        return alike if len(alike) == 1 else []

    def stack(self, name: str) -> tuple[str, ...]:
        """Source lines of a full name, innermost first; empty if unknown."""
        return self._stacks.get(name, ())


def read_graph_names(rank_directory: Path, problems: Problems) -> dict[str, GraphNames]:
    """The names of each graph of a rank, by the number of the graph."""
    texts, parameters = _read_graphs(rank_directory / "graphs", problems)
    orders = _read_orders(rank_directory / "execution_order", problems)
    return {
        graph: GraphNames(orders.get(graph, ()), texts.get(graph, {}), parameters.get(graph, {}))
        for graph in sorted({*texts, *orders, *parameters})
    }


def _read_orders(directory: Path, problems: Problems) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for path in _files(directory):
        match = re.fullmatch(r"ms_execution_order_graph_(\d+)\.csv", path.name, re.ASCII)
        if match:
            names = problems.read(path, _order_lines)
            found[match[1]] = names or []
    return found


def _order_lines(path: Path) -> list[str]:
    with path.open(encoding="utf-8", errors="replace") as file:
        return [name for line in file if (name := line.strip().strip('"')) and not name.startswith(_ORDER_HEADER)]


def _read_graphs(
    directory: Path, problems: Problems
) -> tuple[dict[str, Mapping[str, tuple[str, ...]]], dict[str, Mapping[str, bool]]]:
    stacks: dict[str, Mapping[str, tuple[str, ...]]] = {}
    parameters: dict[str, Mapping[str, bool]] = {}
    for path in sorted(_files(directory), key=lambda path: path.suffix):  # .ir first
        match = _GRAPH_FILE.fullmatch(path.name)
        if match is None or match[1] in stacks:
            continue
        text = problems.read(path, _read_ir_file if match[2] == "ir" else _read_pb_file)
        if text is not None:
            stacks[match[1]], parameters[match[1]] = text.stacks, text.parameters
    return stacks, parameters


def _read_ir_file(path: Path) -> IrText:
    with path.open(encoding="utf-8", errors="replace") as file:
        return read_ir(file)


def _read_pb_file(path: Path) -> IrText:
    """Names only: the message has no lines of the program."""
    size = path.stat().st_size
    if size > _LARGEST_PB:
        raise FormatError(f"it has {size} bytes, names are read of at most {_LARGEST_PB}")
    graph: Mapping[str, Any] = wire.decode(MODEL, path.read_bytes()).get("graph", {})
    names = [str(node["full_name"]) for node in graph.get("node", ()) if node.get("full_name")]
    weights = {str(each.get("name", "")): True for each in graph.get("parameters", ())}
    return IrText(dict.fromkeys(names, ()), weights)


def _files(directory: Path) -> list[Path]:
    try:
        return sorted(each for each in directory.iterdir() if each.is_file())
    except OSError:
        return []


def _stem(name: str) -> str:
    return re.sub(r"-op\d+$", "", name)
