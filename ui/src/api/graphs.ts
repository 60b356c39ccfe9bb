// SPDX-License-Identifier: Apache-2.0
import type { GraphDiff } from "../core/graphs/model/mergedGraph";
import type { NodeAttributes } from "../core/graphs/model/search";
import type { GraphStructure } from "../core/graphs/model/structure";
import { request } from "./client";
import { readHeader } from "./columns";
import { json, type Json } from "./routes";
import type { components } from "./schema";

export type GraphEntry = Json<"/api/graphs", "get">["graphs"][number];
export type GraphProblem = Json<"/api/graphs", "get">["problems"][number];
export type GraphNode = Json<"/api/graphs/node", "get">;
export type NodeEnd = GraphNode["inputs"][number];

/** One graph of a run; `version` changes with its content. */
export interface GraphKey {
  run: string;
  graph: string;
  version: string;
}

type Header = components["schemas"]["StructureHeader"];
type Column = components["schemas"]["Column"];
type CompactColumn = components["schemas"]["CompactColumn"];

const ARRAYS = {
  bool: Uint8Array,
  uint8: Uint8Array,
  uint16: Uint16Array,
  uint32: Uint32Array,
  int32: Int32Array,
  float32: Float32Array,
  float64: Float64Array,
} as const;

export async function fetchGraphs(run: string, signal: AbortSignal): Promise<readonly GraphEntry[]> {
  return (await listGraphs(run, signal)).graphs;
}

/** The graph files of a run that are not read. */
export async function fetchGraphProblems(run: string, signal: AbortSignal): Promise<readonly GraphProblem[]> {
  return (await listGraphs(run, signal)).problems;
}

function listGraphs(run: string, signal: AbortSignal): Promise<Json<"/api/graphs", "get">> {
  return json(request(`/api/graphs?${new URLSearchParams({ run })}`, { signal }));
}

/** The structure of a graph as the server sends it, for `decodeStructure`. */
export async function fetchStructure(key: GraphKey, signal: AbortSignal): Promise<ArrayBuffer> {
  const response = await request(`/api/graphs/structure?${new URLSearchParams({ ...key })}`, { signal });
  return response.arrayBuffer();
}

/** The attributes of all nodes; `isCut` if there are more. */
export async function fetchAttributes(key: GraphKey, signal: AbortSignal): Promise<NodeAttributes & { isCut: boolean }> {
  const response = await request(`/api/graphs/attributes?${new URLSearchParams({ ...key })}`, { signal });
  const buffer = await response.arrayBuffer();
  const { header, start } = readHeader<components["schemas"]["AttributesHeader"]>(buffer);
  const read = (column: Column) => columnOf(buffer, start, column);
  const { columns } = header;
  return {
    texts: decodeTexts(read(columns.text) as Uint8Array, read(columns.text_end)),
    node: new Int32Array(read(columns.node)),
    text: new Int32Array(read(columns.attribute)),
    isCut: header.is_cut,
  };
}

/** What differs from one graph to another. */
export async function fetchGraphDiff(before: GraphKey, after: GraphKey, signal: AbortSignal): Promise<GraphDiff> {
  const query = new URLSearchParams({
    ...before,
    other_run: after.run,
    other_graph: after.graph,
    other_version: after.version,
  });
  const response = await request(`/api/graphs/diff?${query}`, { signal });
  return decodeDiff(await response.arrayBuffer());
}

/** The columns of a difference; raises RangeError or SyntaxError for bytes that are not this format. */
export function decodeDiff(buffer: ArrayBuffer): GraphDiff {
  const { header, start } = readHeader<components["schemas"]["DiffHeader"]>(buffer);
  const { columns, counts } = header;
  const read = (column: Column) => columnOf(buffer, start, column);
  return {
    counts,
    beforeStatus: new Uint8Array(read(columns.before_status)),
    afterStatus: new Uint8Array(read(columns.after_status)),
    afterOf: new Int32Array(read(columns.after_of)),
    beforeOf: new Int32Array(read(columns.before_of)),
    changes: new Uint8Array(read(columns.changes)),
    entryStatus: new Uint8Array(read(columns.entry_status)),
    entryBefore: new Int32Array(read(columns.entry_before)),
    entryAfter: new Int32Array(read(columns.entry_after)),
  };
}

export function fetchGraphNode({ run, graph }: GraphKey, node: number, signal: AbortSignal): Promise<GraphNode> {
  return json(request(`/api/graphs/node?${new URLSearchParams({ run, graph, node: String(node) })}`, { signal }));
}

/** The columns of a structure, over the bytes where they can be; raises RangeError or SyntaxError for bytes that are not this format. */
export function decodeStructure(buffer: ArrayBuffer): GraphStructure {
  const { header, start } = readHeader<Header>(buffer);
  const { columns } = header;
  const read = (column: CompactColumn) => compactColumnOf(buffer, start, column);
  const int32 = (column: CompactColumn) => asType(Int32Array, read(column));
  const uint8 = (column: CompactColumn) => asType(Uint8Array, read(column));
  const float64 = (column: CompactColumn) => asType(Float64Array, read(column));
  return {
    texts: decodeTexts(uint8(columns.text), read(columns.text_end)),
    label: int32(columns.label),
    type: int32(columns.type),
    dtype: int32(columns.dtype),
    shape: int32(columns.shape),
    device: int32(columns.device),
    scope: int32(columns.scope),
    role: uint8(columns.role),
    parts: uint8(columns.parts),
    bytes: float64(columns.bytes),
    parameterCount: float64(columns.parameter_count),
    flops: float64(columns.flops),
    scopeLabel: int32(columns.scope_label),
    scopeParent: int32(columns.scope_parent),
    scopeClass: asType(Uint32Array, read(columns.scope_class)),
    source: int32(columns.source),
    target: int32(columns.target),
    isControl: uint8(columns.is_control),
    output: int32(columns.output),
  };
}

type NumberArray = InstanceType<(typeof ARRAYS)[keyof typeof ARRAYS]>;

/** The column itself where it has the type, else a copy that has it. */
function asType<T extends NumberArray>(Type: new (values: ArrayLike<number>) => T, values: ArrayLike<number>): T {
  return values instanceof Type ? values : new Type(values);
}

function compactColumnOf(buffer: ArrayBuffer, start: number, column: CompactColumn): NumberArray {
  if (!column.is_constant) return columnOf(buffer, start, column);
  const one = columnOf(buffer, start, { ...column, length: 1 });
  return new ARRAYS[column.dtype as keyof typeof ARRAYS](column.length).fill(one[0]!);
}

function columnOf(buffer: ArrayBuffer, start: number, { dtype, offset, length }: Column): NumberArray {
  const Columns = ARRAYS[dtype as keyof typeof ARRAYS];
  if (!Columns) throw new RangeError(`columns: unknown dtype ${JSON.stringify(dtype)}`);
  const at = start + offset;
  return at % Columns.BYTES_PER_ELEMENT === 0
    ? new Columns(buffer, at, length)
    : new Columns(buffer.slice(at, at + Columns.BYTES_PER_ELEMENT * length));
}

function decodeTexts(bytes: Uint8Array, ends: ArrayLike<number>): string[] {
  const decoder = new TextDecoder();
  const whole = decoder.decode(bytes);
  // Where every letter is one byte, texts are parts of one string.
  const isPlain = whole.length === bytes.length;
  const texts: string[] = [];
  let start = 0;
  for (let index = 0; index < ends.length; index++) {
    const end = ends[index]!;
    texts.push(isPlain ? whole.slice(start, end) : decoder.decode(bytes.subarray(start, end)));
    start = end;
  }
  return texts;
}
