// SPDX-License-Identifier: Apache-2.0
import { DEFAULT_LIMITS, type LayoutInput, type LayoutLimits } from "../layout/layoutInput";
import { buildSkeleton, placeScope, type ScopeLayout, type Skeleton } from "../layout/scopeLayout";

/** A skeleton, and the layout of boxes of the sizes of its input. */
export interface SharedLayout {
  skeleton: Skeleton;
  initial: ScopeLayout;
}

/** Skeletons by what they lay out: equal blocks share one. */
export class SkeletonCache {
  private readonly byHash = new Map<number, SharedLayout[]>();

  constructor(private readonly limits: LayoutLimits = DEFAULT_LIMITS) {}

  get(input: LayoutInput): SharedLayout {
    const hash = hashOf(input);
    const known = this.byHash.get(hash) ?? [];
    const found = known.find(({ skeleton }) => isEqual(skeleton.input, input));
    if (found) return found;
    const skeleton = buildSkeleton(input, this.limits);
    const shared = { skeleton, initial: placeScope(skeleton, input.width, input.height) };
    known.push(shared);
    this.byHash.set(hash, known);
    return shared;
  }
}

const columnsOf = (input: LayoutInput): (Int32Array | Float64Array)[] => [input.source, input.target, input.width, input.height];

function hashOf(input: LayoutInput): number {
  let hash = input.boxes * 31 + input.inPorts * 7 + input.outPorts;
  for (const column of columnsOf(input)) for (const value of column) hash = Math.imul(hash ^ value, 16777619);
  return hash;
}

function isEqual(a: LayoutInput, b: LayoutInput): boolean {
  if (a.boxes !== b.boxes || a.inPorts !== b.inPorts || a.outPorts !== b.outPorts || a.source.length !== b.source.length) return false;
  const others = columnsOf(b);
  return columnsOf(a).every((column, index) => column.every((value, slot) => value === others[index]![slot]));
}
