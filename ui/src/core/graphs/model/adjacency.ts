// SPDX-License-Identifier: Apache-2.0
import { groupBy, type Groups } from "../arrays/groups";
import type { GraphStructure } from "./structure";

/** Edges by the node that they enter and by the node that they leave. */
export interface Adjacency {
  incoming: Groups;
  outgoing: Groups;
}

export const buildAdjacency = ({ source, target, scope }: GraphStructure): Adjacency => ({
  incoming: groupBy(target, scope.length),
  outgoing: groupBy(source, scope.length),
});
