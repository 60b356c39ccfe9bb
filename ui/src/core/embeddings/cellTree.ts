// SPDX-License-Identifier: Apache-2.0
const MOST_DEPTH = 30;

/**
 * Points in cells that are halved in each direction, with the center of mass of each cell. Far cells act as one point.
 * Source: Barnes and Hut, Nature 324, 1986.
 */
export class CellTree {
  readonly #dims: number;
  readonly #sides: number;
  /** First child of each cell; 0 for a leaf. */
  #children = new Int32Array(0);
  #counts = new Int32Array(0);
  #widths = new Float64Array(0);
  /** Sums of the coordinates, then centers of mass. */
  #centers = new Float64Array(0);
  #cells = 0;
  readonly #stack: number[] = [];

  constructor(dims: number) {
    this.#dims = dims;
    this.#sides = 2 ** dims;
  }

  build(places: Float64Array): void {
    const dims = this.#dims;
    const points = places.length / dims;
    this.#reserve(4 * points * (dims - 1) + this.#sides + 1);
    const [low, high] = bounds(places, dims);
    const width = Math.max(1e-12, ...low.map((value, axis) => high[axis]! - value)) * 1.0001;
    this.#cells = 0;
    this.#open(1, width);
    for (let point = 0; point < points; point++) this.#insert(places, point, low, width);
    for (let cell = 0; cell < this.#cells; cell++) {
      for (let axis = 0; axis < dims; axis++) this.#centers[cell * dims + axis]! /= Math.max(1, this.#counts[cell]!);
    }
  }

  /** Adds the repulsion of all points on one to `force`, and returns the sum of their kernels 1 / (1 + d²). */
  repel(places: Float64Array, point: number, theta: number, force: Float64Array): number {
    const dims = this.#dims;
    const [children, counts, widths, centers, stack] = [this.#children, this.#counts, this.#widths, this.#centers, this.#stack];
    const at = point * dims;
    const [x, y, z] = [places[at]!, places[at + 1]!, dims === 3 ? places[at + 2]! : 0];
    const limit = theta * theta;
    let total = 0;
    stack.length = 0;
    stack.push(0);
    while (stack.length > 0) {
      const cell = stack.pop()!;
      const count = counts[cell]!;
      if (count === 0) continue;
      const center = cell * dims;
      const [right, up, front] = [x - centers[center]!, y - centers[center + 1]!, dims === 3 ? z - centers[center + 2]! : 0];
      const square = right * right + up * up + front * front;
      const child = children[cell]!;
      if (child !== 0 && widths[cell]! * widths[cell]! >= limit * square) {
        for (let side = 0; side < this.#sides; side++) stack.push(child + side);
        continue;
      }
      const kernel = 1 / (1 + square);
      const weight = (child === 0 && square === 0 ? count - 1 : count) * kernel;
      total += weight;
      force[at]! += weight * kernel * right;
      force[at + 1]! += weight * kernel * up;
      if (dims === 3) force[at + 2]! += weight * kernel * front;
    }
    return total;
  }

  #insert(places: Float64Array, point: number, low: readonly number[], whole: number): void {
    const dims = this.#dims;
    const corner = [...low];
    let [cell, width] = [0, whole];
    for (let depth = 0; ; depth++) {
      const count = this.#counts[cell]!++;
      const center = cell * dims;
      if (count > 0 && this.#children[cell] === 0 && depth < MOST_DEPTH && !this.#isAt(places, point, center, count)) {
        this.#split(center, cell, count, corner, width);
      }
      for (let axis = 0; axis < dims; axis++) this.#centers[center + axis]! += places[point * dims + axis]!;
      if (this.#children[cell] === 0) return;
      width /= 2;
      let side = 0;
      for (let axis = 0; axis < dims; axis++) {
        if (places[point * dims + axis]! < corner[axis]! + width) continue;
        side |= 1 << axis;
        corner[axis]! += width;
      }
      cell = this.#children[cell]! + side;
    }
  }

  /** Whether a point is where all points of a leaf are. */
  #isAt(places: Float64Array, point: number, center: number, count: number): boolean {
    for (let axis = 0; axis < this.#dims; axis++) {
      if (Math.abs(places[point * this.#dims + axis]! - this.#centers[center + axis]! / count) > 1e-12) return false;
    }
    return true;
  }

  /** Moves the points of a leaf, which are at one place, into one of its new children. */
  #split(center: number, cell: number, count: number, corner: readonly number[], width: number): void {
    const dims = this.#dims;
    const child = this.#open(this.#sides, width / 2);
    let side = 0;
    for (let axis = 0; axis < dims; axis++) {
      if (this.#centers[center + axis]! / count >= corner[axis]! + width / 2) side |= 1 << axis;
    }
    this.#children[cell] = child;
    this.#counts[child + side] = count;
    for (let axis = 0; axis < dims; axis++) this.#centers[(child + side) * dims + axis] = this.#centers[center + axis]!;
  }

  #open(count: number, width: number): number {
    const first = this.#cells;
    this.#cells += count;
    if (this.#cells > this.#counts.length) this.#reserve(2 * this.#cells);
    this.#children.fill(0, first, this.#cells);
    this.#counts.fill(0, first, this.#cells);
    this.#widths.fill(width, first, this.#cells);
    this.#centers.fill(0, first * this.#dims, this.#cells * this.#dims);
    return first;
  }

  #reserve(cells: number): void {
    if (cells <= this.#counts.length) return;
    this.#children = resized(this.#children, new Int32Array(cells));
    this.#counts = resized(this.#counts, new Int32Array(cells));
    this.#widths = resized(this.#widths, new Float64Array(cells));
    this.#centers = resized(this.#centers, new Float64Array(cells * this.#dims));
  }
}

function resized<Numbers extends Int32Array | Float64Array>(from: Numbers, to: Numbers): Numbers {
  to.set(from);
  return to;
}

function bounds(places: Float64Array, dims: number): [low: number[], high: number[]] {
  const [low, high] = [new Array<number>(dims).fill(Infinity), new Array<number>(dims).fill(-Infinity)];
  places.forEach((value, index) => {
    const axis = index % dims;
    low[axis] = Math.min(low[axis]!, value);
    high[axis] = Math.max(high[axis]!, value);
  });
  return [low, high];
}
