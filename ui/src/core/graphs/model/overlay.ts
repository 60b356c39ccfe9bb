// SPDX-License-Identifier: Apache-2.0
import type { Message } from "../../messages/message";
import { membersOf } from "../arrays/groups";
import type { Adjacency } from "./adjacency";
import { isWeight } from "./parameterHomes";
import type { ScopeTree } from "./scopeTree";
import { PART } from "./structure";
import type { Quantity, WeightNames } from "./weightNames";

/** What a run recorded of weights, laid on the graph. */
export const OVERLAYS = ["parameter_norm", "gradient_norm", "parameter_largest", "gradient_largest"] as const;
export type Overlay = (typeof OVERLAYS)[number];

export const isOverlay = (color: string): color is Overlay => (OVERLAYS as readonly string[]).includes(color);

export const quantityOf = (overlay: Overlay): Quantity => (overlay.startsWith("gradient") ? "gradient" : "parameter");

/** Where the numbers of an overlay are recorded: exact and cheap ones first. */
const KINDS = ["scalar", "histogram", "tensor"] as const;
export type SourceKind = (typeof KINDS)[number];
export type RecordedTags = Readonly<Record<SourceKind, readonly string[]>>;

/** A series with the weight that it names. */
export interface OverlaySource {
  kind: SourceKind;
  tag: string;
  nodes: readonly number[];
}

/** One series for each weight that a run recorded. */
export function overlaySources(names: WeightNames, tags: RecordedTags, overlay: Overlay): OverlaySource[] {
  const byWeight = new Map<number, OverlaySource>();
  if (names.isEmpty) return [];
  for (const kind of KINDS) {
    if (kind === "scalar" && !overlay.endsWith("norm")) continue;
    for (const tag of tags[kind]) {
      const named = names.of(tag);
      if (named?.quantity !== quantityOf(overlay) || (kind === "scalar" && !named.isNorm)) continue;
      if (!byWeight.has(named.nodes[0]!)) byWeight.set(named.nodes[0]!, { kind, tag, nodes: named.nodes });
    }
  }
  return [...byWeight.values()];
}

export const NORM_STATE = { missing: 0, exact: 1, estimated: 2, unreadable: 3 } as const;

/** Norms of n series at k steps: number `i * k + j` is that of series i at step j. */
export type Norms = Message<"NormColumns"> & { readonly steps: readonly number[] };

/** Bits of what an item contains besides its value. */
export const ODD = { nan: 1, infinite: 2 } as const;

/** Values of the items of a graph at one step; NaN where nothing finite is recorded. */
export interface ItemValues {
  value: Float64Array;
  odd: Uint8Array;
  isEstimated: boolean;
}

/**
 * The items that a series concerns: its weight, the nodes that read it, also past nodes such as Load, and the scopes around them. The
 * norm of an item is that of all its weights together; the largest value is that of any.
 */
export class OverlayItems {
  private readonly items: readonly Int32Array[];

  constructor(
    private readonly tree: ScopeTree,
    { outgoing }: Adjacency,
    sources: readonly OverlaySource[],
  ) {
    const { structure, scopeCount, parent } = tree;
    const { target, parts } = structure;
    this.items = sources.map(({ nodes }) => {
      const items = new Set<number>();
      const readers = [...nodes];
      const seen = new Set(readers);
      for (const reader of readers) {
        for (let item = scopeCount + reader; item >= 0 && !items.has(item); item = parent[item]!) items.add(item);
        if (!isWeight(structure, reader) && !(parts[reader]! & PART.passThrough)) continue;
        for (const edge of membersOf(outgoing, reader)) {
          if (!seen.has(target[edge]!)) readers.push(target[edge]!);
          seen.add(target[edge]!);
        }
      }
      return Int32Array.from(items);
    });
  }

  /** The values at one of the steps. */
  at(norms: Norms, step: number, overlay: Overlay): ItemValues {
    const isNorm = overlay.endsWith("norm");
    const numbers = isNorm ? norms.norm : norms.largest;
    const value = new Float64Array(this.tree.parent.length).fill(Number.NaN);
    const odd = new Uint8Array(value.length);
    let isEstimated = false;
    this.items.forEach((items, source) => {
      const index = source * norms.steps.length + step;
      const state = norms.state[index];
      if (state !== NORM_STATE.exact && state !== NORM_STATE.estimated) return;
      isEstimated ||= isNorm && state === NORM_STATE.estimated;
      const own = numbers[index]!;
      const mark = (norms.nan[index]! > 0 ? ODD.nan : 0) | (norms.infinite[index]! > 0 ? ODD.infinite : 0);
      for (const item of items) {
        odd[item]! |= mark;
        if (Number.isNaN(own)) continue;
        const sum = value[item]!;
        value[item] = Number.isNaN(sum) ? own : isNorm ? Math.hypot(sum, own) : Math.max(sum, own);
      }
    });
    return { value, odd, isEstimated };
  }

  /** Least and largest value above 0 of all items but the root, over all steps of `norms`; null without any. */
  range(norms: Norms, overlay: Overlay): readonly [number, number] | null {
    let [least, most] = [Infinity, 0];
    norms.steps.forEach((_, step) => {
      for (const value of this.at(norms, step, overlay).value.subarray(1)) {
        if (!(value > 0)) continue;
        least = Math.min(least, value);
        most = Math.max(most, value);
      }
    });
    return most > 0 ? [least, most] : null;
  }
}

/** A folded stack, by its first member, has the norm of all of its members together, or the largest of other values. */
export function withStacks(values: ItemValues, stacks: ReadonlyMap<number, readonly number[]>, isNorm: boolean): ItemValues {
  if (stacks.size === 0) return values;
  const [value, odd] = [values.value.slice(), values.odd.slice()];
  for (const [first, members] of stacks) {
    const known = members.map((member) => values.value[member]!).filter((each) => !Number.isNaN(each));
    if (known.length > 0) value[first] = isNorm ? Math.hypot(...known) : Math.max(...known);
    odd[first] = members.reduce((marks, member) => marks | values.odd[member]!, 0);
  }
  return { ...values, value, odd };
}

const SAMPLED_STEPS = 8;

/** Steps over the whole series, with the first and the last one, for the range of colors. */
export function sampledSteps(recorded: ArrayLike<number>): number[] {
  const count = Math.min(SAMPLED_STEPS, recorded.length);
  const rows = Array.from({ length: count }, (_, index) => Math.round((index * (recorded.length - 1)) / Math.max(1, count - 1)));
  return rows.map((row) => recorded[row]!);
}

/** Row of the last step that is not after `step`; the last one for null, -1 without steps. */
export function rowOfStep(recorded: Float64Array, step: number | null): number {
  if (step === null) return recorded.length - 1;
  const after = recorded.findIndex((each) => each > step);
  return recorded.length === 0 ? -1 : Math.max(0, after < 0 ? recorded.length - 1 : after - 1);
}
