# SPDX-License-Identifier: Apache-2.0
"""The command ``mindscope graph``."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import mindscope.graph
from mindscope import cli, reading
from mindscope.cli.logs import printable
from mindscope.errors import SettingsError, UsageError

if TYPE_CHECKING:
    from mindscope.graph import Graph, GraphDiff, Node, Nodes, Scope


def graph(
    path: Annotated[str, typer.Argument(metavar="PATH", help="A run, or a graph file (*.pb, *.onnx).")],
    name: Annotated[str | None, typer.Option("--name", help="Which graph of the run; the last one by default.")] = None,
    find: Annotated[
        str | None, typer.Option("--find", metavar="TEXT", help="List the nodes with this text in their name or type.")
    ] = None,
    attribute: Annotated[
        str | None,
        typer.Option("--attribute", metavar="TEXT", help="List the nodes with this text in an attribute, name=value."),
    ] = None,
    regex: Annotated[bool, typer.Option("--regex", help="TEXT is a regular expression.")] = False,
    scope: Annotated[str, typer.Option("--scope", help="Only the nodes inside this scope.")] = "",
    tree: Annotated[bool, typer.Option("--tree", help="Print all scopes with their numbers of operations.")] = False,
    start: Annotated[
        str | None, typer.Option("--from", metavar="NODE", help="List what depends on this node (name or full name).")
    ] = None,
    end: Annotated[
        str | None, typer.Option("--to", metavar="NODE", help="List what this node depends on; with --from, all paths.")
    ] = None,
    diff: Annotated[
        str | None, typer.Option("--diff", metavar="OTHER", help="Compare with the graph of this run or graph file.")
    ] = None,
    other_name: Annotated[str | None, typer.Option("--other-name", help="Which graph of OTHER; the last one.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON: nodes and edges.")] = False,
    svg: Annotated[
        str | None,
        typer.Option("--svg", metavar="FILE", help="Draw the graph as SVG into FILE; - to print it."),
    ] = None,
    depth: Annotated[
        int | None,
        typer.Option("--depth", min=0, help="Expand scopes of the SVG to this depth; by default to about 60 boxes."),
    ] = None,
    as_dot: Annotated[bool, typer.Option("--dot", help="Print the graph in the language of Graphviz.")] = False,
) -> None:
    """Print the computational graph of a run: its size, operation types and scopes."""
    graph = _part(_graph_at(path, name), scope)
    if diff is not None:
        other = _part(_graph_at(diff, other_name), scope)
        _print_lines(_differences(graph.diff(other)))
    elif start is not None or end is not None:
        _print_lines(printable(_node_line(node)) for node in _on_paths(graph, start, end))
    elif find is not None or attribute is not None:
        _print_lines(_found(graph, find, attribute, regex))
    elif svg is not None:
        _draw(graph, svg, depth)
    elif as_json:
        typer.echo(mindscope.graph.to_json(graph))
    elif as_dot:
        _print_lines(printable(line) for line in mindscope.graph.to_dot(graph))
    else:
        _print_lines(_tree(graph) if tree else _summary(graph))


def _graph_at(path: str, name: str | None) -> Graph:
    """Raises SettingsError for a run without this graph, FormatError for a file that is no graph."""
    file = cli.mirrored_run(path)
    if file.is_file():
        return mindscope.graph.read_graph_file(file)
    graphs = reading.open_run(path).graphs()
    if not graphs:
        raise SettingsError(f"{path} has no computational graph; record one with collect_specified_data's graph")
    if name is None:
        return list(graphs.values())[-1]
    if name not in graphs:
        raise SettingsError(f"{path} has no graph {name!r}; it has {', '.join(map(repr, graphs))}")
    return graphs[name]


def _part(whole: Graph, scope: str) -> Graph:
    """Return the part in ``scope``; reports damage. Raises SettingsError for a scope that the graph does not have."""
    if scope and scope not in whole.scope_numbers:
        raise SettingsError(f"graph {whole.name!r} has no scope {scope!r}; --tree lists its scopes")
    if whole.damage is not None:
        typer.echo(printable(str(whole.damage)), err=True)
    return whole.subgraph(scope) if scope else whole


def _draw(graph: Graph, file: str, depth: int | None) -> None:
    """Raises SettingsError if the file can't be written."""
    drawing = mindscope.graph.to_svg(graph, depth)
    if file == "-":
        sys.stdout.write(drawing)
        return
    try:
        Path(file).write_text(drawing, "utf-8")
    except OSError as error:
        raise SettingsError(f"--svg: {file} can't be written: {error.strerror}") from None


def _print_lines(lines: Iterable[str]) -> None:
    for line in lines:
        sys.stdout.write(f"{line}\n")


def _summary(graph: Graph) -> Iterator[str]:
    """Yield sizes, and the operation types from the most frequent to the rarest."""
    roles = Counter(node.role for node in graph.nodes)
    sizes = [f"{count:,} {_plural(role.name.lower(), count)}" for role, count in sorted(roles.items())]
    yield printable(graph.name or "(no name)")
    yield f"  {', '.join([*sizes, f'{graph.edge_count:,} edges', f'{len(graph.scopes) - 1:,} scopes'])}"
    types = Counter(node.op_type for node in graph.operations)
    for op_type, count in sorted(types.items(), key=lambda item: (-item[1], item[0])):
        yield f"  {count:>9,}  {printable(op_type or '(no type)')}"


def _plural(word: str, count: int) -> str:
    return word if count == 1 or word == "unresolved" else f"{word}s"


def _tree(graph: Graph) -> Iterator[str]:
    """Yield a line for each scope, indented by its depth, with the operations inside."""
    children: dict[int, list[int]] = {}
    for index, parent in enumerate(graph.scope_columns.parent.tolist()):
        children.setdefault(parent, []).append(index)
    waiting = [(0, 0)]
    while waiting:
        index, depth = waiting.pop()
        waiting.extend((child, depth + 1) for child in reversed(children.get(index, ())))
        yield _tree_line(mindscope.graph.Scope(graph, index), depth)


def _tree_line(scope: Scope, depth: int) -> str:
    label = scope.label if scope.path else scope.graph.name or "(no name)"
    return f"{'  ' * depth}{printable(label)}  {scope.size:,}"


def _on_paths(graph: Graph, start: str | None, end: str | None) -> Nodes:
    """Return the nodes after ``start``, before ``end``, or on all paths between both. Raises SettingsError."""
    ends = [None if name is None else _node_called(graph, name) for name in (start, end)]
    first, last = ends
    if first is not None and last is not None:
        return graph.between(first, last)
    return first.downstream if first is not None else last.upstream if last is not None else graph.nodes


def _node_called(graph: Graph, name: str) -> Node:
    """Find a node by its name, else by its full name. Raises SettingsError."""
    node = graph.nodes[name] if name in graph.node_numbers else None
    node = node or next((each for each in graph.nodes if each.full_name == name), None)
    if node is None:
        raise SettingsError(f"graph {graph.name!r} has no node {name!r}; --find lists nodes")
    return node


def _differences(diff: GraphDiff) -> Iterator[str]:
    """Yield the counts, then a line for each difference."""
    counts = diff.counts._asdict()
    yield ", ".join(f"{count:,} {word}" for word, count in counts.items() if count or word == "same")
    for entry in diff:
        what = str(entry.changes.name or "").lower().replace("|", ", ")
        sides = [" + ".join(_node_line(node) for node in side) for side in (entry.before, entry.after) if side]
        is_same_line = len(set(sides)) == 1
        line = sides[0] if is_same_line else " -> ".join(sides)
        yield printable(f"{entry.status.name.lower():<8} {line}{f'  ({what})' if what else ''}")


def _found(graph: Graph, text: str | None, attribute: str | None, is_regex: bool) -> Iterator[str]:
    wanted = None if attribute is None else _searched(attribute, is_regex, "--attribute")
    for node in graph.find(_searched(text or "", is_regex, "--find"), attribute=wanted):
        yield printable(_node_line(node))


def _searched(text: str, is_regex: bool, flag: str) -> str | re.Pattern[str]:
    """Raises UsageError for a text that is no regular expression."""
    try:
        return re.compile(text) if is_regex else text
    except re.error as error:
        raise UsageError(f"{flag}: {text!r} is no regular expression: {error}") from None


def _node_line(node: Node) -> str:
    shape = "" if node.shape is None else f"[{', '.join(map(str, node.shape))}]"
    return "  ".join(part for part in (node.full_name or node.name, node.op_type, f"{node.dtype}{shape}") if part)
