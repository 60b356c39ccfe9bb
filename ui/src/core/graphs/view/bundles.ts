// SPDX-License-Identifier: Apache-2.0
import { groupBy, type Groups } from "../arrays/groups";
import type { Flows } from "../model/flows";

/** Flows between the same two vertices of a scope, drawn as one edge. Data and control stay apart. */
export interface Bundles {
  source: Int32Array;
  target: Int32Array;
  isControl: Uint8Array;
  /** Number of flows, and the sum of their bytes. */
  count: Int32Array;
  bytes: Float64Array;
  /** The shape of all tensors of a bundle, as a text; -1 where they differ. */
  shape: Int32Array;
  /** The flows of each bundle. */
  flows: Groups;
}

/** Bundles flows by their ends, in linear time; `from` and `to` are vertices, by index of `flow`. */
export function bundleFlows(
  flows: Flows,
  flow: Int32Array,
  from: Int32Array,
  to: Int32Array,
  vertices: number,
  shapes: Int32Array,
): Bundles {
  const bundleOf = new Int32Array(flow.length);
  const bundleAt = new Int32Array(vertices * 2);
  const seenBy = new Int32Array(vertices * 2).fill(-1);
  const ends: number[] = [];
  for (const index of groupBy(from, vertices).members) {
    const key = to[index]! * 2 + flows.isControl[flow[index]!]!;
    if (seenBy[key] !== from[index]) {
      seenBy[key] = from[index]!;
      bundleAt[key] = ends.push(from[index]! * 2 * vertices + key) - 1;
    }
    bundleOf[index] = bundleAt[key]!;
  }
  const groups = groupBy(bundleOf, ends.length);
  return {
    source: Int32Array.from(ends, (end) => Math.floor(end / (2 * vertices))),
    target: Int32Array.from(ends, (end) => (end % (2 * vertices)) >> 1),
    isControl: Uint8Array.from(ends, (end) => end & 1),
    count: Int32Array.from(ends, (_, bundle) => groups.start[bundle + 1]! - groups.start[bundle]!),
    bytes: sumBytes(flows, flow, bundleOf, ends.length),
    shape: commonShapes(flows, flow, bundleOf, ends.length, shapes),
    flows: { start: groups.start, members: groups.members.map((index) => flow[index]!) },
  };
}

function commonShapes({ source }: Flows, flow: Int32Array, bundleOf: Int32Array, count: number, shapes: Int32Array): Int32Array {
  const [none, several] = [-2, -1];
  const common = new Int32Array(count).fill(none);
  for (let index = 0; index < flow.length; index++) {
    const [bundle, shape] = [bundleOf[index]!, shapes[source[flow[index]!]!]!];
    common[bundle] = common[bundle] === none || common[bundle] === shape ? shape : several;
  }
  return common;
}

function sumBytes({ bytes }: Flows, flow: Int32Array, bundleOf: Int32Array, count: number): Float64Array {
  const sums = new Float64Array(count);
  for (let index = 0; index < flow.length; index++) sums[bundleOf[index]!]! += bytes[flow[index]!]!;
  return sums;
}
