// SPDX-License-Identifier: Apache-2.0
import { fields, oneOf, param, type Param } from "./schema";
import { TREE_KEYS, treeKeysOf } from "./treeKeys";

export const TREE_BASES = ["usual", "all", "none", "hot"] as const;
/** What is open, except the nodes that were turned; `hot` is the path of the most time. */
export type TreeBase = (typeof TREE_BASES)[number];

/** Which nodes of the tree of modules are open. */
export const OPEN_MODULES = fields({
  base: param("modules_open", oneOf(TREE_BASES), "usual"),
  /** Keys of nodes that are otherwise than the base says. */
  turned: param("modules_turned", TREE_KEYS, []),
});

export const FLAMES = ["modules", "memory", "range"] as const;
export type FlameName = (typeof FLAMES)[number];
/** Key of the node that a flame graph shows over the whole width. */
export type FlameRoots = Partial<Readonly<Record<FlameName, string>>>;

export const FLAME_ROOTS: Param<FlameRoots> = {
  defaultValue: {},
  read: (query) =>
    Object.fromEntries(
      FLAMES.flatMap((flame) => {
        const [key] = treeKeysOf(query.get(`flame_${flame}`) ?? "");
        return key === undefined ? [] : [[flame, key]];
      }),
    ),
  write: (roots, query) => {
    for (const flame of FLAMES) if (roots[flame] !== undefined) query.append(`flame_${flame}`, roots[flame]);
  },
};
