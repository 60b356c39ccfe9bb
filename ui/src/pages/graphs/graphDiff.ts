// SPDX-License-Identifier: Apache-2.0
import { STATUS, type GraphDiff, type MergedGraph } from "../../core/graphs/model/mergedGraph";
import { runningSums, totalBelow } from "../../core/graphs/model/totals";
import { t } from "../../i18n/i18n.svelte";
import type { ScopeTree } from "../../core/graphs/model/scopeTree";
import { ROLE, type GraphStructure } from "../../core/graphs/model/structure";
import type { ColorScale } from "./graphColors";

const NAMES = Object.keys(STATUS) as (keyof typeof STATUS)[];
export const DIFF_STATUSES: readonly number[] = Object.values(STATUS);

export const statusName = (status: number): keyof typeof STATUS => NAMES[status]!;

const wash = (color: string): string => `color-mix(in oklab, ${color} 34%, var(--paper-raised))`;
const COLORS: readonly (string | null)[] = [
  null,
  wash("var(--series-4)"),
  wash("var(--bad)"),
  wash("var(--good)"),
  wash("var(--series-5)"),
  wash("var(--series-5)"),
];
/** A mark beside the color. */
const SIGNS = ["=", "~", "−", "+", "⊃", "⊂"] as const;

export const diffColor = (status: number): string | null => COLORS[status] ?? null;
export const diffSign = (status: number): string => SIGNS[status] ?? "";

/** Places of the differences that a list shows: those of some statuses, and of operations if these alone are wanted. */
export function listedDifferences(
  { entry_status }: GraphDiff,
  { entryNode }: MergedGraph,
  { role }: GraphStructure,
  { hidden, operationsOnly }: { hidden: ReadonlySet<number>; operationsOnly: boolean },
): number[] {
  return Array.from(entryNode.keys()).filter(
    (place) => !hidden.has(entry_status[place]!) && (!operationsOnly || role[entryNode[place]!] === ROLE.operation),
  );
}

export interface DiffLook {
  scale: ColorScale;
  /** Signs before the name of a box: that of a node, those of all nodes in a scope. */
  sign: (item: number) => string;
}

/** Boxes of a merged graph in the colors of their status; a scope has that of its nodes where they are of one. */
export function diffLook(tree: ScopeTree, { status }: MergedGraph, diff: GraphDiff): DiffLook {
  const sums = DIFF_STATUSES.map((each) =>
    runningSums(
      tree,
      status.map((own) => (own === each ? 1 : 0)),
    ),
  );
  const statuses = (item: number): number[] => DIFF_STATUSES.filter((each) => each > 0 && totalBelow(tree, sums[each]!, item) > 0);
  const counts = DIFF_STATUSES.filter((each) => each > 0 && diff.counts[statusName(each)] > 0);
  return {
    scale: {
      of: (item) => {
        const found = statuses(item);
        if (item >= tree.scopeCount) return diffColor(found[0] ?? STATUS.same) ?? "var(--paper-raised)";
        if (found.length === 0) return null;
        return found.length === 1 ? diffColor(found[0]!) : diffColor(STATUS.changed);
      },
      entries: counts.map((each) => ({
        name: `${diffSign(each)} ${t(`graph.diff_${statusName(each)}`)}`,
        color: diffColor(each)!,
        count: diff.counts[statusName(each)],
      })),
      range: null,
    },
    sign: (item) => {
      const found = statuses(item);
      if (found.length === 0) return "";
      if (item >= tree.scopeCount) return `${diffSign(found[0]!)} `;
      return `[${found.map((each) => `${diffSign(each)}${totalBelow(tree, sums[each]!, item)}`).join(" ")}] `;
    },
  };
}
