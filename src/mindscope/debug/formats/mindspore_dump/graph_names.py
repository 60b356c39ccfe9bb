# SPDX-License-Identifier: Apache-2.0
"""Full names of operators, in the order of execution, and their source lines, from the files beside a dump."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import islice
from pathlib import Path

from mindscope.artifacts.problems import Problems
from mindscope.debug.formats.mindspore_dump.ir_text import IrText, read_ir
from mindscope.debug.formats.mindspore_dump.scopes import plain_name, scope_of
from mindscope.errors import FormatError
from mindscope.formats.message_columns import Messages
from mindscope.formats.mindspore_schemas import MODEL
from mindscope.formats.text_lines import bounded_lines

_GRAPH_FILE = re.compile(r"ms_output_trace_code_graph_(\d+)\.(ir|pb)", re.ASCII)
_LARGEST_PB = 1 << 25
_MOST_NAMES = 1 << 19
_LONGEST_LINE = 1 << 20
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
        self.order = {name: position for position, name in enumerate(ordered)}
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
        """Return full names that a name in a file may mean, in the order of execution."""
        found = self._by_plain.get(plain_name(name))
        if found:
            return found
        alike = self._by_stem.get(_stem(plain_name(name)), [])  # MindSpore 2.10 renumbers a few operators
        return alike if len(alike) == 1 else []

    def stack(self, name: str) -> tuple[str, ...]:
        """Return the source lines of a full name, innermost first; empty if unknown."""
        return self._stacks.get(name, ())


def read_graph_names(rank_directory: Path, problems: Problems) -> dict[str, GraphNames]:
    """Return the names of each graph of a rank, by the number of the graph."""
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
        names = (line.strip().strip('"') for line in bounded_lines(file, _LONGEST_LINE) if line is not None)
        return list(islice((name for name in names if name and not name.startswith(_ORDER_HEADER)), _MOST_NAMES))


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
        return read_ir(line for line in bounded_lines(file, _LONGEST_LINE) if line is not None)


def _read_pb_file(path: Path) -> IrText:
    """Return names only: the message has no lines of the program."""
    size = path.stat().st_size
    if size > _LARGEST_PB:
        raise FormatError(f"it has {size} bytes, names are read of at most {_LARGEST_PB}")
    model = Messages.one(MODEL, path.read_bytes())
    if model.broken.size:
        raise FormatError("it is no graph of MindSpore, or was cut")
    graph = model.messages("graph")
    nodes, parameters = graph.each_run("node")[1], graph.each_run("parameters")[1]
    if len(nodes) + len(parameters) > _MOST_NAMES:
        raise FormatError(f"its graph has {len(nodes)} nodes, names are read of at most {_MOST_NAMES}")
    names = graph.each_message("node")[1].field_runs("full_name")
    weights = graph.each_message("parameters")[1].field_runs("name")
    return IrText(
        {name: () for row in range(len(names)) if (name := names.text(row))},
        {weights.text(row): True for row in range(len(weights))},
    )


def _files(directory: Path) -> list[Path]:
    try:
        return sorted(entry for entry in directory.iterdir() if entry.is_file())
    except OSError:
        return []


def _stem(name: str) -> str:
    return re.sub(r"-op\d+$", "", name)
