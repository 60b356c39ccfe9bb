// SPDX-License-Identifier: Apache-2.0
import { treeKeysOf } from "./treeKeys";

export const TREE_BASES = ["usual", "all", "none", "hot"] as const;
/** What is open, except the nodes that were turned; `hot` is the path of the most time. */
export type TreeBase = (typeof TREE_BASES)[number];

/** Which nodes of a tree are open. */
export interface OpenNodes {
  base: TreeBase;
  /** Keys of nodes that are otherwise than the base says. */
  turned: readonly string[];
}

export const FLAMES = ["modules", "memory", "range"] as const;
export type FlameName = (typeof FLAMES)[number];
/** Key of the node that a flame graph shows over the whole width. */
export type FlameRoots = Partial<Readonly<Record<FlameName, string>>>;

export function describeModules({ base, turned }: OpenNodes, query: URLSearchParams): void {
  if (base !== "usual") query.append("modules_open", base);
  if (turned.length > 0) query.append("modules_turned", turned.join("."));
}

/** Never fails: what a link says wrongly is as if it said nothing. */
export function modulesViewOf(query: URLSearchParams): OpenNodes {
  return {
    base: TREE_BASES.find((base) => base === query.get("modules_open")) ?? "usual",
    turned: treeKeysOf(query.get("modules_turned")),
  };
}

export function describeFlames(roots: FlameRoots, query: URLSearchParams): void {
  for (const flame of FLAMES) if (roots[flame] !== undefined) query.append(`flame_${flame}`, roots[flame]);
}

export function flameRootsOf(query: URLSearchParams): FlameRoots {
  return Object.fromEntries(
    FLAMES.flatMap((flame) => {
      const [key] = treeKeysOf(query.get(`flame_${flame}`));
      return key === undefined ? [] : [[flame, key]];
    }),
  );
}
