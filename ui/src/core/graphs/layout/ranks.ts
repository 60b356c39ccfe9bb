// SPDX-License-Identifier: Apache-2.0
import { DisjointSets } from "../arrays/disjointSets";
import { buildDigraph, topologicalOrder, backEdges, type Digraph } from "../arrays/digraph";
import { DRAWING, vertexCount, type LayoutInput, type LayoutLimits } from "./layoutInput";

/** Dummies that long edges may add, per vertex. */
const DUMMIES_PER_VERTEX = 4;
const MOVING_ROUNDS = 4;

/** Ranks from the top, and how each edge is drawn. Edges lead down, except those that are reversed. */
export interface Ranking {
  rank: Int32Array;
  drawing: Uint8Array;
  isReversed: Uint8Array;
  /** The upper and the lower end of each edge. */
  upper: Int32Array;
  lower: Int32Array;
}

export function rankVertices(input: LayoutInput, limits: LayoutLimits): Ranking {
  const vertices = vertexCount(input);
  const drawing = nearDrawings(input, limits);
  const isRouted = (edge: number): boolean => drawing[edge] === DRAWING.routed;
  const isReversed = backEdges(buildDigraph(vertices, input.source, input.target, isRouted));
  const upper = input.source.map((source, edge) => (isReversed[edge] ? input.target[edge]! : source));
  const lower = input.target.map((target, edge) => (isReversed[edge] ? input.source[edge]! : target));
  const graph = buildDigraph(vertices, upper, lower, isRouted);
  const rank = longestPathRanks(input, graph);
  stubFarEdges(graph, rank, drawing, limits.spanLimit);
  return { rank, drawing, isReversed, upper, lower };
}

/** Loops, and stubs on a side of a vertex that has too many edges. */
function nearDrawings({ source, target, boxes }: LayoutInput, { gridFrom, fanLimit }: LayoutLimits): Uint8Array {
  const drawing = new Uint8Array(source.length);
  if (boxes >= gridFrom) return drawing.fill(DRAWING.hidden);
  const out = new Map<number, number>();
  const into = new Map<number, number>();
  const count = (counts: Map<number, number>, vertex: number): void => void counts.set(vertex, (counts.get(vertex) ?? 0) + 1);
  for (let edge = 0; edge < source.length; edge++) {
    count(out, source[edge]!);
    count(into, target[edge]!);
  }
  for (let edge = 0; edge < source.length; edge++)
    if (source[edge] === target[edge]) drawing[edge] = DRAWING.loop;
    else if (out.get(source[edge]!)! > fanLimit || into.get(target[edge]!)! > fanLimit) drawing[edge] = DRAWING.stub;
  return drawing;
}

/** Longest way from a source; then parts that nothing feeds move down to their consumers. Input ports are first. */
function longestPathRanks(input: LayoutInput, graph: Digraph): Int32Array {
  const { vertices, to, outgoing } = graph;
  const rank = new Int32Array(vertices).fill(input.inPorts > 0 ? 1 : 0, 0, input.boxes);
  for (const vertex of topologicalOrder(graph))
    for (let slot = outgoing.start[vertex]!; slot < outgoing.start[vertex + 1]!; slot++) {
      const reached = to[outgoing.members[slot]!]!;
      rank[reached] = Math.max(rank[reached]!, rank[vertex]! + 1);
    }
  for (let round = 0; round < MOVING_ROUNDS && moveSourcesDown(input, graph, rank); round++);
  return rank;
}

/** Moves each part that is connected by shortest edges, and that nothing else feeds, down until one of its other edges is short. */
function moveSourcesDown({ boxes, inPorts }: LayoutInput, { vertices, from, to, outgoing }: Digraph, rank: Int32Array): boolean {
  const parts = new DisjointSets(vertices);
  const slack = (edge: number): number => rank[to[edge]!]! - rank[from[edge]!]! - 1;
  for (const edge of outgoing.members) if (slack(edge) === 0) parts.join(from[edge]!, to[edge]!);
  const room = new Float64Array(vertices).fill(Infinity);
  for (let port = boxes; port < boxes + inPorts; port++) room[parts.find(port)] = 0;
  for (const edge of outgoing.members) {
    const [above, below] = [parts.find(from[edge]!), parts.find(to[edge]!)];
    if (above === below) continue;
    room[below] = 0;
    room[above] = Math.min(room[above]!, slack(edge));
  }
  let isMoved = false;
  for (let vertex = 0; vertex < vertices; vertex++) {
    const distance = room[parts.find(vertex)]!;
    if (distance === 0 || distance === Infinity) continue;
    rank[vertex]! += distance;
    isMoved = true;
  }
  return isMoved;
}

/** Makes the longest edges stubs until the dummies of the others are at most a few per vertex. */
function stubFarEdges({ vertices, from, to }: Digraph, rank: Int32Array, drawing: Uint8Array, spanLimit: number): void {
  const spans = new Int32Array(spanLimit + 1);
  const span = (edge: number): number => rank[to[edge]!]! - rank[from[edge]!]!;
  for (let edge = 0; edge < from.length; edge++) if (drawing[edge] === DRAWING.routed && span(edge) <= spanLimit) spans[span(edge)]!++;
  let budget = DUMMIES_PER_VERTEX * vertices + 100;
  let longest = 1;
  while (longest < spanLimit && (budget -= spans[longest + 1]! * longest) >= 0) longest++;
  for (let edge = 0; edge < from.length; edge++) if (drawing[edge] === DRAWING.routed && span(edge) > longest) drawing[edge] = DRAWING.stub;
}
