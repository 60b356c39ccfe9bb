// SPDX-License-Identifier: Apache-2.0
import { UMAP } from "umap-js";

import type { NeighborGraph } from "../../core/embeddings/affinities";
import type { Layout } from "../../core/embeddings/layout";
import { seededRandom } from "../../core/embeddings/random";

const INITIAL_REACH = 10;
const MIN_DISTANCE = 0.1;

/** UMAP over a graph of exact neighbors. It begins with given places instead of random ones, which keeps groups where they are. */
export class Umap implements Layout {
  readonly total: number;
  iteration = 0;
  readonly #umap: UMAP;
  readonly #dims: number;

  constructor({ count, neighbors, distances }: NeighborGraph, initial: Float32Array, dims: number, seed: number) {
    const points = initial.length / dims;
    this.#dims = dims;
    this.#umap = new UMAP({ nComponents: dims, nNeighbors: count + 1, minDist: MIN_DISTANCE, random: seededRandom(seed) });
    // of the library's graphs, each point is its own first neighbor
    const rows = Array.from({ length: points }, (_, point) => [point, ...neighbors.subarray(point * count, (point + 1) * count)]);
    const lengths = Array.from({ length: points }, (_, point) => [0, ...distances.subarray(point * count, (point + 1) * count)]);
    this.#umap.setPrecomputedKNN(rows, lengths);
    this.total = this.#umap.initializeFit(rows);
    this.#begin(initial);
  }

  get places(): Float32Array {
    return Float32Array.from(this.#umap.getEmbedding().flat());
  }

  step(): void {
    this.iteration = this.#umap.step();
  }

  #begin(initial: Float32Array): void {
    let reach = 0;
    for (const value of initial) reach = Math.max(reach, Math.abs(value));
    this.#umap.getEmbedding().forEach((place, point) => {
      for (let axis = 0; axis < this.#dims; axis++) {
        const random = place[axis]! / 1e5; // so that equal points do not stay together
        place[axis] = (initial[point * this.#dims + axis]! / (reach || 1)) * INITIAL_REACH + random;
      }
    });
  }
}
