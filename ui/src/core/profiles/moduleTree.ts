// SPDX-License-Identifier: Apache-2.0
import type { Schemas } from "../messages/message";
import type { Flame } from "./flame";

/** Modules as columns, parents before their children. A column that was not recorded is null. */
export type ModuleColumns = Omit<Schemas["ModulesAnswer"], "version">;

export const MODULE_FIGURES = [
  "count",
  "host_total_ns",
  "host_self_ns",
  "device_total_ns",
  "device_self_ns",
  "backward_ns",
  "flops",
  "memory_bytes",
] as const;
export type ModuleFigure = (typeof MODULE_FIGURES)[number];

/** Total times on the device if it ran anything, else on the host. */
export function moduleTimes({ device_total_ns, host_total_ns, path }: ModuleColumns): readonly number[] {
  return device_total_ns ?? host_total_ns ?? path.map(() => 0);
}

export function moduleOwnTimes({ device_total_ns, device_self_ns, host_self_ns, path }: ModuleColumns): readonly number[] {
  return (device_total_ns ? device_self_ns : host_self_ns) ?? path.map(() => 0);
}

export class ModuleTree {
  readonly columns: ModuleColumns;
  readonly children: readonly (readonly number[])[];
  readonly roots: readonly number[];
  readonly depth: readonly number[];
  readonly times: readonly number[];
  /** Nanoseconds of all roots. */
  readonly whole: number;

  constructor(columns: ModuleColumns) {
    const children: number[][] = columns.path.map(() => []);
    const roots: number[] = [];
    const depth: number[] = [];
    columns.parent.forEach((parent, row) => {
      (parent < 0 ? roots : children[parent]!).push(row);
      depth.push(parent < 0 ? 0 : depth[parent]! + 1);
    });
    this.columns = columns;
    this.children = children;
    this.roots = roots;
    this.depth = depth;
    this.times = moduleTimes(columns);
    this.whole = roots.reduce((sum, row) => sum + this.times[row]!, 0);
  }

  /** Of the time of all roots, 0 to 1. */
  shareOf(row: number): number {
    return this.times[row]! / Math.max(1, this.whole);
  }

  /** Rows that are shown, children after their parents in the order of a figure. `open` is null for all. */
  rows(open: ReadonlySet<number> | null, kept: ReadonlySet<number> | null, order: (one: number, other: number) => number): number[] {
    const found: number[] = [];
    const pending = [...this.roots].sort(order).reverse();
    while (pending.length > 0) {
      const row = pending.pop()!;
      if (kept && !kept.has(row)) continue;
      found.push(row);
      if (open === null || open.has(row)) pending.push(...[...this.children[row]!].sort(order).reverse());
    }
    return found;
  }

  /** Rows whose path matches, and all above them. */
  kept(matches: (path: string) => boolean): Set<number> {
    const found = new Set<number>();
    for (let row = this.columns.path.length - 1; row >= 0; row--) {
      if (!found.has(row) && !matches(this.columns.path[row]!)) continue;
      found.add(row);
      const parent = this.columns.parent[row]!;
      if (parent >= 0) found.add(parent);
    }
    return found;
  }

  /** From the longest root to the longest child and so on, as long as one has at least half of its parent's time. */
  hotPath(): number[] {
    const found: number[] = [];
    let rows = this.roots;
    let above = 0;
    for (;;) {
      const next = rows.reduce<number | null>((most, row) => (most === null || this.times[row]! > this.times[most]! ? row : most), null);
      if (next === null || this.times[next]! === 0 || 2 * this.times[next]! < above) return found;
      found.push(next);
      [above, rows] = [this.times[next]!, this.children[next]!];
    }
  }

  /** The tree as a flame graph: a module as wide as its time. */
  flame(): Flame {
    const { name, parent, count } = this.columns;
    const names = [...new Set(name)];
    const place = new Map(names.map((each, index) => [each, index]));
    return {
      names,
      colors: names.map(colorOf),
      parent: Int32Array.from(parent),
      name: Uint32Array.from(name, (each) => place.get(each)!),
      count: Float64Array.from(count),
      total: Float64Array.from(this.times),
      own: Float64Array.from(moduleOwnTimes(this.columns)),
      left_out: 0,
    };
  }
}

/** Instances of a class have one color: `Linear_1` and `Linear_2`. */
function colorOf(name: string): number {
  let hash = 0;
  for (const letter of name.replaceAll(/\d+/g, "")) hash = (hash * 31 + letter.codePointAt(0)!) >>> 0;
  return hash % 10;
}
