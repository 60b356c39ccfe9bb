// SPDX-License-Identifier: Apache-2.0
import type { NeighborGraph } from "./affinities";

export const LAYOUT_METHODS = ["tsne", "umap"] as const;
/** How points are laid out by their neighbors. */
export type LayoutMethod = (typeof LAYOUT_METHODS)[number];

/** A computation iteration by iteration. */
export interface Layout {
  readonly iteration: number;
  readonly total: number;
  /** Coordinates of the points one after the other. */
  readonly places: ArrayLike<number>;
  step: () => void;
}

/** What a layout begins with. */
export interface LayoutJob {
  method: LayoutMethod;
  dims: number;
  graph: NeighborGraph;
  /** Coordinates of the points one after the other. */
  initial: Float32Array;
  perplexity: number;
  seed: number;
}

/** What a layout has reached. */
export interface LayoutProgress {
  iteration: number;
  total: number;
  places: Float32Array;
}

export const TSNE_ITERATIONS = 1000;
/** Neighbors of a point that UMAP looks at, and those of t-SNE for each unit of perplexity. */
export const UMAP_NEIGHBORS = 15;
const NEIGHBORS_A_PERPLEXITY = 3;

/** How many neighbors of each point a layout needs. */
export function neighborsFor(method: LayoutMethod, perplexity: number, neighbors: number): number {
  return method === "umap" ? neighbors : Math.max(3, Math.round(NEIGHBORS_A_PERPLEXITY * perplexity));
}
