// SPDX-License-Identifier: Apache-2.0
import { membersOf } from "../arrays/groups";
import type { Adjacency } from "./adjacency";
import { isTrainable, isWeight, weightHomes } from "./parameterHomes";
import { isEmptyScope, type ScopeTree } from "./scopeTree";
import { scopeOutputs } from "./scopeOutputs";
import { PART, ROLE } from "./structure";
import type { TableKind } from "./tableKinds";
import { AmountSums } from "./totals";

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
  /** NaN where amounts are unknown and none is known. */
  amounts: Record<Amount, Float64Array>;
  /** Rows in which some of the amounts are unknown: the sums are at least those. */
  isPartial: Record<Amount, Uint8Array>;
  /** Texts; 0 or more. Several dtypes are that of the most nodes. */
  type: Int32Array;
  dtype: Int32Array;
  shape: Int32Array;
  /** Sums of the whole graph. */
  total: Record<Amount, number>;
  isTotalPartial: Record<Amount, boolean>;
}

type Sums = Record<Amount, AmountSums>;

const byAmount = <Value>(of: (amount: Amount) => Value): Record<Amount, Value> =>
  Object.fromEntries(AMOUNTS.map((amount) => [amount, of(amount)])) as Record<Amount, Value>;

const sumsOf = (length: number): Sums => byAmount(() => new AmountSums(length));

/** The tables of one graph: a tree of scopes, operation types, layers. Weights belong to the scopes that read them. */
export class GraphTables {
  private readonly items: Sums;
  private readonly values: Record<Amount, Float64Array>;
  private readonly total: Record<Amount, number>;
  private outputs: Int32Array | null = null; // of scopes, once a table needs them

  constructor(
    private readonly tree: ScopeTree,
    private readonly adjacency: Adjacency,
  ) {
    this.items = this.itemSums(weightHomes(tree, adjacency).scope);
    this.values = byAmount((amount) => this.items[amount].values());
    this.total = byAmount((amount) => this.values[amount][0]!);
  }

  /** Sums of everything in each scope, then of each node. */
  get sums(): Record<Amount, Float64Array> {
    return this.values;
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
      const isLeaf = structure.role[node] !== ROLE.operation;
      const above = parent[item]!;
      for (const at of isLeaf ? [] : [item, above]) {
        sums.count.add(at, 1);
        sums.flops.add(at, structure.flops[node]!);
        sums.bytes.add(at, structure.bytes[node]!);
      }
      for (const at of home[node]! < 0 ? [] : [item, home[node]!]) {
        sums.parameters.add(at, structure.parameter_count[node]!);
        if (isTrainable(structure, node)) sums.trainable.add(at, structure.parameter_count[node]!);
      }
    }
    for (const amount of AMOUNTS) sums[amount].addScopes(this.tree, { branches: amount === "flops" || amount === "bytes" });
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
      const inside = [...membersOf(children, scope)].filter((item) => !isEmptyScope(this.tree, item) && (!isKept || isKept[item]! > 0));
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
    const { scopeCount, children } = this.tree;
    const isKept = kept && this.keptItems(kept);
    const rows: number[] = [];
    for (let scope = 1; scope < scopeCount; scope++) {
      const isLayer = [...membersOf(children, scope)].some((item) => item >= scopeCount && this.isForward(item - scopeCount));
      if (isLayer && (!isKept || isKept[scope]! > 0)) rows.push(scope);
    }
    rows.sort((a, b) => this.tree.begin[a]! - this.tree.begin[b]!);
    if (sort) rows.sort(this.comparison(sort));
    return this.itemTable("layers", Int32Array.from(rows));
  }

  private isForward(node: number): boolean {
    const { role, parts } = this.tree.structure;
    return role[node] === ROLE.operation && (parts[node]! & (PART.gradient | PART.optimizer)) === 0;
  }

  private itemTable(kind: TableKind, row: Int32Array): GraphTable {
    const { structure, scopeCount } = this.tree;
    const outputs = (this.outputs ??= scopeOutputs(this.tree, this.adjacency));
    const textOf = (column: Int32Array): Int32Array => row.map((item) => (item < scopeCount ? -1 : column[item - scopeCount]!));
    const outputOf = (column: Int32Array): Int32Array =>
      row.map((item) => column[item < scopeCount ? outputs[item]! : item - scopeCount] ?? -1);
    return {
      kind,
      row,
      depth: new Int32Array(row.length),
      isOpen: new Uint8Array(row.length),
      ...amountsOf(this.items, row),
      type: textOf(structure.type),
      dtype: outputOf(structure.dtype),
      shape: outputOf(structure.shape),
      total: this.total,
      isTotalPartial: byAmount((amount) => this.items[amount].unknown[0]! > 0),
    };
  }

  private types({ sort, kept }: TableRequest): GraphTable {
    const { structure, scopeCount, nodeCount } = this.tree;
    const isKept = kept && this.keptItems(kept);
    const places = new Map<number, number>();
    const sums = sumsOf(new Set(structure.type).size);
    const dtypes: Map<number, number>[] = [];
    for (let node = 0; node < nodeCount; node++) {
      const isLeaf = structure.role[node] !== ROLE.operation;
      if (isLeaf || (isKept && !isKept[scopeCount + node])) continue;
      const place = places.get(structure.type[node]!) ?? places.size;
      places.set(structure.type[node]!, place);
      sums.count.add(place, 1);
      sums.flops.add(place, structure.flops[node]!);
      sums.bytes.add(place, structure.bytes[node]!);
      const counts = (dtypes[place] ??= new Map());
      counts.set(structure.dtype[node]!, (counts.get(structure.dtype[node]!) ?? 0) + 1);
    }
    this.addReadWeights(sums, places, isKept);
    const ids = [...places.keys()];
    const dtype = dtypes.map((counts) => [...counts].reduce((most, entry) => (entry[1] > most[1] ? entry : most), [-1, 0])[0]);
    const order = [...ids.keys()].sort((a, b) => sums.count.sum[b]! - sums.count.sum[a]!);
    if (sort) {
      const names = sort.column === "dtype" ? dtype : ids;
      const values = isAmount(sort.column) ? sums[sort.column].values() : null;
      const value = values ? (place: number) => values[place]! : (place: number) => structure.texts[names[place]!] ?? "";
      order.sort(comparing(value, sort.isDescending));
    }
    const row = Int32Array.from(order, (place) => ids[place]!);
    return {
      kind: "types",
      row,
      depth: new Int32Array(row.length),
      isOpen: new Uint8Array(row.length),
      ...amountsOf(sums, Int32Array.from(order)),
      type: row,
      dtype: Int32Array.from(order, (place) => dtype[place]!),
      shape: new Int32Array(row.length).fill(-1),
      total: this.total,
      isTotalPartial: byAmount((amount) => this.items[amount].unknown[0]! > 0),
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
      sums.parameters.add(place, structure.parameter_count[source]!);
      if (isTrainable(structure, source)) sums.trainable.add(place, structure.parameter_count[source]!);
    }
  }

  private comparison({ column, isDescending }: NonNullable<TableRequest["sort"]>): (a: number, b: number) => number {
    const { structure, scopeCount } = this.tree;
    if (isAmount(column)) return comparing((item: number) => this.values[column][item]!, isDescending);
    const ids = column === "name" ? null : structure[column];
    return comparing((item: number) => {
      if (ids) return item < scopeCount ? "" : structure.texts[ids[item - scopeCount]!]!;
      return structure.texts[item < scopeCount ? structure.scope_label[item]! : structure.label[item - scopeCount]!]!;
    }, isDescending);
  }
}

/** Of some rows. */
function amountsOf(sums: Sums, row: Int32Array): Pick<GraphTable, "amounts" | "isPartial"> {
  const values = byAmount((amount) => sums[amount].values());
  return {
    amounts: byAmount((amount) => Float64Array.from(row, (item) => values[amount][item]!)),
    isPartial: byAmount((amount) => Uint8Array.from(row, (item) => (sums[amount].unknown[item]! > 0 ? 1 : 0))),
  };
}

const isAmount = (column: string): column is Amount => (AMOUNTS as readonly string[]).includes(column);

const collator = new Intl.Collator("en", { numeric: true });

/** An unknown amount sorts before all others. */
const least = (amount: number): number => (Number.isNaN(amount) ? -1 : amount);

function comparing(value: (row: number) => number | string, isDescending: boolean): (a: number, b: number) => number {
  const sign = isDescending ? -1 : 1;
  return (a, b) => {
    const [left, right] = [value(a), value(b)];
    if (typeof left === "string") return sign * collator.compare(left, String(right));
    return sign * (least(left) - least(Number(right)));
  };
}
