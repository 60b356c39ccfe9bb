// SPDX-License-Identifier: Apache-2.0
import { DRAWING, SPACING } from "../../core/graphs/layout/layoutInput";
import { textWidth } from "../../core/graphs/view/boxSize";
import type { Frame } from "../../core/graphs/view/graphPicture";
import { vertexItem } from "../../core/graphs/view/scopeItems";
import { FADED, xOf, yOf, type GraphPainting } from "./graphPainting";

const WIDTHS = [1, 1.5, 2.25, 3.25] as const;
/** A line is one step wider for each of these factors of bytes. */
const BYTES_PER_WIDTH = 64;
const LEAST_BYTES = 4096;
const CONTROL_DASH = [4, 3];
const STUB_LENGTH = SPACING.stub;
const STUB_DOT = 2;
const ARROW = { length: 6, width: 5, leastScale: 0.35 } as const;
const CORNER = 10;
const LABEL_SCALE = 0.6;
const LABEL_HEIGHT = 12;
/** Letters of labels are smaller than those of boxes. */
const LABEL_SHARE = 10 / 12;
/** Keeps what a line carries apart from other lines. */
const HALO = 3;
/** Loops of data and of control lie on one another, their numbers do not. */
const LOOP_LABEL_SHIFT = 6;
const LABEL_FONT = '10px "Inter Variable", system-ui, sans-serif';

/** Step of the width of an edge by the bytes that it carries. */
function widthStep(bytes: number): number {
  if (bytes <= LEAST_BYTES) return 0;
  return Math.min(Math.floor(Math.log(bytes / LEAST_BYTES) / Math.log(BYTES_PER_WIDTH)) + 1, WIDTHS.length - 1);
}

/** Edges of one look in one path. */
export function paintEdges(painting: GraphPainting): void {
  const { surface, ink, parts, look } = painting;
  const groups = new Map<string, { step: number; isControl: boolean; isFaded: boolean; edges: number[] }>();
  for (let index = 0; index < parts.edge.length; index++) {
    const frame = parts.frames[parts.edgeFrame[index]!]!;
    const edge = parts.edge[index]!;
    const isControl = frame.items.bundles.isControl[edge] === 1;
    const isFaded = look.highlight !== null && !look.highlight.edge(frame, edge);
    const step = widthStep(frame.items.bundles.bytes[edge]!);
    const key = `${isFaded ? 0 : 1}${isControl}${step}`;
    const group = groups.get(key) ?? { step, isControl, isFaded, edges: [] };
    group.edges.push(index);
    groups.set(key, group);
  }
  surface.save();
  surface.lineJoin = "round";
  for (const [, { step, isControl, isFaded, edges }] of [...groups].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const isBright = look.highlight !== null && !isFaded;
    surface.strokeStyle = surface.fillStyle = ink(isBright ? "var(--accent)" : isControl ? "var(--series-1)" : "var(--ink-soft)");
    surface.globalAlpha = isFaded ? FADED : 1;
    surface.lineWidth = WIDTHS[step]! * Math.min(1, Math.max(painting.transform.scale, 0.5));
    surface.setLineDash(isControl ? CONTROL_DASH : []);
    surface.beginPath();
    for (const index of edges) traceEdge(painting, index);
    surface.stroke();
    surface.setLineDash([]);
    surface.beginPath();
    for (const index of edges) traceHead(painting, index);
    surface.fill();
  }
  surface.restore();
  paintGridEdges(painting);
  paintPorts(painting);
}

/** A grid shows only the edges of the selected box and those that are highlighted, as straight lines. */
function paintGridEdges(painting: GraphPainting): void {
  const { surface, ink, parts, look } = painting;
  surface.save();
  surface.strokeStyle = ink("var(--accent)");
  surface.beginPath();
  parts.frames.forEach((frame, index) => {
    const { source, target } = frame.items.bundles;
    for (let edge = 0; edge < source.length; edge++) {
      if (frame.layout.drawing[edge] !== DRAWING.hidden) continue;
      const isSelected = [source[edge]!, target[edge]!].some((vertex) => vertexItem(frame.items, vertex) === look.selected);
      if (!isSelected && !look.highlight?.edge(frame, edge)) continue;
      surface.moveTo(...anchor(painting, index, source[edge]!, 1));
      surface.lineTo(...anchor(painting, index, target[edge]!, 0));
    }
  });
  surface.stroke();
  surface.restore();
}

/** Pixels of a port, or of the middle of the upper (0) or lower (1) side of a box. */
function anchor(painting: GraphPainting, frame: number, vertex: number, side: number): [number, number] {
  const { boxes, portX, height } = painting.parts.frames[frame]!.layout;
  if (vertex >= boxes.x.length) {
    const port = vertex - boxes.x.length;
    return [xOf(painting, frame, portX[port]!), yOf(painting, frame, side === 1 ? 0 : height)];
  }
  const x = boxes.x[vertex]! + boxes.width[vertex]! / 2;
  return [xOf(painting, frame, x), yOf(painting, frame, boxes.y[vertex]! + side * boxes.height[vertex]!)];
}

/** Dots where edges pass the border of an open scope. */
function paintPorts(painting: GraphPainting): void {
  const { surface, ink, parts, transform } = painting;
  if (transform.scale < ARROW.leastScale) return;
  surface.fillStyle = ink("var(--ink-soft)");
  surface.beginPath();
  parts.frames.forEach(({ layout, items: { ports } }, frame) => {
    for (let port = 0; port < ports.neighbor.length; port++)
      dot(painting, xOf(painting, frame, layout.portX[port]!), yOf(painting, frame, port < ports.inputs ? 0 : layout.height));
  });
  surface.fill();
}

function traceEdge(painting: GraphPainting, index: number): void {
  const { surface, parts } = painting;
  const frameIndex = parts.edgeFrame[index]!;
  const { layout } = parts.frames[frameIndex]!;
  const points = pixelsOf(painting, index);
  if (layout.drawing[parts.edge[index]!] === DRAWING.stub) {
    surface.moveTo(points[0]!, points[1]!);
    surface.lineTo(points[0]!, points[1]! + STUB_LENGTH * painting.transform.scale);
    surface.moveTo(points[2]!, points[3]! - STUB_LENGTH * painting.transform.scale);
    surface.lineTo(points[2]!, points[3]!);
  } else traceRounded(painting, points);
}

function pixelsOf(painting: GraphPainting, index: number): number[] {
  const frame = painting.parts.edgeFrame[index]!;
  const { routes } = painting.parts.frames[frame]!.layout;
  const edge = painting.parts.edge[index]!;
  const pixels: number[] = [];
  for (let point = routes.start[edge]!; point < routes.start[edge + 1]!; point++)
    pixels.push(xOf(painting, frame, routes.points[2 * point]!), yOf(painting, frame, routes.points[2 * point + 1]!));
  return pixels;
}

/** A polyline whose corners are cut by two short lines, which look round at this size. */
function traceRounded({ surface, transform }: GraphPainting, points: readonly number[]): void {
  surface.moveTo(points[0]!, points[1]!);
  for (let at = 2; at + 2 < points.length; at += 2) {
    const [x, y] = [points[at]!, points[at + 1]!];
    const [beforeX, beforeY] = [points[at - 2]! - x, points[at - 1]! - y];
    const [afterX, afterY] = [points[at + 2]! - x, points[at + 3]! - y];
    const [before, after] = [Math.hypot(beforeX, beforeY), Math.hypot(afterX, afterY)];
    const radius = Math.min(CORNER * transform.scale, before / 2, after / 2);
    if (radius < 1) {
      surface.lineTo(x, y);
      continue;
    }
    const from = [x + (beforeX / before) * radius, y + (beforeY / before) * radius] as const;
    const to = [x + (afterX / after) * radius, y + (afterY / after) * radius] as const;
    surface.lineTo(...from);
    surface.lineTo(x / 2 + (from[0] + to[0]) / 4, y / 2 + (from[1] + to[1]) / 4);
    surface.lineTo(...to);
  }
  surface.lineTo(points.at(-2)!, points.at(-1)!);
}

/** The tip at the target, unless the edge continues inside of it, or the dots of a stub. */
function traceHead(painting: GraphPainting, index: number): void {
  const { surface, transform, parts } = painting;
  const { layout, items, inner } = parts.frames[parts.edgeFrame[index]!]!;
  const edge = parts.edge[index]!;
  if (transform.scale < ARROW.leastScale) return;
  const points = pixelsOf(painting, index);
  if (layout.drawing[edge] === DRAWING.stub) {
    dot(painting, points[0]!, points[1]! + STUB_LENGTH * transform.scale);
    dot(painting, points[2]!, points[3]! - STUB_LENGTH * transform.scale);
    return;
  }
  const target = items.bundles.target[edge]!;
  if (target >= items.item.length || (inner.has(target) && entersAtTop(layout, edge, target))) return;
  const [x, y] = [points.at(-2)!, points.at(-1)!];
  const [alongX, alongY] = [x - points.at(-4)!, y - points.at(-3)!];
  const length = Math.hypot(alongX, alongY) || 1;
  const [unitX, unitY] = [(alongX / length) * transform.scale, (alongY / length) * transform.scale];
  surface.moveTo(x, y);
  surface.lineTo(x - unitX * ARROW.length - (unitY * ARROW.width) / 2, y - unitY * ARROW.length + (unitX * ARROW.width) / 2);
  surface.lineTo(x - unitX * ARROW.length + (unitY * ARROW.width) / 2, y - unitY * ARROW.length - (unitX * ARROW.width) / 2);
  surface.closePath();
}

/** Whether an edge continues inside of its target. One that closes a cycle may have no port there, and then ends below it. */
function entersAtTop({ boxes, isReversed, routes }: Frame["layout"], edge: number, target: number): boolean {
  return !isReversed[edge] || routes.points[2 * routes.start[edge + 1]! - 1]! <= boxes.y[target]!;
}

function dot({ surface }: GraphPainting, x: number, y: number): void {
  surface.rect(x - STUB_DOT, y - STUB_DOT, 2 * STUB_DOT, 2 * STUB_DOT);
}

/** Numbers of bundled edges, and the names at the other ends of stubs; one name for the stubs of one box. */
export function paintEdgeLabels(painting: GraphPainting): void {
  const { surface, ink, parts, look, transform } = painting;
  if (transform.scale < LABEL_SCALE) return;
  const taken: { left: number; top: number; right: number }[] = [];
  surface.save();
  surface.lineWidth = HALO;
  surface.lineJoin = "round";
  surface.strokeStyle = ink("var(--paper)");
  surface.font = LABEL_FONT;
  surface.textBaseline = "middle";
  surface.fillStyle = ink("var(--ink-soft)");
  const stubs = new Map<string, { x: number; y: number; name: string; count: number; isAbove: boolean }>();
  for (let index = 0; index < parts.edge.length; index++) {
    const frame = parts.frames[parts.edgeFrame[index]!]!;
    const edge = parts.edge[index]!;
    const points = pixelsOf(painting, index);
    if (frame.layout.drawing[edge] === DRAWING.stub) {
      addStub(painting, stubs, frame, edge, points.slice(0, 2), false);
      addStub(painting, stubs, frame, edge, points.slice(2), true);
    } else {
      const count = frame.items.bundles.count[edge]!;
      const text = [look.carries?.(frame, edge) ?? "", count > 1 ? `×${count}` : ""].filter((part) => part !== "").join(" ");
      const isLoop = frame.layout.drawing[edge] === DRAWING.loop;
      const shift = isLoop ? (frame.items.bundles.isControl[edge] ? 1 : -1) * LOOP_LABEL_SHIFT : 0;
      if (text !== "") paintCarried(painting, points, text, shift, taken);
    }
  }
  for (const { x, y, name, count, isAbove } of stubs.values()) {
    surface.textAlign = isAbove ? "right" : "left";
    const text = count > 1 ? `${name} +${count - 1}` : name;
    surface.fillText(text, x + (isAbove ? -6 : 6), y + (isAbove ? -1 : 1) * STUB_LENGTH * transform.scale);
  }
  surface.restore();
}

function addStub(
  { look }: GraphPainting,
  stubs: Map<string, { x: number; y: number; name: string; count: number; isAbove: boolean }>,
  { items }: Frame,
  edge: number,
  [x, y]: number[],
  isAbove: boolean,
): void {
  const far = isAbove ? items.bundles.source[edge]! : items.bundles.target[edge]!;
  const item = vertexItem(items, far);
  const key = `${x} ${y}`;
  const known = stubs.get(key);
  if (known) known.count++;
  else stubs.set(key, { x: x!, y: y!, name: item < 0 ? "…" : look.label(item), count: 1, isAbove });
}

/** Writes what a line carries beside its first piece that is high enough, where no other text is. */
function paintCarried(
  { surface }: GraphPainting,
  points: readonly number[],
  text: string,
  shift: number,
  taken: { left: number; top: number; right: number }[],
): void {
  for (let at = 0; at + 3 < points.length; at += 2) {
    const [fromY, toY] = [points[at + 1]!, points[at + 3]!];
    if (Math.abs(toY - fromY) < LABEL_HEIGHT) continue;
    const x = (points[at]! + points[at + 2]!) / 2 + 5;
    const y = (fromY + toY) / 2 + shift;
    const place = { left: x, top: y, right: x + textWidth(text) * LABEL_SHARE };
    if (taken.some(({ left, top, right }) => Math.abs(top - y) < LABEL_HEIGHT && left < place.right && x < right)) continue;
    taken.push(place);
    surface.textAlign = "left";
    surface.strokeText(text, x, y);
    surface.fillText(text, x, y);
    return;
  }
}
