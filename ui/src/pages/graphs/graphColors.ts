// SPDX-License-Identifier: Apache-2.0
import { membersOf } from "../../core/graphs/arrays/groups";
import { ROLE } from "../../core/graphs/model/structure";
import { ODD, type ItemValues } from "../../core/graphs/model/overlay";
import { itemName, scopesAbove, type ScopeTree } from "../../core/graphs/model/scopeTree";
import type { Totals } from "../../core/graphs/model/typeTable";
import type { GraphColor } from "../../core/view/graphView";
import { t } from "../../i18n/i18n.svelte";

/** What the colors of boxes mean. */
export interface ColorScale {
  of: (item: number) => string | null;
  /** Colors with their names; "" for everything else. */
  entries: readonly { name: string; color: string; count: number | null }[];
  /** Values of the ends of a continuous scale. */
  range: readonly [number, number] | null;
  /** What the corner of a box says beside its color; "" for nothing. */
  mark?: (item: number) => string;
}

const PLAIN: ColorScale = { of: () => null, entries: [], range: null };
const HUES = 9;
const SHARE = "38%";
const STEP_SHARE = "48%";
const OTHERS = "";

const wash = (color: string, share: string = SHARE): string => `color-mix(in oklab, ${color} ${share}, var(--paper-raised))`;
/** Colors under text, as those of slices: each theme has its own, which are told apart on its paper. */
const hue = (index: number): string => `var(--slice-${index})`;

/** Colors of a continuous scale, from the lowest to the highest value. */
export const STEPS: readonly string[] = Array.from({ length: 6 }, (_, step) => wash(`var(--map-${step})`, STEP_SHARE));

/** Amounts to color by: totals of scopes, and parameters of scopes and nodes, which take time for a large graph. */
export interface Amounts {
  totals: Totals;
  parameters: Float64Array;
}

export function colorScale(tree: ScopeTree, amounts: Amounts, isDrawn: Uint8Array, color: GraphColor): ColorScale {
  if (color === "none") return PLAIN;
  if (color === "type" || color === "dtype" || color === "device") return byText(tree, isDrawn, color);
  if (color === "scope") return byScope(tree);
  if (color === "parameters") return byAmount(amounts.parameters);
  return color === "flops" || color === "bytes" ? byAmount(itemAmounts(tree, amounts.totals, color)) : PLAIN;
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
    entries: sorted.map(([scope, count]) => ({ name: itemName(tree, scope), color: colors.get(scope)!, count })),
    range: null,
  };
}

const childScopes = (tree: ScopeTree, scope: number): number[] =>
  [...membersOf(tree.children, scope)].filter((item) => item > 0 && item < tree.scopeCount && tree.end[item]! > tree.begin[item]!);

function itemAmounts({ structure, scopeCount }: ScopeTree, totals: Totals, amount: "flops" | "bytes"): Float64Array {
  const amounts = new Float64Array(scopeCount + structure[amount].length);
  amounts.set(totals[amount]);
  amounts.set(structure[amount], scopeCount);
  return amounts;
}

/** A logarithmic scale of the amounts of items: a scope has the sum of what is inside of it. The root has no box. */
function byAmount(amounts: Float64Array): ColorScale {
  let [least, most] = [Infinity, 0];
  for (const value of amounts.subarray(1)) {
    if (!(value > 0)) continue;
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  if (most === 0) return PLAIN;
  return {
    of: (item) => (amounts[item]! > 0 ? stepOf(amounts[item]!, [least, most]) : null),
    entries: [],
    range: [least, most],
  };
}

/** A logarithmic scale of the profiled time of items; NaN where none is known. */
export function timeScale(time: Float64Array): ColorScale {
  let [least, most] = [Infinity, 0];
  for (const value of time) {
    if (!(value > 0)) continue;
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  if (most === 0) return PLAIN;
  const range: [number, number] = [least, most];
  return {
    of: (item) => (time[item]! > 0 ? stepOf(time[item]!, range) : UNKNOWN_COLOR),
    entries: [{ name: t("graph.no_time"), color: UNKNOWN_COLOR, count: null }],
    range,
  };
}

/** The color of a value above 0 on a logarithmic scale. */
function stepOf(value: number, [least, most]: readonly [number, number]): string {
  const width = Math.log(most / least) || 1;
  const step = Math.floor((Math.log(value / least) / width) * STEPS.length);
  return STEPS[Math.min(Math.max(step, 0), STEPS.length - 1)]!;
}

/** The color of a part of all elements. */
function stepOfShare(value: number): string {
  return STEPS[Math.min(Math.max(Math.floor(value * STEPS.length), 0), STEPS.length - 1)]!;
}

const ODD_COLOR = wash("var(--bad)");
const UNKNOWN_COLOR = "var(--paper-raised)";

/**
 * What is recorded of weights and tensors: no value is not 0, which has the lowest color and a mark; NaN and infinities have their
 * own. The scale is logarithmic, and linear for shares.
 */
export function overlayScale(
  { value, odd }: ItemValues,
  range: readonly [number, number] | null,
  { isShare = false, oddText = (item: number) => oddName(odd[item]!) } = {},
): ColorScale {
  const colorOf = isShare ? stepOfShare : stepOf;
  const hasZero = value.includes(0);
  const words = [ODD.nan, ODD.infinite].map((bit) => (odd.some((each) => each & bit) ? oddName(bit) : "")).filter((word) => word !== "");
  const entries = [
    ...(words.length > 0 ? [{ name: words.join(", "), color: ODD_COLOR, count: null }] : []),
    ...(hasZero ? [{ name: "0", color: STEPS[0]!, count: null }] : []),
    { name: t("graph.no_value"), color: UNKNOWN_COLOR, count: null },
  ];
  return {
    of: (item) => {
      if (odd[item]! > 0) return ODD_COLOR;
      const own = value[item]!;
      if (Number.isNaN(own)) return UNKNOWN_COLOR;
      return own > 0 && range ? colorOf(own, range) : STEPS[0]!;
    },
    entries,
    range,
    mark: (item) => {
      if (odd[item]! > 0) return oddText(item);
      return value[item] === 0 ? "0" : "";
    },
  };
}

export const oddName = (odd: number): string => (odd & ODD.nan ? "NaN" : "Inf");
