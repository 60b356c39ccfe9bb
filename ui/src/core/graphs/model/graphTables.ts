// SPDX-License-Identifier: Apache-2.0
import { membersOf } from "../arrays/groups";
import type { Adjacency } from "./adjacency";
import { isTrainable, isWeight, weightScopes } from "./parameterHomes";
import { scopesAbove, type ScopeTree } from "./scopeTree";
import { PART, ROLE } from "./structure";

export const TABLE_KINDS = ["scopes", "types", "layers"] as const;
export type TableKind = (typeof TABLE_KINDS)[number];
export const AMOUNTS = ["count", "parameters", "trainable", "flops", "bytes"] as const;
export type Amount = (typeof AMOUNTS)[number];

export interface TableRequest {
  kind: TableKind;
  /** Null for execution order, or the most frequent type first. */
  sort: { column: "name" | "type" | "dtype" | "shape" | Amount; isDescending: boolean } | null;
  /** Scopes that show what is inside of them in the tree; null for all. */
  open: ReadonlySet<number> | null;
  /** Nodes and scopes to keep, with the scopes around them; types whose nodes are kept. Null for all. */
  kept: { nodes: Int32Array; scopes: Int32Array } | null;
}

/** Rows of a table in their order. */
export interface GraphTable {
  kind: TableKind;
  /** Items of the tree and of layers; texts of types. */
  row: Int32Array;
  depth: Int32Array;
  isOpen: Uint8Array;
  amounts: Record<Amount, Float64Array>;
  /** Texts; 0 or more. Several dtypes are that of the most nodes. */
  type: Int32Array;
  dtype: Int32Array;
  shape: Int32Array;
  /** Sums of the whole graph. */
  total: Record<Amount, number>;
}

type Sums = Record<Amount, Float64Array>;

const sumsOf = (length: number): Sums => ({
  count: new Float64Array(length),
  parameters: new Float64Array(length),
  trainable: new Float64Array(length),
  flops: new Float64Array(length),
  bytes: new Float64Array(length),
});

const known = (value: number): number => (Number.isNaN(value) ? 0 : value);

/** The tables of one graph: a tree of scopes, operation types, layers. Weights belong to the scopes that read them. */
export class GraphTables {
  private readonly items: Sums;
  private readonly total: Record<Amount, number>;

  constructor(
    private readonly tree: ScopeTree,
    adjacency: Adjacency,
  ) {
    this.items = this.itemSums(weightScopes(tree, adjacency));
    this.total = Object.fromEntries(AMOUNTS.map((amount) => [amount, this.items[amount][0]!])) as Record<Amount, number>;
  }

  /** Sums of everything in each scope, then of each node. */
  get sums(): Sums {
    return this.items;
  }

  table(request: TableRequest): GraphTable {
    if (request.kind === "types") return this.types(request);
    return request.kind === "layers" ? this.layers(request) : this.scopes(request);
  }

  private itemSums(home: Int32Array): Sums {
    const { structure, scopeCount, nodeCount, parent } = this.tree;
    const sums = sumsOf(scopeCount + nodeCount);
    for (let node = 0; node < nodeCount; node++) {
      const item = scopeCount + node;
      const isLeaf = structure.role[node] === ROLE.parameter || structure.role[node] === ROLE.constant;
      sums.count[item] = isLeaf ? 0 : 1;
      sums.flops[item] = isLeaf ? 0 : known(structure.flops[node]!);
      sums.bytes[item] = isLeaf ? 0 : known(structure.bytes[node]!);
      const above = parent[item]!;
      for (const amount of ["count", "flops", "bytes"] as const) sums[amount][above]! += sums[amount][item]!;
      if (home[node]! < 0) continue;
      sums.parameters[item] = known(structure.parameterCount[node]!);
      sums.trainable[item] = isTrainable(structure, node) ? sums.parameters[item] : 0;
      sums.parameters[home[node]!]! += sums.parameters[item];
      sums.trainable[home[node]!]! += sums.trainable[item];
    }
    for (let scope = scopeCount - 1; scope > 0; scope--)
      for (const amount of AMOUNTS) sums[amount][parent[scope]!]! += sums[amount][scope]!;
    return sums;
  }

  private scopes({ sort, open, kept }: TableRequest): GraphTable {
    const { children, scopeCount } = this.tree;
    const isKept = kept && this.keptItems(kept);
    const compare = sort && this.comparison(sort);
    const rows: number[] = [];
    const depths: number[] = [];
    const waiting: number[] = [];
    const isUnfolded = (item: number): boolean => item < scopeCount && (open === null || open.has(item));
    const push = (scope: number): void => {
      const inside = [...membersOf(children, scope)].filter((item) => !isKept || isKept[item]! > 0);
      if (compare) inside.sort(compare);
      for (let place = inside.length - 1; place >= 0; place--) waiting.push(inside[place]!);
    };
    push(0);
    while (waiting.length > 0) {
      const item = waiting.pop()!;
      rows.push(item);
      depths.push(item < scopeCount ? this.tree.depth[item]! - 1 : this.tree.depth[this.tree.parent[item]!]!);
      if (isUnfolded(item) || (isKept && item < scopeCount && isKept[item] === 2)) push(item);
    }
    const row = Int32Array.from(rows);
    return {
      ...this.itemTable("scopes", row),
      depth: Int32Array.from(depths),
      isOpen: Uint8Array.from(row, (item) => (isUnfolded(item) || (isKept && item < scopeCount && isKept[item] === 2) ? 1 : 0)),
    };
  }

  /** 1 for items that are kept, with what is in a kept scope; 2 for the scopes around them. */
  private keptItems({ nodes, scopes }: NonNullable<TableRequest["kept"]>): Uint8Array {
    const { scopeCount, parent, children } = this.tree;
    const isKept = new Uint8Array(parent.length);
    for (const scope of scopes) {
      isKept[scope] = 1;
      const inside = [scope];
      for (const each of inside)
        for (const item of membersOf(children, each)) {
          if (isKept[item]) continue;
          isKept[item] = 1;
          if (item < scopeCount) inside.push(item);
        }
    }
    for (const item of [...scopes, ...Array.from(nodes, (node) => scopeCount + node)]) {
      isKept[item] ||= 1;
      for (let above = parent[item]!; above > 0 && isKept[above] !== 2; above = parent[above]!) isKept[above] = 2;
    }
    return isKept;
  }

  /** Scopes with operations or weights of their own, in execution order: what a summary of a model lists. */
  private layers({ sort, kept }: TableRequest): GraphTable {
    const { structure, scopeCount, children } = this.tree;
    const isKept = kept && this.keptItems(kept);
    const rows: number[] = [];
    for (let scope = 1; scope < scopeCount; scope++) {
      const isLayer = [...membersOf(children, scope)].some((item) => item >= scopeCount && this.isForward(item - scopeCount));
      if (isLayer && (!isKept || isKept[scope]! > 0)) rows.push(scope);
    }
    rows.sort((a, b) => this.tree.begin[a]! - this.tree.begin[b]!);
    if (sort) rows.sort(this.comparison(sort));
    const table = this.itemTable("layers", Int32Array.from(rows));
    table.row.forEach((scope, place) => {
      const inside = [...membersOf(children, scope)].filter((item) => item >= scopeCount && this.isForward(item - scopeCount));
      const last = inside.at(-1);
      if (last === undefined) return;
      table.shape[place] = structure.shape[last - scopeCount]!;
      table.dtype[place] = structure.dtype[last - scopeCount]!;
    });
    return table;
  }

  private isForward(node: number): boolean {
    const { role, parts } = this.tree.structure;
    return role[node] === ROLE.operation && (parts[node]! & (PART.gradient | PART.optimizer)) === 0;
  }

  private itemTable(kind: TableKind, row: Int32Array): GraphTable {
    const { structure, scopeCount } = this.tree;
    const textOf = (column: Int32Array): Int32Array => row.map((item) => (item < scopeCount ? -1 : column[item - scopeCount]!));
    return {
      kind,
      row,
      depth: new Int32Array(row.length),
      isOpen: new Uint8Array(row.length),
      amounts: this.pick(this.items, row),
      type: textOf(structure.type),
      dtype: textOf(structure.dtype),
      shape: textOf(structure.shape),
      total: this.total,
    };
  }

  private pick(sums: Sums, row: Int32Array): Sums {
    return Object.fromEntries(AMOUNTS.map((amount) => [amount, Float64Array.from(row, (item) => sums[amount][item]!)])) as Sums;
  }

  private types({ sort, kept }: TableRequest): GraphTable {
    const { structure, scopeCount, nodeCount } = this.tree;
    const isKept = kept && this.keptItems(kept);
    const places = new Map<number, number>();
    const sums = sumsOf(new Set(structure.type).size);
    const dtypes: Map<number, number>[] = [];
    for (let node = 0; node < nodeCount; node++) {
      const isLeaf = structure.role[node] === ROLE.parameter || structure.role[node] === ROLE.constant;
      if (isLeaf || (isKept && !isKept[scopeCount + node])) continue;
      const place = places.get(structure.type[node]!) ?? places.size;
      places.set(structure.type[node]!, place);
      for (const amount of ["count", "flops", "bytes"] as const) sums[amount][place]! += this.items[amount][scopeCount + node]!;
      const counts = (dtypes[place] ??= new Map());
      counts.set(structure.dtype[node]!, (counts.get(structure.dtype[node]!) ?? 0) + 1);
    }
    this.addReadWeights(sums, places, isKept);
    const ids = [...places.keys()];
    const dtype = dtypes.map((counts) => [...counts].reduce((most, entry) => (entry[1] > most[1] ? entry : most), [-1, 0])[0]);
    const order = [...ids.keys()].sort((a, b) => sums.count[b]! - sums.count[a]!);
    if (sort) {
      const names = sort.column === "dtype" ? dtype : ids;
      const value = isAmount(sort.column)
        ? (place: number) => sums[sort.column as Amount][place]!
        : (place: number) => structure.texts[names[place]!] ?? "";
      order.sort(comparing(value, sort.isDescending));
    }
    const row = Int32Array.from(order, (place) => ids[place]!);
    return {
      kind: "types",
      row,
      depth: new Int32Array(row.length),
      isOpen: new Uint8Array(row.length),
      amounts: this.pick(sums, Int32Array.from(order)),
      type: row,
      dtype: Int32Array.from(order, (place) => dtype[place]!),
      shape: new Int32Array(row.length).fill(-1),
      total: this.total,
    };
  }

  /** A type has the weights that its operations read, each weight once a type. */
  private addReadWeights(sums: Sums, places: ReadonlyMap<number, number>, isKept: Uint8Array | null): void {
    const { structure, scopeCount } = this.tree;
    const seen = new Set<number>();
    for (let edge = 0; edge < structure.source.length; edge++) {
      const [source, target] = [structure.source[edge]!, structure.target[edge]!];
      if (!isWeight(structure, source) || (isKept && !isKept[scopeCount + target])) continue;
      const place = places.get(structure.type[target]!);
      const key = source * places.size + place!;
      if (place === undefined || seen.has(key)) continue;
      seen.add(key);
      sums.parameters[place]! += this.items.parameters[scopeCount + source]!;
      sums.trainable[place]! += this.items.trainable[scopeCount + source]!;
    }
  }

  private comparison({ column, isDescending }: NonNullable<TableRequest["sort"]>): (a: number, b: number) => number {
    const { structure, scopeCount } = this.tree;
    if (isAmount(column)) return comparing((item: number) => this.items[column][item]!, isDescending);
    const ids = column === "name" ? null : structure[column];
    return comparing((item: number) => {
      if (ids) return item < scopeCount ? "" : structure.texts[ids[item - scopeCount]!]!;
      return structure.texts[item < scopeCount ? structure.scopeLabel[item]! : structure.label[item - scopeCount]!]!;
    }, isDescending);
  }
}

const isAmount = (column: string): column is Amount => (AMOUNTS as readonly string[]).includes(column);

const collator = new Intl.Collator("en", { numeric: true });

function comparing(value: (row: number) => number | string, isDescending: boolean): (a: number, b: number) => number {
  const sign = isDescending ? -1 : 1;
  return (a, b) => {
    const [left, right] = [value(a), value(b)];
    return sign * (typeof left === "string" ? collator.compare(left, String(right)) : left - Number(right));
  };
}

/** Name of a layer: its path without the scope around everything. */
export function layerPath(tree: ScopeTree, scope: number): string {
  const { texts, scopeLabel } = tree.structure;
  const labels = [...scopesAbove(tree, scope).slice(1), scope].map((step) => texts[scopeLabel[step]!]!);
  return (labels.length > 1 && labels[0] === "Default" ? labels.slice(1) : labels).join("/");
}
