// SPDX-License-Identifier: Apache-2.0
import type { Frame, GraphPicture } from "../../core/graphs/view/graphPicture";
import type { Transform } from "../../core/graphs/view/transition";
import type { VisibleParts } from "../../core/graphs/view/visibleParts";
import type { Ink, Surface } from "../frame/surface";

/** What the page says about boxes and edges. */
export interface GraphLook {
  label: (item: number) => string;
  /** Parameters and constants that a box lists under its name. */
  rows: (item: number) => readonly string[];
  /** How many parameters and constants are ports of a box. */
  ports: (item: number) => number;
  /** CSS color of a box; null for the plain one. */
  color: (item: number) => string | null;
  /** What a line carries, such as the shape of its tensor; "" for nothing. */
  carries?: (frame: Frame, edge: number) => string;
  /** Whether a box is one operation, though its item is a scope. */
  isOperation?: (item: number) => boolean;
  /** A short mark in the corner of a closed box, such as the number of search hits inside; "" for none. */
  badge: (item: number) => string;
  selected: number;
  isHit: (item: number) => boolean;
  /** What stays bright while the rest fades; null when nothing is highlighted. */
  highlight: { box: (item: number) => boolean; edge: (frame: Frame, edge: number) => boolean } | null;
}

export interface GraphPainting {
  surface: Surface;
  ink: Ink;
  picture: GraphPicture;
  parts: VisibleParts;
  transform: Transform;
  look: GraphLook;
}

/** Smaller letters are not painted. */
export const LEAST_FONT = 7;
export const FADED = 0.25;

/** Pixels of a place in a frame of the visible parts. */
export const xOf = ({ transform, parts }: GraphPainting, frame: number, x: number): number =>
  transform.x + transform.scale * (parts.originX[frame]! + x);

export const yOf = ({ transform, parts }: GraphPainting, frame: number, y: number): number =>
  transform.y + transform.scale * (parts.originY[frame]! + y);

/** A visible box in pixels. */
export interface BoxRect {
  item: number;
  x: number;
  y: number;
  width: number;
  height: number;
}

export function boxRect(painting: GraphPainting, index: number): BoxRect {
  const { parts, transform } = painting;
  const frame = parts.boxFrame[index]!;
  const box = parts.box[index]!;
  const { items, layout } = parts.frames[frame]!;
  return {
    item: items.item[box]!,
    x: xOf(painting, frame, layout.boxes.x[box]!),
    y: yOf(painting, frame, layout.boxes.y[box]!),
    width: transform.scale * layout.boxes.width[box]!,
    height: transform.scale * layout.boxes.height[box]!,
  };
}
