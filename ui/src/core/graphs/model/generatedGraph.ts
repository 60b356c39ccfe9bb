// SPDX-License-Identifier: Apache-2.0
import { PART, ROLE, SCOPE_KIND, type GraphStructure } from "./structure";

interface NodeColumns {
  label?: string;
  tensor?: string;
  type?: string;
  role?: number;
  parts?: number;
  bytes?: number;
  flops?: number;
}

/** Writes graphs for tests and measurements. */
export class GraphBuilder {
  private readonly texts: string[] = [""];
  private readonly textIds = new Map<string, number>([["", 0]]);
  private readonly nodes: Required<NodeColumns & { scope: number }>[] = [];
  private readonly scopes: { label: string; parent: number; class: number; name?: string; type: string; kind: number }[] = [
    { label: "", parent: -1, class: 0, type: "", kind: 0 },
  ];
  private readonly edges: { source: number; target: number; isControl: boolean }[] = [];

  get nodeCount(): number {
    return this.nodes.length;
  }

  scope(label: string, parent = 0, structureClass = 0, kind: number = SCOPE_KIND.module): number {
    const [, name, type = ""] = /^(.+)-([A-Z]\w*)$/.exec(label) ?? [];
    return this.scopes.push({ label, parent, class: structureClass, type, kind, ...(name === undefined ? {} : { name }) }) - 1;
  }

  node(scope: number, columns: NodeColumns = {}): number {
    const index = this.nodes.length;
    return (
      this.nodes.push({
        scope,
        label: columns.label ?? `op${index}`,
        tensor: columns.tensor ?? "",
        type: columns.type ?? "Operation",
        role: columns.role ?? ROLE.operation,
        parts: columns.parts ?? 0,
        bytes: columns.bytes ?? 4096,
        flops: columns.flops ?? 1,
      }) - 1
    );
  }

  edge(source: number, target: number, isControl = false): void {
    this.edges.push({ source, target, isControl });
  }

  build(): GraphStructure {
    const { nodes, scopes, edges } = this;
    return {
      texts: this.texts,
      label: Int32Array.from(nodes, (node) => this.text(node.label)),
      tensor: Int32Array.from(nodes, (node) => this.text(node.tensor)),
      type: Int32Array.from(nodes, (node) => this.text(node.type)),
      dtype: Int32Array.from(nodes, () => this.text("float32")),
      shape: Int32Array.from(nodes, (node) => this.text(`${node.bytes / 4} x 1`)),
      device: Int32Array.from(nodes, () => 0),
      scope: Int32Array.from(nodes, (node) => node.scope),
      role: Uint8Array.from(nodes, (node) => node.role),
      parts: Uint8Array.from(nodes, (node) => node.parts),
      bytes: Float64Array.from(nodes, (node) => node.bytes),
      parameter_count: Float64Array.from(nodes, (node) => (node.role === ROLE.parameter ? node.bytes / 4 : Number.NaN)),
      flops: Float64Array.from(nodes, (node) => node.flops),
      scope_label: Int32Array.from(scopes, (scope) => this.text(scope.label)),
      scope_name: Int32Array.from(scopes, (scope) => this.text(scope.name ?? scope.label)),
      scope_type: Int32Array.from(scopes, (scope) => this.text(scope.type)),
      scope_parent: Int32Array.from(scopes, (scope) => scope.parent),
      is_of_pytorch: false,
      scope_kind: Uint8Array.from(scopes, (scope) => scope.kind),
      scope_class: Uint32Array.from(scopes, (scope) => scope.class),
      source: Int32Array.from(edges, (edge) => edge.source),
      target: Int32Array.from(edges, (edge) => edge.target),
      is_control: Uint8Array.from(edges, (edge) => (edge.isControl ? 1 : 0)),
      output: new Int32Array(edges.length),
    };
  }

  private text(value: string): number {
    const known = this.textIds.get(value);
    if (known !== undefined) return known;
    this.textIds.set(value, this.texts.length);
    return this.texts.push(value) - 1;
  }
}

const TYPES = ["MatMul", "Add", "LayerNorm", "ReLU", "Softmax", "Reshape", "Transpose", "Mul"];

/**
 * A model of about `size` nodes: 24 equal blocks over four levels of scopes, a scope of 100 children and one of 1,000 (from
 * 10,000 nodes), skips, parameters, constants, pass-through nodes and dead ends.
 */
export function generatedModel(size: number): GraphStructure {
  const graph = new GraphBuilder();
  const network = graph.scope("network");
  let last = graph.node(network, { label: "input", type: "Input", role: ROLE.input });
  const wide = size >= 10_000 ? [100, 1000] : [100];
  const perBlock = Math.max(12, Math.floor((size - wide.reduce((sum, count) => sum + count, 0)) / 24));
  const layers = graph.scope("layers", network);
  for (let block = 0; block < 24; block++) last = addBlock(graph, layers, block, perBlock, last);
  for (const count of wide) last = addScope(graph, graph.scope(`wide_${count}`, network), count, last);
  graph.edge(last, graph.node(network, { label: "output", type: "Return" }));
  return graph.build();
}

/** A block of stages of eight parts each, so that scopes stay small at every size. */
function addBlock(graph: GraphBuilder, layers: number, block: number, count: number, input: number): number {
  const scope = graph.scope(`${block}`, layers, 1);
  const stages = Math.max(2, Math.round(count / 240));
  let last = input;
  for (let stage = 0; stage < stages; stage++) {
    const stageScope = graph.scope(`stage_${stage}`, scope, 2);
    const parts = Math.max(1, Math.round(count / stages / 30));
    for (let part = 0; part < parts; part++)
      last = addScope(graph, graph.scope(`part_${part}`, stageScope, 3), Math.max(6, Math.round(count / stages / parts)), last);
  }
  const sum = graph.node(scope, { label: "residual", type: "Add", bytes: 65536 });
  graph.edge(last, sum);
  graph.edge(input, sum);
  return sum;
}

function addScope(graph: GraphBuilder, scope: number, count: number, input: number): number {
  let last = input;
  let skip = input;
  for (let index = 0; index < count; index++) {
    const node = graph.node(scope, columnsOf(index));
    if (index % 10 === 3 || index % 10 === 6) {
      const reader = graph.node(scope, { label: `op${index}_reader`, type: "MatMul" });
      index++;
      graph.edge(node, reader);
      graph.edge(last, reader);
      last = reader;
    } else if (index % 10 === 9) graph.edge(last, node, true);
    else {
      graph.edge(last, node);
      if (index % 10 === 5) graph.edge(skip, node);
      if (index % 10 === 0) skip = node;
      last = node;
    }
  }
  return last;
}

function columnsOf(index: number): NodeColumns {
  if (index % 10 === 3) return { label: `weight${index}`, type: "Parameter", role: ROLE.parameter, bytes: 1 << 20 };
  if (index % 10 === 6) return { label: `scale${index}`, type: "Constant", role: ROLE.constant, bytes: 4 };
  if (index % 10 === 7) return { label: `op${index}`, type: "Load", parts: PART.passThrough };
  return { label: `op${index}`, type: TYPES[index % TYPES.length]!, bytes: 4096 << (index % 5), flops: index * 1000 };
}
