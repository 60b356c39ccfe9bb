// SPDX-License-Identifier: Apache-2.0
import { sortByKey } from "../arrays/sortByKey";
import type { Layering } from "./layering";
import type { LayoutInput } from "./layoutInput";

const STEP = 12;
const CORNER = 12;

/** Where edges meet open boxes, from the left of the box; NaN leaves the place to the layout. By edge. */
export interface Attachments {
  source: Float64Array;
  target: Float64Array;
}

/** Horizontal places, by slot of `chain`, of the upper end of the link that starts there and of the lower end. */
export interface LinkEnds {
  upper: Float64Array;
  lower: Float64Array;
}

/** Spreads the edges of a box along its side in the order of their other ends. */
export function spreadLinks(
  input: LayoutInput,
  layering: Layering,
  x: Float64Array,
  width: Float64Array,
  attachments: Attachments | null,
): LinkEnds {
  const { up, down, chain } = layering;
  const ends = { upper: new Float64Array(chain.length), lower: new Float64Array(chain.length) };
  const keys = new Float64Array(chain.length);
  for (let slot = 0; slot < chain.length; slot++) {
    ends.upper[slot] = x[chain[slot]!]!;
    ends.lower[slot] = slot + 1 < chain.length ? x[chain[slot + 1]!]! : 0;
  }
  for (let box = 0; box < input.boxes; box++) {
    for (let slot = down.start[box]!; slot < down.start[box + 1]!; slot++) keys[down.members[slot]!] = x[chain[down.members[slot]! + 1]!]!;
    spread(down.members.subarray(down.start[box]!, down.start[box + 1]!), keys, ends.upper, x[box]!, width[box]!);
    for (let slot = up.start[box]!; slot < up.start[box + 1]!; slot++) keys[up.members[slot]!] = x[chain[up.members[slot]!]!]!;
    spread(up.members.subarray(up.start[box]!, up.start[box + 1]!), keys, ends.lower, x[box]!, width[box]!);
  }
  if (attachments) meetPorts(input, layering, attachments, x, width, ends);
  return ends;
}

function spread(slots: Int32Array, keys: Float64Array, places: Float64Array, center: number, width: number): void {
  if (slots.length < 2) return;
  const sorted = slots.slice();
  sortByKey(sorted, keys);
  const step = Math.min(STEP, Math.max(width - 2 * CORNER, 0) / (sorted.length - 1));
  for (let index = 0; index < sorted.length; index++) places[sorted[index]!] = center + (index - (sorted.length - 1) / 2) * step;
}

function meetPorts(
  input: LayoutInput,
  { chainStart, isReversed }: Layering,
  { source, target }: Attachments,
  x: Float64Array,
  width: Float64Array,
  ends: LinkEnds,
): void {
  for (let edge = 0; edge < source.length; edge++) {
    const from = chainStart[edge]!;
    const to = chainStart[edge + 1]!;
    if (to === from || isReversed[edge]) continue;
    const [upper, lower] = [input.source[edge]!, input.target[edge]!];
    if (!Number.isNaN(source[edge]!)) ends.upper[from] = x[upper]! - width[upper]! / 2 + source[edge]!;
    if (!Number.isNaN(target[edge]!)) ends.lower[to - 2] = x[lower]! - width[lower]! / 2 + target[edge]!;
  }
}
