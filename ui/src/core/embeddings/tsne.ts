// SPDX-License-Identifier: Apache-2.0
import { affinities, type NeighborGraph, type SparseMatrix } from "./affinities";
import { CellTree } from "./cellTree";
import type { Layout } from "./layout";

const EXAGGERATED_ITERATIONS = 250;
const EXAGGERATION = 12;
const THETA = 0.5;
const LEAST_GAIN = 0.01;
const INITIAL_DEVIATION = 1e-4;

/**
 * t-SNE by gradient descent, whose repulsion comes from a tree of cells. It begins with given places, so equal input gives
 * equal output.
 * Sources: van der Maaten, JMLR 2014; Belkina et al., Nature Communications 10, 2019, for the learning rate.
 */
export class Tsne implements Layout {
  readonly total: number;
  iteration = 0;
  readonly places: Float64Array;
  readonly #dims: number;
  readonly #likely: SparseMatrix;
  readonly #tree: CellTree;
  readonly #velocity: Float64Array;
  readonly #gains: Float64Array;
  readonly #rate: number;

  /** `initial` has the places of all points, as far apart as wanted: only their proportions count. */
  constructor(graph: NeighborGraph, initial: Float32Array, dims: number, perplexity: number, total: number) {
    const points = initial.length / dims;
    this.total = total;
    this.#dims = dims;
    this.places = shrunk(initial, dims);
    this.#likely = affinities(graph, perplexity);
    this.#tree = new CellTree(dims);
    this.#velocity = new Float64Array(initial.length);
    this.#gains = new Float64Array(initial.length).fill(1);
    this.#rate = Math.max(points / EXAGGERATION, 50);
  }

  step(): void {
    const isExaggerated = this.iteration < Math.min(EXAGGERATED_ITERATIONS, this.total / 2);
    const momentum = isExaggerated ? 0.5 : 0.8;
    const gradient = this.#gradient(isExaggerated ? EXAGGERATION : 1);
    for (let index = 0; index < gradient.length; index++) {
      const isTurning = gradient[index]! > 0 === this.#velocity[index]! > 0;
      this.#gains[index] = Math.max(LEAST_GAIN, isTurning ? this.#gains[index]! * 0.8 : this.#gains[index]! + 0.2);
      this.#velocity[index] = momentum * this.#velocity[index]! - this.#rate * this.#gains[index]! * gradient[index]!;
      this.places[index]! += this.#velocity[index]!;
    }
    centered(this.places, this.#dims);
    this.iteration++;
  }

  #gradient(exaggeration: number): Float64Array {
    const dims = this.#dims;
    const { starts, columns, values } = this.#likely;
    const places = this.places;
    const repulsion = new Float64Array(places.length);
    this.#tree.build(places);
    let total = 0;
    for (let point = 0; point < starts.length - 1; point++) total += this.#tree.repel(places, point, THETA, repulsion);
    const gradient = new Float64Array(places.length);
    for (let point = 0; point < starts.length - 1; point++) {
      const at = point * dims;
      for (let entry = starts[point]!; entry < starts[point + 1]!; entry++) {
        const other = columns[entry]! * dims;
        let square = 0;
        for (let axis = 0; axis < dims; axis++) square += (places[at + axis]! - places[other + axis]!) ** 2;
        const pull = (exaggeration * values[entry]!) / (1 + square);
        for (let axis = 0; axis < dims; axis++) gradient[at + axis]! += pull * (places[at + axis]! - places[other + axis]!);
      }
      for (let axis = 0; axis < dims; axis++) gradient[at + axis] = 4 * (gradient[at + axis]! - repulsion[at + axis]! / total);
    }
    return gradient;
  }
}

function shrunk(initial: Float32Array, dims: number): Float64Array {
  const places = Float64Array.from(initial);
  centered(places, dims);
  let sum = 0;
  for (let index = 0; index < places.length; index += dims) sum += places[index]! ** 2;
  const scale = INITIAL_DEVIATION / (Math.sqrt(sum / Math.max(1, places.length / dims)) || 1);
  return places.map((value) => value * scale);
}

function centered(places: Float64Array, dims: number): void {
  const mean = new Float64Array(dims);
  places.forEach((value, index) => (mean[index % dims]! += value));
  for (let index = 0; index < places.length; index++) places[index]! -= mean[index % dims]! / (places.length / dims);
}
