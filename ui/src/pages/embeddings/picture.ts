// SPDX-License-Identifier: Apache-2.0
import { EMPHASIS } from "../../charts/embeddings/pointScene";
import { componentsOf, fitted } from "../../core/embeddings/places";
import { csvTable } from "../../core/tables/csv";
import type { EmbeddingPoints } from "../../state/data/embeddings";

/** Where points are drawn, and which ones are. */
export interface PointPlaces {
  /** Three coordinates of each point, within 1 of the middle. */
  places: Float32Array;
  /** Coordinates as they were computed, those of one point after the other; null for a point without any. */
  coordinatesOf: (point: number) => readonly number[] | null;
}

/** Points along components, which are numbered from 1. */
export function componentPlaces({ rows, coordinates, explained }: EmbeddingPoints, axes: readonly number[]): PointPlaces {
  const chosen = axes.map((axis) => Math.min(axis, explained.length) - 1);
  // a second axis along the same component would show a line
  const places = componentsOf(coordinates, rows.length, chosen);
  const dims = axes.length;
  return { places: fitted(places, dims), coordinatesOf: (point) => Array.from(places.subarray(point * dims, (point + 1) * dims)) };
}

/** Points of a layout of some of them; the others are in the middle, and not drawn. */
export function layoutPlaces(layout: Float32Array, sample: Int32Array, points: number, dims: number): PointPlaces {
  const some = fitted(layout, dims);
  const places = new Float32Array(points * 3);
  const indexes = new Map<number, number>();
  sample.forEach((point, index) => {
    places.set(some.subarray(index * 3, (index + 1) * 3), point * 3);
    indexes.set(point, index);
  });
  return {
    places,
    coordinatesOf: (point) => {
      const index = indexes.get(point);
      return index === undefined ? null : Array.from(layout.subarray(index * dims, (index + 1) * dims));
    },
  };
}

interface Emphasized {
  points: number;
  /** Points that are drawn at all; null for all. */
  drawn: Int32Array | null;
  selected: readonly number[];
  neighbors: readonly number[];
  matching: readonly number[] | null;
  isIsolated: boolean;
  hovered: number;
}

/** How each point is drawn. */
export function emphasisOf({ points, drawn, selected, neighbors, matching, isIsolated, hovered }: Emphasized): Float32Array {
  const isChosen = selected.length > 0 || matching !== null;
  const others = isIsolated && selected.length > 0 ? EMPHASIS.hidden : isChosen ? EMPHASIS.faint : EMPHASIS.usual;
  const emphasis = new Float32Array(points).fill(others);
  for (const point of isIsolated ? [] : (matching ?? [])) emphasis[point] = EMPHASIS.usual;
  for (const point of neighbors) emphasis[point] = EMPHASIS.usual;
  const isFew = selected.length <= FEW;
  for (const point of selected) emphasis[point] = isFew ? EMPHASIS.strong : EMPHASIS.usual;
  if (hovered >= 0 && emphasis[hovered] !== EMPHASIS.hidden) emphasis[hovered] = EMPHASIS.strong;
  if (!drawn) return emphasis;
  const some = new Float32Array(points).fill(EMPHASIS.hidden);
  for (const point of drawn) some[point] = emphasis[point]!;
  return some;
}

/** Of more selected points none has a rim. */
const FEW = 50;

/** The coordinates of the points that are drawn, with their metadata. */
export function coordinatesTable(
  { rows }: EmbeddingPoints,
  { coordinatesOf }: PointPlaces,
  columns: readonly { name: string; textOf: (point: number) => string }[],
  dims: number,
): string {
  const header = ["row", ...["x", "y", "z"].slice(0, dims), ...columns.map(({ name }) => name)];
  const lines = Array.from(rows, (row, point) => {
    const at = coordinatesOf(point);
    return at ? [[row, ...at, ...columns.map(({ textOf }) => textOf(point))]] : [];
  });
  return csvTable(header, lines.flat());
}
