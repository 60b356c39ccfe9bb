# SPDX-License-Identifier: Apache-2.0
"""Draws a graph as SVG: boxes in layers from top to bottom, open scopes as frames."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape
from itertools import pairwise

from mindscope.graph.algorithms.parts import NodePart, node_parts
from mindscope.graph.data.columns import Role
from mindscope.graph.data.graph_data import GraphData, Node, Scope

TYPE_COLORS = ("#adc8f4", "#f1c9b5", "#a9c6c0", "#ffc1d1", "#cddab1", "#bbadd8", "#b6dae4", "#d9aca5", "#e7caf9")
"""Colors of the most frequent operation types, as on the page."""
SCOPE_COLOR, OUTLINE, LINE = "#e6efff", "#c2c4c8", "#5f6368"
LETTER, MOST_WIDTH, MOST_ROWS = 7.0, 240.0, 4
NODE_HEIGHT, SCOPE_HEIGHT, ROW_HEIGHT = 28.0, 36.0, 14.0
GAP, LAYER_GAP, PADDING, HEADER, LANE = 20.0, 30.0, 14.0, 24.0, 8.0
ENTRY, EXIT = -1, -2
"""Ends of edges that cross the border of an open scope."""
FEW_BOXES = 60
MOST_FEEDERS = 64
MOST_LANES = 100
"""Layers that a long edge goes around; a longer one goes straight, under the boxes."""

Edge = tuple[int, int]
Edges = dict[Edge, list[int]]
"""Number of edges and of those that carry data, by both ends."""


@dataclass(slots=True)
class _Box:
    """A box: a node, a closed scope, or an open scope with its own boxes; (x, y) is its corner in the scope around."""

    width: float
    height: float
    label: str = ""
    rows: list[str] = field(default_factory=list[str])
    color: str = ""
    x: float = 0.0
    y: float = 0.0
    frame: _Frame | None = None


@dataclass(slots=True)
class _Frame:
    """The boxes of an open scope by item, and the points of each edge between them."""

    boxes: dict[int, _Box]
    lines: list[tuple[list[tuple[float, float]], int, bool]]  # points, number of edges (0 not to show it), carry data


def to_svg(graph: GraphData, depth: int | None = None) -> str:
    """Return the graph as SVG with scopes expanded to ``depth``; by default as deep as about 60 boxes.

    Parameters and constants are rows of the operations that take them; nodes that only pass a value on are left out.
    """
    return _Drawing(graph, depth).svg()


class _Drawing:
    """Items are the scopes by index, then the nodes."""

    def __init__(self, graph: GraphData, depth: int | None) -> None:
        self.graph = graph
        self.scopes = len(graph.scope_columns)
        self.parent: list[int] = [*graph.scope_columns.parent.tolist(), *graph.node_columns.scope.tolist()]
        self.level = [0] * self.scopes
        for scope in range(1, self.scopes):
            self.level[scope] = self.level[self.parent[scope]] + 1
        roles: list[int] = graph.node_columns.role.tolist()
        self.is_leaf = [role in (Role.PARAMETER, Role.CONSTANT) for role in roles]
        self.is_passed = [bool(part & NodePart.PASS_THROUGH) for part in node_parts(graph).tolist()]
        self.depth = self._fitting_depth() if depth is None else depth
        self.rows: dict[int, list[str]] = {}
        self.edges: dict[int, Edges] = {}  # by scope
        self._read_edges()
        types = Counter(node.op_type for node in map(self._node, self._drawn()) if node.role is Role.OPERATION)
        names = [name for name, _ in types.most_common(len(TYPE_COLORS))]
        self.colors = dict(zip(names, TYPE_COLORS, strict=False))

    def svg(self) -> str:
        box = self._open(0)
        width, height = box.width + 2 * PADDING, box.height + 2 * PADDING
        parts = list(self._painted(box, PADDING, PADDING, is_root=True))
        size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
        style = 'font-family="Inter, system-ui, sans-serif" font-size="12" fill="#202124"'
        title = f"<title>{_text(self.graph.name)}</title>"
        body = "\n".join([f'<rect width="{width:.0f}" height="{height:.0f}" fill="#fdfdfd"/>', *parts])
        return f'<svg xmlns="http://www.w3.org/2000/svg" {size} {style}>{title}\n{body}\n</svg>\n'

    # ---- what is drawn ----------------------------------------------------------------------------------------------

    def _node(self, item: int) -> Node:
        return Node(self.graph, item - self.scopes)

    def _drawn(self) -> Iterator[int]:
        for node, (is_leaf, is_passed) in enumerate(zip(self.is_leaf, self.is_passed, strict=True)):
            if not is_leaf and not is_passed:
                yield self.scopes + node

    def _fitting_depth(self) -> int:
        depth, deepest = 0, max(self.level)
        while depth < deepest and len({self._shown(item, depth + 1) for item in self._drawn()}) <= FEW_BOXES:
            depth += 1
        return depth

    def _shown(self, item: int, depth: int) -> int:
        """Return the box of an item: itself, or the closed scope around it."""
        above = self.parent[item]
        if self.level[above] <= depth:
            return item
        while self.level[above] > depth + 1:
            above = self.parent[above]
        return above

    def _read_edges(self) -> None:
        """Read edges as parts: to the border of each open scope that they leave, across, from each that they enter."""
        columns = self.graph.edge_columns
        inputs: dict[int, list[int]] = {}
        pairs = list(zip(columns.source.tolist(), columns.target.tolist(), columns.is_control.tolist(), strict=True))
        for source, target, is_control in pairs:
            if self.is_passed[target] and not is_control:
                inputs.setdefault(target, []).append(source)
        for source, target, is_control in pairs:
            if self.is_passed[target] or self.is_leaf[target]:
                continue
            for feeder in self._feeders(source, inputs):
                if self.is_leaf[feeder]:
                    self._add_row(self.scopes + target, feeder)
                else:
                    self._add_edge(self.scopes + feeder, self.scopes + target, bool(is_control))

    def _feeders(self, source: int, inputs: dict[int, list[int]]) -> list[int]:
        """Return the nodes that give a value, past those that only pass it on."""
        waiting, seen, found = [source], {source}, list[int]()
        while waiting:
            node = waiting.pop()
            if not self.is_passed[node]:
                found.append(node)
                continue
            for feeder in inputs.get(node, ()):
                if feeder not in seen and len(seen) < MOST_FEEDERS:
                    seen.add(feeder)
                    waiting.append(feeder)
        return found

    def _add_row(self, item: int, leaf: int) -> None:
        if self._shown(item, self.depth) == item:
            node = self._node(self.scopes + leaf)
            shape = "" if node.shape is None else "×".join("?" if size < 0 else str(size) for size in node.shape)
            row = f"{node.name.rpartition('/')[2].rpartition('.')[2]} {shape}".strip()
            self.rows.setdefault(item, []).append(row)

    def _add_edge(self, source: int, target: int, is_control: bool) -> None:
        above, below = self._shown(source, self.depth), self._shown(target, self.depth)
        if above == below:
            return
        ups, downs = self._scopes_above(above), self._scopes_above(below)
        shared = len([1 for one, other in zip(ups, downs, strict=False) if one == other])
        for index in range(len(ups) - 1, shared - 1, -1):
            self._count(ups[index], (ups[index + 1] if index + 1 < len(ups) else above, EXIT), is_control)
        for index in range(len(downs) - 1, shared - 1, -1):
            self._count(downs[index], (ENTRY, downs[index + 1] if index + 1 < len(downs) else below), is_control)
        ends = (ups[shared] if shared < len(ups) else above, downs[shared] if shared < len(downs) else below)
        self._count(ups[shared - 1], ends, is_control)

    def _scopes_above(self, item: int) -> list[int]:
        """Return the scopes from the root down to that of an item."""
        above: list[int] = []
        while (item := self.parent[item]) >= 0:
            above.append(item)
        return above[::-1]

    def _count(self, scope: int, ends: Edge, is_control: bool) -> None:
        counts = self.edges.setdefault(scope, {}).setdefault(ends, [0, 0])
        counts[0] += 1
        counts[1] += not is_control

    # ---- layout -----------------------------------------------------------------------------------------------------

    def _open(self, root: int) -> _Box:
        """Return the box of the root with all boxes inside: the innermost scopes first."""
        members: dict[int, dict[int, None]] = {}
        for item in self._drawn():
            shown = self._shown(item, self.depth)
            while shown > 0 and shown not in members.setdefault(self.parent[shown], {}):
                members[self.parent[shown]][shown] = None
                shown = self.parent[shown]
        boxes: dict[int, _Box] = {}
        for scope in sorted(members, reverse=True):
            inside = {item: boxes.get(item) or self._closed(item) for item in members[scope]}
            boxes[scope] = _frame(Scope(self.graph, scope).label, inside, self.edges.get(scope, {}))
        return boxes.get(root) or _frame(self.graph.name, {}, {})

    def _closed(self, item: int) -> _Box:
        if item < self.scopes:
            label = Scope(self.graph, item).label
            return _Box(_width(f"{label}  +"), SCOPE_HEIGHT, f"{label}  +", color=SCOPE_COLOR)
        node, rows = self._node(item), self.rows.get(item, [])
        if len(rows) > MOST_ROWS:
            rows = [*rows[: MOST_ROWS - 1], f"+{len(rows) - MOST_ROWS + 1}"]
        label = (node.full_name or node.name).rstrip("/").rpartition("/")[2]
        width = max([_width(label), *(_width(row) for row in rows)])
        color = self.colors.get(node.op_type, "#ffffff") if node.role is Role.OPERATION else "#ffffff"
        return _Box(width, NODE_HEIGHT + ROW_HEIGHT * len(rows), label, rows, color)

    # ---- picture ----------------------------------------------------------------------------------------------------

    def _painted(self, box: _Box, x: float, y: float, is_root: bool = False) -> Iterator[str]:
        x, y = x + box.x, y + box.y
        rect = f'<rect x="{x:.1f}" y="{y:.1f}" width="{box.width:.1f}" height="{box.height:.1f}" stroke="{OUTLINE}"'
        if box.frame is None:
            yield f'{rect} fill="{box.color}"/>'
            middle = y + (box.height - ROW_HEIGHT * len(box.rows)) / 2 + 4
            yield f'<text x="{x + 8:.1f}" y="{middle:.1f}">{_text(_cut(box.label))}</text>'
            for index, row in enumerate(box.rows):
                top = y + NODE_HEIGHT + ROW_HEIGHT * index + 6
                yield f'<text x="{x + 8:.1f}" y="{top:.1f}" font-size="10" fill="{LINE}">{_text(_cut(row))}</text>'
            return
        if not is_root:
            yield f'{rect} fill="#000000" fill-opacity="0.035"/>'
        for points, count, has_data in box.frame.lines:
            yield _line([(x + left, y + top) for left, top in points], count, has_data)
        if not is_root:
            halo = 'stroke="#ffffff" stroke-width="3" paint-order="stroke"'
            yield f'<text x="{x + 8:.1f}" y="{y + 16:.1f}" font-weight="600" {halo}>{_text(_cut(box.label))}</text>'
        for inner in box.frame.boxes.values():
            yield from self._painted(inner, x, y)


def _frame(label: str, boxes: dict[int, _Box], edges: Edges) -> _Box:
    """Put boxes in layers, each below those whose values it takes; long edges have lanes between the boxes."""
    layer = _layers(boxes, edges)
    rows: list[list[Edge | int]] = [[] for _ in range(max(layer.values(), default=0) + 1)]
    for item, number in layer.items():
        rows[number].append(item)
    if rows and not rows[0]:
        del rows[0]
        layer = {item: number - 1 for item, number in layer.items()}
    chains: dict[Edge, list[Edge | int]] = {}
    lanes: dict[Edge, _Box] = {}
    for source, target in edges:
        chain: list[Edge | int] = [source]
        between = range(layer[source] + 1, layer[target])
        for number in between if len(between) <= MOST_LANES else ():
            lane = (len(lanes), number)
            lanes[lane] = _Box(LANE, 0.0)
            rows[number].append(lane)
            chain.append(lane)
        chains[source, target] = [*chain, target]
    layout: dict[Edge | int, _Box] = {**boxes, **lanes, ENTRY: _Box(LANE, 0.0), EXIT: _Box(LANE, 0.0)}
    _order(rows, chains)
    width = max([_row_width(row, layout) for row in rows] + [_width(label) + LANE])
    top = HEADER
    for row in rows:
        left, height = (width - _row_width(row, layout)) / 2, max((layout[each].height for each in row), default=0.0)
        for each in row:
            if each in lanes:
                layout[each].height = height
            layout[each].x, layout[each].y = PADDING + left, top + (height - layout[each].height) / 2
            left += layout[each].width + GAP
        top += height + LAYER_GAP
    height = top - LAYER_GAP + PADDING
    layout[ENTRY].y, layout[EXIT].y = 0.0, height
    lines = [(_points([layout[each] for each in chain]), *_counts(edges[ends], ends)) for ends, chain in chains.items()]
    return _Box(width + 2 * PADDING, height, label, frame=_Frame(boxes, lines))


def _counts(counts: list[int], ends: Edge) -> tuple[int, bool]:
    return 0 if EXIT in ends else counts[0], counts[1] > 0


def _layers(boxes: dict[int, _Box], edges: Edges) -> dict[int, int]:
    """Return the longest way to each box along edges that follow the order of the file.

    Sources move down to their readers.
    """
    order = {item: position for position, item in enumerate(boxes)}
    sources: dict[int, list[int]] = {}
    readers: dict[int, list[int]] = {}
    for source, target in edges:
        if source in order and target in order and order[source] < order[target]:
            sources.setdefault(target, []).append(source)
            readers.setdefault(source, []).append(target)
    layer: dict[int, int] = {}
    for item in boxes:
        layer[item] = 1 + max((layer[source] for source in sources.get(item, ())), default=0)
    for item in boxes:
        if item not in sources and item in readers and (ENTRY, item) not in edges:
            layer[item] = max(1, min(layer[reader] for reader in readers[item]) - 1)
    if any(source == ENTRY for source, _ in edges):
        layer[ENTRY] = 0
    if any(target == EXIT for _, target in edges):
        layer[EXIT] = 1 + max(layer.values(), default=0)
    return layer


def _order(rows: list[list[Edge | int]], chains: dict[Edge, list[Edge | int]]) -> None:
    """Sort each row by the mean position of what its boxes are connected to, down and up again."""
    above: dict[Edge | int, list[Edge | int]] = {}
    below: dict[Edge | int, list[Edge | int]] = {}
    for chain in chains.values():
        for one, other in pairwise(chain):
            above.setdefault(other, []).append(one)
            below.setdefault(one, []).append(other)
    position = {each: index / max(1, len(row)) for row in rows for index, each in enumerate(row)}
    for neighbors, sweep in ((above, rows), (below, rows[::-1]), (above, rows)):
        for row in sweep:
            known = {each: neighbors.get(each) or [each] for each in row}
            row.sort(key=lambda each, known=known: sum(position[other] for other in known[each]) / len(known[each]))
            position.update({each: index / max(1, len(row)) for index, each in enumerate(row)})


def _row_width(row: list[Edge | int], layout: dict[Edge | int, _Box]) -> float:
    return sum(layout[each].width for each in row) + GAP * max(0, len(row) - 1)


def _points(chain: list[_Box]) -> list[tuple[float, float]]:
    first, *lanes, last = chain
    if last.y < first.y + first.height:  # back to an earlier box, around the right sides of both
        side = max(first.x + first.width, last.x + last.width) + GAP
        ends = [(box.x + box.width, box.y + box.height / 2) for box in (first, last)]
        return [ends[0], (side, (ends[0][1] + ends[1][1]) / 2), ends[1]]
    middle = [(lane.x + lane.width / 2, lane.y + end) for lane in lanes for end in (0.0, lane.height)]
    return [(first.x + first.width / 2, first.y + first.height), *middle, (last.x + last.width / 2, last.y)]


def _line(points: list[tuple[float, float]], count: int, has_data: bool) -> str:
    path = f"M{points[0][0]:.1f} {points[0][1]:.1f}"
    is_back = points[-1][1] < points[0][1]
    if is_back:
        (left, top), (side, _), (x, y) = points
        path += f"C{side:.1f} {top:.1f} {side:.1f} {y:.1f} {x:.1f} {y:.1f}"
    for (left, top), (x, y) in pairwise(() if is_back else points):
        bend = max(8.0, (y - top) / 2)
        path += f"C{left:.1f} {top + bend:.1f} {x:.1f} {y - bend:.1f} {x:.1f} {y:.1f}"
    dashes = "" if has_data else ' stroke-dasharray="4 3"'
    x, y = points[-1]
    corner = f"M{x + 5:.1f} {y - 3:.1f}v6" if is_back else f"M{x - 3:.1f} {y - 5:.1f}h6"
    tip = f'<path d="{corner}L{x:.1f} {y:.1f}Z" fill="{LINE}"/>'
    words = f'<text x="{x + 5:.1f}" y="{y - 6:.1f}" font-size="9" fill="{LINE}">×{count}</text>' if count > 1 else ""
    return f'<path d="{path}" fill="none" stroke="{LINE}"{dashes}/>{tip}{words}'


def _width(label: str) -> float:
    return min(MOST_WIDTH, max(72.0, LETTER * len(label) + 20))


def _cut(label: str) -> str:
    most = int((MOST_WIDTH - 20) / LETTER)
    return label if len(label) <= most else f"{label[: most // 2]}…{label[most // 2 - most + 1 :]}"


def _text(text: str) -> str:
    return escape("".join(letter if letter.isprintable() else "�" for letter in text))
