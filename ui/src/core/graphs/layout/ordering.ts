// SPDX-License-Identifier: Apache-2.0
import { sortByKey } from "../arrays/sortByKey";
import type { Layering } from "./layering";

const SWEEPS = 6;
/** Crossings are counted up to this number of links, to keep the best order. */
const COUNTED_LINKS = 60_000;

/** Orders the members of the layers by the mean place of their neighbors, down and up in turns; few edges cross then. */
export function orderLayers(layering: Layering, seeds: Float64Array): void {
  const { layers } = layering;
  const place = new Float64Array(layering.vertices);
  const count = layers.start.length - 1;
  for (let layer = 0; layer < count; layer++) sortByKey(layers.members, seeds, layers.start[layer]!, layers.start[layer + 1]!);
  readPlaces(layering, place);
  const isCounted = layering.chain.length <= COUNTED_LINKS;
  let best = layers.members.slice();
  let least = isCounted ? countCrossings(layering, place) : Infinity;
  for (let sweep = 0; sweep < SWEEPS && least > 0; sweep++) {
    for (let step = 0; step < count; step++) orderLayer(layering, sweep % 2 === 0 ? step : count - 1 - step, sweep % 2 === 0, place);
    const crossings = isCounted ? countCrossings(layering, place) : least;
    if (crossings > least || (crossings === least && isCounted)) continue;
    least = crossings;
    best = layers.members.slice();
  }
  layers.members.set(best);
}

function readPlaces({ layers }: Layering, place: Float64Array): void {
  for (let layer = 0; layer + 1 < layers.start.length; layer++)
    for (let slot = layers.start[layer]!; slot < layers.start[layer + 1]!; slot++)
      place[layers.members[slot]!] = slot - layers.start[layer]!;
}

function orderLayer(layering: Layering, layer: number, isDown: boolean, place: Float64Array): void {
  const { layers, chain } = layering;
  const { start, members } = isDown ? layering.up : layering.down;
  const from = layers.start[layer]!;
  const to = layers.start[layer + 1]!;
  if (to - from < 2) return;
  for (let slot = from; slot < to; slot++) {
    const vertex = layers.members[slot]!;
    let sum = 0;
    for (let link = start[vertex]!; link < start[vertex + 1]!; link++) sum += place[chain[members[link]! + (isDown ? 0 : 1)]!]!;
    if (start[vertex + 1]! > start[vertex]!) place[vertex] = sum / (start[vertex + 1]! - start[vertex]!);
  }
  sortByKey(layers.members, place, from, to);
  for (let slot = from; slot < to; slot++) place[layers.members[slot]!] = slot - from;
}

/** Pairs of links that cross, by the accumulator tree of Barth, Mutzel and Jünger (2004). */
export function countCrossings({ layers, down, chain, vertices }: Layering, place: Float64Array): number {
  const tree = new Int32Array(vertices + 2);
  let crossings = 0;
  for (let layer = 0; layer + 2 < layers.start.length; layer++) {
    const size = layers.start[layer + 2]! - layers.start[layer + 1]!;
    tree.fill(0, 0, size + 1);
    let inserted = 0;
    for (let slot = layers.start[layer]!; slot < layers.start[layer + 1]!; slot++) {
      const vertex = layers.members[slot]!;
      const begin = down.start[vertex]!;
      const end = down.start[vertex + 1]!;
      for (let link = begin; link < end; link++) crossings += inserted - sumUpTo(tree, place[chain[down.members[link]! + 1]!]! + 1);
      for (let link = begin; link < end; link++) add(tree, place[chain[down.members[link]! + 1]!]! + 1, size);
      inserted += end - begin;
    }
  }
  return crossings;
}

function sumUpTo(tree: Int32Array, index: number): number {
  let sum = 0;
  for (let at = index; at > 0; at -= at & -at) sum += tree[at]!;
  return sum;
}

function add(tree: Int32Array, index: number, size: number): void {
  for (let at = index; at <= size; at += at & -at) tree[at]!++;
}
