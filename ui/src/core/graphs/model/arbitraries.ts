// SPDX-License-Identifier: Apache-2.0
import { GraphBuilder } from "./generatedGraph";
import type { GraphStructure } from "./structure";

/** Any small graph from a list of numbers: scopes of any shape, edges of any direction, all roles and parts. */
export function graphFromNumbers(scopeSeeds: number[], nodeSeeds: number[], edgeSeeds: number[], isAcyclic = false): GraphStructure {
  const graph = new GraphBuilder();
  const scopes = [0];
  for (const [index, seed] of scopeSeeds.entries()) scopes.push(graph.scope(`s${index}`, scopes[seed % scopes.length]!, seed % 3));
  for (const seed of nodeSeeds) graph.node(scopes[seed % scopes.length]!, { role: (seed >> 4) % 5, parts: (seed >> 7) % 8 });
  const count = graph.nodeCount;
  if (count > 0)
    for (const seed of edgeSeeds) {
      const ends = [seed % count, Math.floor(seed / count) % count];
      if (isAcyclic && ends[0] === ends[1]) continue;
      if (isAcyclic) ends.sort((a, b) => a - b);
      graph.edge(ends[0]!, ends[1]!, seed % 7 === 0);
    }
  return graph.build();
}
