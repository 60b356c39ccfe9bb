// SPDX-License-Identifier: Apache-2.0
import type { Message } from "../messages/message";
/** Nodes of a flame graph after their parents; -1 at the bottom. Times in nanoseconds. */
export type Flame = Omit<Message<"FlameHeader">, "version">;

/** Where the nodes are drawn, as shares of the width: children side by side, the longest first. */
export interface FlameLayout {
  left: Float64Array;
  width: Float64Array;
  depth: Uint16Array;
  rows: number;
  /** Sum of the nodes at the bottom. */
  total: number;
}

/** Lays out the nodes below `root`, which takes the whole width; all of them for -1. Others have the width 0. */
export function layoutFlame({ parent, total }: Flame, root = -1): FlameLayout {
  const size = parent.length;
  const [left, width, depth] = [new Float64Array(size), new Float64Array(size), new Uint16Array(size)];
  const children = childrenOf(parent, total);
  const whole = root < 0 ? (children.get(-1) ?? []).reduce((sum, node) => sum + total[node]!, 0) : total[root]!;
  let rows = 0;
  const place = (nodes: readonly number[], start: number, scale: number, row: number): void => {
    let at = start;
    for (const node of nodes) {
      [left[node], width[node], depth[node]] = [at, total[node]! * scale, row];
      rows = Math.max(rows, row + 1);
      const below = children.get(node) ?? [];
      const sum = below.reduce((some, child) => some + total[child]!, 0);
      // Children that overlap take longer together than their parent.
      place(below, at, sum > total[node]! ? (scale * total[node]!) / sum : scale, row + 1);
      at += width[node]!;
    }
  };
  if (whole > 0) place(root < 0 ? (children.get(-1) ?? []) : [root], 0, 1 / whole, 0);
  return { left, width, depth, rows, total: whole };
}

/** The node that an arrow key leads to from another, -1 from none; undefined for other keys. Stays if there is none. */
export function movedNode({ parent }: Flame, { left, width, depth }: FlameLayout, node: number, key: string): number | undefined {
  const nodes = Array.from(parent.keys()).filter((each) => width[each]! > 0);
  const leftmost = (some: number[]): number => some.reduce((best, each) => (best < 0 || left[each]! < left[best]! ? each : best), -1);
  if (!["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"].includes(key)) return undefined;
  if (!(width[node]! > 0)) return leftmost(nodes.filter((each) => depth[each] === 0));
  if (key === "ArrowUp") return depth[node] === 0 ? node : parent[node]!;
  const beside = nodes.filter((each) => depth[each] === depth[node]);
  const found =
    key === "ArrowDown"
      ? leftmost(nodes.filter((each) => parent[each] === node))
      : key === "ArrowRight"
        ? leftmost(beside.filter((each) => left[each]! > left[node]!))
        : beside.reduce((best, each) => (left[each]! < left[node]! && (best < 0 || left[each]! > left[best]!) ? each : best), -1);
  return found < 0 ? node : found;
}

function childrenOf(parent: Int32Array, total: Float64Array): Map<number, number[]> {
  const children = new Map<number, number[]>();
  parent.forEach((above, node) => {
    const some = children.get(above);
    if (some) some.push(node);
    else children.set(above, [node]);
  });
  for (const some of children.values()) some.sort((one, other) => total[other]! - total[one]!);
  return children;
}
