// SPDX-License-Identifier: Apache-2.0
/** The nearest neighbors of points, `count` for each, the nearest first. */
export interface NeighborGraph {
  count: number;
  neighbors: Int32Array;
  distances: Float32Array;
}

/** A symmetric sparse matrix: row i has the entries from `starts[i]` on. */
export interface SparseMatrix {
  starts: Int32Array;
  columns: Int32Array;
  values: Float64Array;
}

const MOST_SEARCHES = 60;
const TOLERANCE = 1e-5;

/**
 * How likely points are neighbors, with Gaussians whose width gives the same perplexity everywhere; the sum of all is 1.
 * Source: van der Maaten, Accelerating t-SNE using Tree-Based Algorithms, JMLR 2014, equations 7 and 8.
 */
export function affinities({ count, neighbors, distances }: NeighborGraph, perplexity: number): SparseMatrix {
  const points = neighbors.length / count;
  const given = new Float64Array(neighbors.length);
  const target = Math.log(Math.min(perplexity, count));
  for (let point = 0; point < points; point++) {
    fillRow(given.subarray(point * count, (point + 1) * count), distances.subarray(point * count, (point + 1) * count), target);
  }
  return symmetric(points, count, neighbors, given);
}

/** Fills the conditional probabilities of one point: a binary search for the width of its Gaussian. */
function fillRow(row: Float64Array, distances: Float32Array, target: number): void {
  const nearest = (distances[0] ?? 0) ** 2;
  let [beta, low, high] = [1, 0, Infinity];
  for (let search = 0; search < MOST_SEARCHES; search++) {
    let [sum, weighted] = [0, 0];
    for (let index = 0; index < row.length; index++) {
      const square = distances[index]! ** 2 - nearest;
      const value = Math.exp(-beta * square);
      row[index] = value;
      sum += value;
      weighted += square * value;
    }
    const entropy = Math.log(sum) + (beta * weighted) / sum;
    for (let index = 0; index < row.length; index++) row[index]! /= sum;
    if (Math.abs(entropy - target) < TOLERANCE) return;
    if (entropy > target) [low, beta] = [beta, high === Infinity ? beta * 2 : (beta + high) / 2];
    else [high, beta] = [beta, (beta + low) / 2];
  }
}

function symmetric(points: number, count: number, neighbors: Int32Array, given: Float64Array): SparseMatrix {
  const lengths = new Int32Array(points).fill(count);
  for (const neighbor of neighbors) lengths[neighbor]!++;
  const offsets = new Int32Array(points + 1);
  for (let point = 0; point < points; point++) offsets[point + 1] = offsets[point]! + lengths[point]!;
  const [columns, values] = [new Int32Array(offsets[points]!), new Float64Array(offsets[points]!)];
  const ends = offsets.slice(0, points);
  const add = (row: number, column: number, value: number): void => {
    columns[ends[row]!] = column;
    values[ends[row]!++] = value;
  };
  neighbors.forEach((neighbor, index) => {
    const point = Math.floor(index / count);
    add(point, neighbor, given[index]! / (2 * points));
    add(neighbor, point, given[index]! / (2 * points));
  });
  return merged(points, offsets, columns, values);
}

/** Adds entries of the same row and column. */
function merged(points: number, offsets: Int32Array, columns: Int32Array, values: Float64Array): SparseMatrix {
  const starts = new Int32Array(points + 1);
  const position = new Int32Array(points).fill(-1);
  let length = 0;
  for (let row = 0; row < points; row++) {
    const start = length;
    for (let entry = offsets[row]!; entry < offsets[row + 1]!; entry++) {
      const column = columns[entry]!;
      if (position[column]! >= start) values[position[column]!]! += values[entry]!;
      else {
        position[column] = length;
        columns[length] = column;
        values[length++] = values[entry]!;
      }
    }
    starts[row + 1] = length;
  }
  return { starts, columns: columns.slice(0, length), values: values.slice(0, length) };
}
