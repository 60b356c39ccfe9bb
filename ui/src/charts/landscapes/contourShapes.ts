// SPDX-License-Identifier: Apache-2.0
import { contours } from "d3-contour";

import { heightOf } from "../../core/landscapes/lossScale";
import type { DrawnLandscape } from "./drawnLandscape";

type Place = readonly [x: number, y: number];

/** Where the surface is as high as a level. */
export interface Contour {
  /** Height of the level, from 0 to 1. */
  height: number;
  /** Outlines of all that is at least as high, in coordinates of the plane. Holes turn the other way. */
  rings: readonly (readonly Place[])[];
  /** The lines of the level: the outlines without what runs along the edge of the grid or of a hole. */
  lines: readonly (readonly Place[])[];
}

/** The contours of a landscape at `levels` equally spaced heights. */
export function contourShapes({ landscape: { x, y }, surface, scale }: DrawnLandscape, levels: number): Contour[] {
  const [columns, rows] = [x.length, y.length];
  if (columns < 2 || rows < 2 || scale.high <= scale.low) return [];
  const heights = Array.from(surface.losses, (loss) => heightOf(scale, loss));
  const thresholds = Array.from({ length: levels }, (_, index) => (index + 1) / (levels + 1));
  const shapes = contours().size([columns, rows]).thresholds(thresholds)(heights);
  return shapes.map(({ value, coordinates }) => {
    const rings = coordinates.flat() as [number, number][][];
    const isLine = (from: Place, to: Place): boolean => isInside(from, to, columns, rows) && isKnown(from, to, heights, columns, rows);
    return {
      height: value,
      rings: rings.map((ring) => ring.map((place) => onPlane(place, x, y))),
      lines: rings.flatMap((ring) => linesOf(ring, isLine)).map((line) => line.map((place) => onPlane(place, x, y))),
    };
  });
}

/** d3-contour puts a point of the grid into the middle of a cell; outlines run half a cell beyond the last points. */
function onPlane([across, down]: Place, x: Float64Array, y: Float64Array): Place {
  return [coordinateAt(x, across - 0.5), coordinateAt(y, down - 0.5)];
}

function coordinateAt(coordinates: Float64Array, index: number): number {
  const place = Math.min(coordinates.length - 1, Math.max(0, index));
  const below = Math.min(coordinates.length - 2, Math.floor(place));
  return coordinates[below]! + (coordinates[below + 1]! - coordinates[below]!) * (place - below);
}

function isInside(from: Place, to: Place, columns: number, rows: number): boolean {
  const beyond = ([x, y]: Place): boolean => x < 0.5 || y < 0.5 || x > columns - 0.5 || y > rows - 0.5;
  return !beyond(from) && !beyond(to);
}

/** The points of the grid around the middle of a segment, on both sides where it lies on a line of the grid, have a loss. */
function isKnown(from: Place, to: Place, heights: readonly number[], columns: number, rows: number): boolean {
  const [x, y] = [(from[0] + to[0]) / 2 - 0.5, (from[1] + to[1]) / 2 - 0.5];
  for (let row = Math.max(0, Math.ceil(y) - 1); row <= Math.min(rows - 1, Math.floor(y) + 1); row++) {
    for (let column = Math.max(0, Math.ceil(x) - 1); column <= Math.min(columns - 1, Math.floor(x) + 1); column++) {
      if (Number.isNaN(heights[row * columns + column])) return false;
    }
  }
  return true;
}

/** The stretches of a ring whose segments are lines; one that the begin of the ring splits is whole. */
function linesOf(ring: readonly Place[], isLine: (from: Place, to: Place) => boolean): Place[][] {
  const lines: Place[][] = [];
  let current: Place[] = [];
  for (let index = 1; index < ring.length; index++) {
    const [from, to] = [ring[index - 1]!, ring[index]!];
    if (!isLine(from, to)) current = [];
    else if (current.length > 0) current.push(to);
    else lines.push((current = [from, to]));
  }
  const [first, last] = [lines[0], lines.at(-1)];
  const isSplit = lines.length > 1 && first![0] === ring[0] && last!.at(-1) === ring.at(-1);
  return isSplit ? [[...last!, ...first!.slice(1)], ...lines.slice(1, -1)] : lines;
}
