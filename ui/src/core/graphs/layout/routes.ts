// SPDX-License-Identifier: Apache-2.0
import { FloatList } from "../arrays/floatList";
import type { Attachments, LinkEnds } from "./attachments";
import type { Layering } from "./layering";
import { DRAWING, SPACING, type LayoutInput } from "./layoutInput";
import type { LayerPlaces } from "./vertical";

/** Boxes of an open scope, from its upper left corner. */
export interface BoxPlaces {
  x: Float64Array;
  y: Float64Array;
  width: Float64Array;
  height: Float64Array;
}

/** Points of each edge from source to target: x and y in turns, from `2 * start[edge]` to `2 * start[edge + 1] - 1`. */
export interface Routes {
  start: Int32Array;
  points: Float64Array;
}

/** Place of a stub on the side of its box. */
const STUB_INSET = 10;

/**
 * Writes the edges as polylines. In the height of a layer a line is vertical, between layers it is free: no line crosses a box of
 * the scope. A stub has two points: where it leaves the source and where it enters the target.
 */
export class RouteWriter {
  private readonly points = new FloatList();
  private readonly slotOf: Int32Array;
  private from = 0;

  constructor(
    private readonly input: LayoutInput,
    private readonly layering: Layering,
    private readonly layers: LayerPlaces,
    private readonly boxes: BoxPlaces,
    private readonly ends: LinkEnds,
    private readonly size: { height: number; portX: Float64Array },
    private readonly attachments: Attachments | null = null,
  ) {
    this.slotOf = new Int32Array(layering.vertices);
    for (let slot = 0; slot < layering.layers.members.length; slot++) this.slotOf[layering.layers.members[slot]!] = slot;
  }

  write(): Routes {
    const { drawing, isReversed } = this.layering;
    const start = new Int32Array(drawing.length + 1);
    for (let edge = 0; edge < drawing.length; edge++) {
      this.from = this.points.length;
      if (drawing[edge] === DRAWING.routed) this.chain(edge);
      else if (drawing[edge] === DRAWING.loop) this.loop(this.input.source[edge]!);
      else if (drawing[edge] === DRAWING.stub) this.stub(edge);
      start[edge + 1] = this.points.length / 2;
    }
    const points = this.points.toArray();
    for (let edge = 0; edge < drawing.length; edge++)
      if (drawing[edge] === DRAWING.routed && isReversed[edge]) reverse(points, start[edge]!, start[edge + 1]!);
    return { start, points };
  }

  /** Adds a point unless it repeats the last one, or lies on a vertical line with the last two, which it then extends. */
  private add(x: number, y: number): void {
    const { points } = this;
    const count = points.length - this.from;
    if (count >= 2 && points.at(points.length - 2) === x && points.at(points.length - 1) === y) return;
    if (count >= 4 && points.at(points.length - 2) === x && points.at(points.length - 4) === x) points.length -= 2;
    points.push(x);
    points.push(y);
  }

  private chain(edge: number): void {
    const { chainStart, chain, layerColumn, layerOf } = this.layering;
    const [from, to] = [chainStart[edge]!, chainStart[edge + 1]!];
    const [upper, lower] = [chain[from]!, chain[to - 1]!];
    const ports = this.layering.isReversed[edge] ? this.attachments : null;
    const [entered, left] = [ports?.target[edge] ?? Number.NaN, ports?.source[edge] ?? Number.NaN];
    if (Number.isNaN(entered)) this.add(this.ends.upper[from]!, upper < this.input.boxes ? this.bottomOf(upper) : 0);
    else this.around(upper, entered, "top");
    this.add(this.ends.upper[from]!, Math.max(this.layerBottom(upper), this.points.at(this.points.length - 1)));
    for (let slot = from + 1; slot < to - 1; slot++) {
      const vertex = chain[slot]!;
      if (layerColumn[layerOf[vertex]!] !== layerColumn[layerOf[chain[slot + 1]!]!]) this.gutter(vertex, chain[slot + 1]!);
      else if (layerColumn[layerOf[vertex]!] === layerColumn[layerOf[chain[slot - 1]!]!]) this.pass(vertex);
    }
    const end = this.ends.lower[to - 2]!;
    if (!Number.isNaN(left)) {
      this.add(end, this.boxes.y[lower]! - SPACING.loop);
      this.around(lower, left, "bottom");
    } else if (lower < this.input.boxes) this.add(end, this.boxes.y[lower]!);
    else {
      this.add(end, this.layers.top[layerOf[lower]!]!);
      this.add(end, this.size.height);
    }
  }

  /** Past the right side of an open box: from its port at the top down, or from above to its port at the bottom. */
  private around(box: number, port: number, side: "top" | "bottom"): void {
    const { loop } = SPACING;
    const [top, bottom] = [this.boxes.y[box]!, this.bottomOf(box)];
    const x = this.boxes.x[box]! + port;
    const right = this.boxes.x[box]! + this.boxes.width[box]! + loop;
    if (side === "top") {
      this.add(x, top);
      this.add(x, top - loop);
    }
    this.add(right, top - loop);
    this.add(right, bottom + loop);
    if (side === "bottom") {
      this.add(x, bottom + loop);
      this.add(x, bottom);
    }
  }

  private bottomOf(box: number): number {
    return this.boxes.y[box]! + this.boxes.height[box]!;
  }

  private pass(vertex: number): void {
    const x = this.ends.upper[this.layering.down.members[this.layering.down.start[vertex]!]!]!;
    this.add(x, this.layers.top[this.layering.layerOf[vertex]!]!);
    this.add(x, this.layerBottom(vertex));
  }

  /** From the end of one column around to the start of the next; each edge has tracks of its own. */
  private gutter(leaving: number, entering: number): void {
    const { layers, layerOf, layerColumn, down } = this.layering;
    const layer = layerOf[leaving]!;
    const track = (layers.start[layer + 1]! - 1 - this.slotOf[leaving]!) * SPACING.track;
    const column = layerColumn[layer]!;
    const gutterX = this.layers.columnLeft[column]! + this.layers.columnWidth[column]! + SPACING.gutter / 2 + track;
    const leaveX = this.ends.upper[down.members[down.start[leaving]!]!]!;
    const enterX = this.ends.upper[down.members[down.start[entering]!]!]!;
    const leaveY = this.layers.top[layer]! + track + SPACING.track / 2;
    const enterY = this.layers.top[layerOf[entering]!]! + track + SPACING.track / 2;
    this.add(leaveX, this.layers.top[layer]!);
    this.add(leaveX, leaveY);
    this.add(gutterX, leaveY);
    this.add(gutterX, enterY);
    this.add(enterX, enterY);
    this.add(enterX, this.layerBottom(entering));
  }

  private layerBottom(vertex: number): number {
    const layer = this.layering.layerOf[vertex]!;
    return this.layers.top[layer]! + this.layers.height[layer]!;
  }

  private loop(box: number): void {
    const right = this.boxes.x[box]! + this.boxes.width[box]!;
    const [upper, lower] = [0.3, 0.7].map((part) => this.boxes.y[box]! + this.boxes.height[box]! * part);
    this.add(right, lower!);
    this.add(right + SPACING.loop, lower!);
    this.add(right + SPACING.loop, upper!);
    this.add(right, upper!);
  }

  private stub(edge: number): void {
    const { boxes, size, input } = this;
    const source = input.source[edge]!;
    const target = input.target[edge]!;
    if (source < input.boxes) this.add(boxes.x[source]! + boxes.width[source]! - STUB_INSET, boxes.y[source]! + boxes.height[source]!);
    else this.add(size.portX[source - input.boxes]!, 0);
    if (target < input.boxes) this.add(boxes.x[target]! + STUB_INSET, boxes.y[target]!);
    else this.add(size.portX[target - input.boxes]!, size.height);
  }
}

function reverse(points: Float64Array, from: number, to: number): void {
  for (let low = from, high = to - 1; low < high; low++, high--)
    for (const axis of [0, 1]) {
      const kept = points[2 * low + axis]!;
      points[2 * low + axis] = points[2 * high + axis]!;
      points[2 * high + axis] = kept;
    }
}
