// SPDX-License-Identifier: Apache-2.0
import { membersOf } from "../../core/graphs/arrays/groups";
import { ROLE } from "../../core/graphs/model/structure";
import { itemLabel, scopesAbove, type ScopeTree } from "../../core/graphs/model/scopeTree";
import type { Totals } from "../../core/graphs/model/typeTable";
import type { GraphColor } from "../../core/view/graphView";

/** What the colors of boxes mean. */
export interface ColorScale {
  of: (item: number) => string | null;
  /** Colors with their names; "" for everything else. */
  entries: readonly { name: string; color: string; count: number }[];
  /** Values of the ends of a continuous scale. */
  range: readonly [number, number] | null;
}

const PLAIN: ColorScale = { of: () => null, entries: [], range: null };
const HUES = 9;
const SHARE = 38;
const OTHERS = "";

const wash = (color: string): string => `color-mix(in oklab, ${color} ${SHARE}%, var(--paper-raised))`;
const hue = (index: number): string => wash(`var(--series-${index})`);

/** Colors of a continuous scale, from the lowest to the highest value. */
export const STEPS: readonly string[] = Array.from({ length: 6 }, (_, step) => wash(`var(--map-${step})`));

export function colorScale(tree: ScopeTree, totals: Totals, isDrawn: Uint8Array, color: GraphColor): ColorScale {
  if (color === "none") return PLAIN;
  if (color === "type" || color === "dtype" || color === "device") return byText(tree, isDrawn, color);
  if (color === "scope") return byScope(tree);
  return byAmount(tree, totals, color);
}

/** The most frequent texts of the operations that are drawn have a color each. */
function byText(tree: ScopeTree, isDrawn: Uint8Array, column: "type" | "dtype" | "device"): ColorScale {
  const { structure, scopeCount } = tree;
  const ids = structure[column];
  const counts = new Map<number, number>();
  for (let node = 0; node < ids.length; node++)
    if (isDrawn[node] && structure.role[node] === ROLE.operation && structure.texts[ids[node]!] !== "")
      counts.set(ids[node]!, (counts.get(ids[node]!) ?? 0) + 1);
  const sorted = [...counts].sort((a, b) => b[1] - a[1]);
  const colors = new Map(sorted.slice(0, HUES).map(([id], index) => [id, hue(index)]));
  const rest = sorted.slice(HUES).reduce((sum, [, count]) => sum + count, 0);
  const entries = sorted.slice(0, HUES).map(([id, count]) => ({ name: structure.texts[id]!, color: colors.get(id)!, count }));
  return {
    of: (item) => (item < scopeCount ? null : (colors.get(ids[item - scopeCount]!) ?? null)),
    entries: rest > 0 ? [...entries, { name: OTHERS, color: "var(--paper-raised)", count: rest }] : entries,
    range: null,
  };
}

/** The scopes of the first level that has several have a color each, with all that is inside of them. */
function byScope(tree: ScopeTree): ColorScale {
  let root = 0;
  let scopes = childScopes(tree, root);
  while (scopes.length === 1) {
    root = scopes[0]!;
    scopes = childScopes(tree, root);
  }
  const sizes = new Map(scopes.map((scope) => [scope, tree.end[scope]! - tree.begin[scope]!]));
  const sorted = [...sizes].sort((a, b) => b[1] - a[1]).slice(0, HUES);
  const colors = new Map(sorted.map(([scope], index) => [scope, hue(index)]));
  return {
    of: (item) => {
      const own = colors.get(item);
      if (own !== undefined) return own;
      const above = scopesAbove(tree, item).find((scope) => colors.has(scope));
      return above === undefined ? null : colors.get(above)!;
    },
    entries: sorted.map(([scope, count]) => ({ name: itemLabel(tree, scope), color: colors.get(scope)!, count })),
    range: null,
  };
}

const childScopes = (tree: ScopeTree, scope: number): number[] =>
  [...membersOf(tree.children, scope)].filter((item) => item > 0 && item < tree.scopeCount && tree.end[item]! > tree.begin[item]!);

/** A logarithmic scale: a scope has the sum of what is inside of it. */
function byAmount(tree: ScopeTree, totals: Totals, amount: "parameters" | "flops" | "bytes"): ColorScale {
  const ofNodes = { parameters: tree.structure.parameterCount, flops: tree.structure.flops, bytes: tree.structure.bytes }[amount];
  const values = (item: number): number => (item < tree.scopeCount ? totals[amount][item]! : ofNodes[item - tree.scopeCount]!);
  let [least, most] = [Infinity, 0];
  for (const value of ofNodes) {
    if (!(value > 0)) continue;
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  for (const value of totals[amount].subarray(1)) most = Math.max(most, value);
  if (most === 0) return PLAIN;
  const width = Math.log(most / least) || 1;
  return {
    of: (item) => {
      const value = values(item);
      if (!(value > 0)) return null;
      const step = Math.floor((Math.log(value / least) / width) * STEPS.length);
      return STEPS[Math.min(Math.max(step, 0), STEPS.length - 1)]!;
    },
    entries: [],
    range: [least, most],
  };
}
