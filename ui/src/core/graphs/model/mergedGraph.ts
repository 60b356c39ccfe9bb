// SPDX-License-Identifier: Apache-2.0
import type { Message } from "../../messages/message";
import type { GraphStructure } from "./structure";

/** What happened to a node from the earlier graph to the later one. */
export const STATUS = { same: 0, changed: 1, removed: 2, added: 3, fused: 4, split: 5 } as const;

/** What differs between two graphs, as the server compares them. Indices are nodes of the two graphs; -1 for none. */
export type GraphDiff = Omit<Message<"DiffHeader">, "edge_removed" | "edge_added">;

/** Two graphs as one: the nodes of the later graph with their indices, then those that only the earlier one has. */
export interface MergedGraph {
  structure: GraphStructure;
  status: Uint8Array;
  /** Index in the earlier graph; -1 for none. */
  before: Int32Array;
  /** Number of nodes of the later graph. */
  afterCount: number;
  /** The node that each entry of the difference leads to. */
  entryNode: Int32Array;
}

export function mergeGraphs(before: GraphStructure, after: GraphStructure, diff: GraphDiff): MergedGraph {
  const afterCount = after.scope.length;
  const removed = [...diff.before_status.keys()].filter((node) => diff.before_status[node] === STATUS.removed && diff.after_of[node]! < 0);
  const merged = diff.after_of.slice();
  removed.forEach((node, place) => (merged[node] = afterCount + place));
  const status = concat(
    Uint8Array,
    diff.after_status,
    Uint8Array.from(removed, () => STATUS.removed),
  );
  const { texts, textOf } = joinTexts(before, after);
  const scopes = joinScopes(before, after, removed, textOf);
  const edges = [...before.source.keys()].filter((edge) => {
    const [source, target] = [merged[before.source[edge]!]!, merged[before.target[edge]!]!];
    return source >= 0 && target >= 0 && (source >= afterCount || target >= afterCount);
  });
  const text = (name: "label" | "tensor" | "type" | "dtype" | "shape" | "device"): Int32Array =>
    concat(
      Int32Array,
      after[name],
      Int32Array.from(removed, (node) => textOf(before[name][node]!)),
    );
  const numbers = (name: "bytes" | "parameter_count" | "flops"): Float64Array =>
    concat(
      Float64Array,
      after[name],
      Float64Array.from(removed, (node) => before[name][node]!),
    );
  const bytes = (name: "role" | "parts"): Uint8Array =>
    concat(
      Uint8Array,
      after[name],
      Uint8Array.from(removed, (node) => before[name][node]!),
    );
  const structure: GraphStructure = {
    texts,
    label: text("label"),
    tensor: text("tensor"),
    type: text("type"),
    dtype: text("dtype"),
    shape: text("shape"),
    device: text("device"),
    scope: concat(
      Int32Array,
      after.scope,
      Int32Array.from(removed, (node) => scopes.of(before.scope[node]!)),
    ),
    role: bytes("role"),
    parts: bytes("parts"),
    bytes: numbers("bytes"),
    parameter_count: numbers("parameter_count"),
    flops: numbers("flops"),
    is_of_pytorch: before.is_of_pytorch || after.is_of_pytorch,
    scope_label: scopes.label,
    scope_name: scopes.name,
    scope_type: scopes.type,
    scope_parent: scopes.parent,
    scope_kind: scopes.kind,
    scope_class: new Uint32Array(scopes.label.length),
    source: concat(
      Int32Array,
      after.source,
      Int32Array.from(edges, (edge) => merged[before.source[edge]!]!),
    ),
    target: concat(
      Int32Array,
      after.target,
      Int32Array.from(edges, (edge) => merged[before.target[edge]!]!),
    ),
    is_control: concat(
      Uint8Array,
      after.is_control,
      Uint8Array.from(edges, (edge) => before.is_control[edge]!),
    ),
    output: concat(
      Int32Array,
      after.output,
      Int32Array.from(edges, (edge) => before.output[edge]!),
    ),
  };
  structure.scope_class.set(classesWithoutChanges(after, structure, status));
  return {
    structure,
    status,
    before: concat(Int32Array, diff.before_of, Int32Array.from(removed)),
    afterCount,
    entryNode: Int32Array.from(diff.entry_status, (_, entry) =>
      diff.entry_after[entry]! >= 0 ? diff.entry_after[entry]! : merged[diff.entry_before[entry]!]!,
    ),
  };
}

/** Scopes with differences inside are alike to no others: a stack would hide them. */
function classesWithoutChanges(after: GraphStructure, { scope, scope_parent }: GraphStructure, status: Uint8Array): Uint32Array {
  const isChanged = new Uint8Array(scope_parent.length);
  for (let node = 0; node < scope.length; node++) if (status[node] !== STATUS.same) isChanged[scope[node]!] = 1;
  for (let index = scope_parent.length - 1; index > 0; index--) if (isChanged[index]) isChanged[scope_parent[index]!] = 1;
  return after.scope_class.map((each, index) => (isChanged[index] ? 0 : each));
}

function joinTexts(before: GraphStructure, after: GraphStructure): { texts: string[]; textOf: (id: number) => number } {
  const texts = [...after.texts];
  const ids = new Map(texts.map((text, id) => [text, id]));
  return {
    texts,
    textOf: (id) => {
      const text = before.texts[id] ?? "";
      const known = ids.get(text);
      if (known !== undefined) return known;
      ids.set(text, texts.length);
      return texts.push(text) - 1;
    },
  };
}

/** The scopes of the later graph, then those of removed nodes that it does not have. */
function joinScopes(
  before: GraphStructure,
  after: GraphStructure,
  removed: readonly number[],
  textOf: (id: number) => number,
): { label: Int32Array; name: Int32Array; type: Int32Array; parent: Int32Array; kind: Uint8Array; of: (scope: number) => number } {
  const [label, name, type, parent] = [after.scope_label, after.scope_name, after.scope_type, after.scope_parent].map((column) => [
    ...column,
  ]) as [number[], number[], number[], number[]];
  const kind = [...after.scope_kind];
  const children = new Map<string, number>();
  parent.forEach((above, scope) => children.set(`${above} ${label[scope]}`, scope));
  const known = new Map([[0, 0]]);
  const place = (scope: number): number => {
    const own = known.get(scope);
    if (own !== undefined) return own;
    const above = place(before.scope_parent[scope]!);
    const key = `${above} ${textOf(before.scope_label[scope]!)}`;
    const found = children.get(key) ?? label.push(textOf(before.scope_label[scope]!)) - 1;
    if (!children.has(key)) {
      parent.push(above);
      kind.push(before.scope_kind[scope]!);
      name.push(textOf(before.scope_name[scope]!));
      type.push(textOf(before.scope_type[scope]!));
    }
    children.set(key, found);
    known.set(scope, found);
    return found;
  };
  for (const node of removed) place(before.scope[node]!);
  const [labels, names, types, parents] = [label, name, type, parent].map((column) => Int32Array.from(column)) as [
    Int32Array,
    Int32Array,
    Int32Array,
    Int32Array,
  ];
  return { label: labels, name: names, type: types, parent: parents, kind: Uint8Array.from(kind), of: place };
}

function concat<Column extends Int32Array | Uint8Array | Float64Array>(
  Type: new (length: number) => Column,
  first: Column,
  second: Column,
): Column {
  const all = new Type(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}
