// SPDX-License-Identifier: Apache-2.0
const INSERTION_RUN = 12;

/** Sorts `ids[from..to)` by `keys[id]`, stable, without a comparator call per pair. */
export function sortByKey(ids: Int32Array, keys: Float64Array, from = 0, to = ids.length): void {
  for (let start = from; start < to; start += INSERTION_RUN) sortRun(ids, keys, start, Math.min(start + INSERTION_RUN, to));
  if (to - from <= INSERTION_RUN) return;
  let source = ids.slice(from, to);
  let target = new Int32Array(to - from);
  for (let width = INSERTION_RUN; width < to - from; width *= 2) {
    for (let start = 0; start < source.length; start += 2 * width) merge(source, target, keys, start, width);
    [source, target] = [target, source];
  }
  ids.set(source, from);
}

function sortRun(ids: Int32Array, keys: Float64Array, from: number, to: number): void {
  for (let index = from + 1; index < to; index++) {
    const id = ids[index]!;
    const key = keys[id]!;
    let slot = index;
    for (; slot > from && keys[ids[slot - 1]!]! > key; slot--) ids[slot] = ids[slot - 1]!;
    ids[slot] = id;
  }
}

function merge(source: Int32Array, target: Int32Array, keys: Float64Array, start: number, width: number): void {
  const middle = Math.min(start + width, source.length);
  const end = Math.min(start + 2 * width, source.length);
  let left = start;
  let right = middle;
  for (let slot = start; slot < end; slot++) {
    const isLeft = right >= end || (left < middle && keys[source[left]!]! <= keys[source[right]!]!);
    target[slot] = source[isLeft ? left++ : right++]!;
  }
}
