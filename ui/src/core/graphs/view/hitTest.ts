// SPDX-License-Identifier: Apache-2.0
import { DRAWING, SPACING } from "../layout/layoutInput";
import type { Frame, GraphPicture } from "./graphPicture";
import { vertexItem } from "./scopeItems";
import { LEAST_FRAME_PIXELS } from "./visibleParts";

/**
 * What lies under a point: a box, the header or the inside of an open scope, an edge of a frame, a stub, or a port. `item` is what a
 * stub or a port leads to; -1 for a port of many.
 */
export type Hit =
  | { kind: "box" | "header"; frame: Frame; box: number }
  | { kind: "edge"; frame: Frame; edge: number }
  | { kind: "stub" | "port"; frame: Frame; item: number }
  | { kind: "inside"; frame: Frame };

const EDGE_PIXELS = 5;
const PORT_PIXELS = 6;

/** The innermost part of a picture at a point, at a scale of pixels per unit. */
export function hitTest(picture: GraphPicture, x: number, y: number, scale: number): Hit {
  let frame = picture.root;
  let [localX, localY] = [x, y];
  for (;;) {
    const { boxes } = frame.layout;
    const box = boxAt(frame, localX, localY);
    if (box < 0) {
      const stub = stubAt(frame, localX, localY);
      if (stub !== undefined) return { kind: "stub", frame, item: stub };
      const edge = edgeAt(frame, localX, localY, EDGE_PIXELS / scale);
      return edge < 0 ? { kind: "inside", frame } : { kind: "edge", frame, edge };
    }
    const inner = boxes.width[box]! * scale >= LEAST_FRAME_PIXELS ? frame.inner.get(box) : undefined;
    if (!inner) return { kind: "box", frame, box };
    localX -= boxes.x[box]!;
    localY -= boxes.y[box]!;
    const port = portAt(inner, localX, localY, PORT_PIXELS / scale);
    if (port !== undefined) return { kind: "port", frame: inner, item: port };
    if (localY < SPACING.header) return { kind: "header", frame, box };
    frame = inner;
  }
}

function boxAt({ layout: { boxes } }: Frame, x: number, y: number): number {
  for (let box = 0; box < boxes.x.length; box++)
    if (x >= boxes.x[box]! && y >= boxes.y[box]! && x <= boxes.x[box]! + boxes.width[box]! && y <= boxes.y[box]! + boxes.height[box]!)
      return box;
  return -1;
}

function edgeAt({ layout: { drawing, routes } }: Frame, x: number, y: number, tolerance: number): number {
  let nearest = -1;
  let least = tolerance;
  for (let edge = 0; edge < drawing.length; edge++) {
    if (drawing[edge] !== DRAWING.routed && drawing[edge] !== DRAWING.loop) continue;
    for (let point = routes.start[edge]! + 1; point < routes.start[edge + 1]!; point++) {
      const distance = distanceToSegment(routes.points, point, x, y);
      if (distance > least) continue;
      least = distance;
      nearest = edge;
    }
  }
  return nearest;
}

/** What the stub at a position leads to. */
function stubAt({ layout: { drawing, routes }, items }: Frame, x: number, y: number): number | undefined {
  const isNear = (point: number, side: number): boolean =>
    Math.abs(x - routes.points[2 * point]!) < SPACING.stub &&
    Math.abs(y - routes.points[2 * point + 1]! - (side * SPACING.stub) / 2) < SPACING.stub;
  for (let edge = 0; edge < drawing.length; edge++) {
    if (drawing[edge] !== DRAWING.stub) continue;
    if (isNear(routes.start[edge]!, 1)) return vertexItem(items, items.bundles.target[edge]!);
    if (isNear(routes.start[edge]! + 1, -1)) return vertexItem(items, items.bundles.source[edge]!);
  }
  return undefined;
}

/** What the port at a position leads to. */
function portAt({ layout, items: { ports } }: Frame, x: number, y: number, tolerance: number): number | undefined {
  for (let port = 0; port < ports.neighbor.length; port++) {
    const border = port < ports.inputs ? 0 : layout.height;
    if (Math.abs(y - border) <= tolerance && Math.abs(x - layout.portX[port]!) <= tolerance) return ports.neighbor[port]!;
  }
  return undefined;
}

/** Distance of a position to the segment that ends at a point. */
function distanceToSegment(points: Float64Array, point: number, x: number, y: number): number {
  const [fromX, fromY] = [points[2 * point - 2]!, points[2 * point - 1]!];
  const [alongX, alongY] = [points[2 * point]! - fromX, points[2 * point + 1]! - fromY];
  const length = alongX * alongX + alongY * alongY;
  const part = length === 0 ? 0 : Math.min(Math.max(((x - fromX) * alongX + (y - fromY) * alongY) / length, 0), 1);
  return Math.hypot(x - fromX - part * alongX, y - fromY - part * alongY);
}
