// SPDX-License-Identifier: Apache-2.0
import type { Flows } from "../model/flows";
import { runningSums, totalBelow } from "../model/totals";
import type { GraphPicture } from "./graphPicture";

/** What to highlight of a picture: marked nodes below each item of the graph, and for each frame its edges between marked nodes. */
export interface PictureMarks {
  below: Int32Array;
  edges: Map<number, Uint8Array>;
}

export function markPicture({ tree, frames }: GraphPicture, flows: Flows, isMarked: Uint8Array): PictureMarks {
  const sums = runningSums(tree, isMarked);
  const edges = new Map<number, Uint8Array>();
  for (const [scope, { items }] of frames) {
    const { start, members } = items.bundles.flows;
    const marks = new Uint8Array(items.bundles.source.length);
    for (let bundle = 0; bundle < marks.length; bundle++)
      for (let slot = start[bundle]!; slot < start[bundle + 1]!; slot++)
        marks[bundle]! |= isMarked[flows.source[members[slot]!]!]! & isMarked[flows.target[members[slot]!]!]!;
    edges.set(scope, marks);
  }
  return { below: Int32Array.from(tree.parent, (_, item) => totalBelow(tree, sums, item)), edges };
}
