// SPDX-License-Identifier: Apache-2.0
import { STATUS } from "../../core/graphs/model/mergedGraph";
import { ROLE, type GraphStructure } from "../../core/graphs/model/structure";
import { cellText, shortCellText, type LineageCell } from "../../core/lineage/column";
import type { MeasuredPipeline, Unmatched } from "../../core/lineage/measuredPipeline";
import { stageKey, type AlignedStages, type PipelineStage } from "../../core/lineage/pipelineColumns";

/** A box of the picture: an operation, a transform inside of one, or a sampler. */
export interface PipelineBox {
  name: string;
  parameters: Readonly<Record<string, LineageCell>>;
  /** The same box of the other pipeline; null without one. */
  other: Readonly<Record<string, LineageCell>> | null;
  /** STATUS from the other pipeline to this one. */
  status: number;
  /** Samples or batches that leave it in an epoch; null if unknown. */
  rows: number | null;
  /** Index of its operation in a profile, or why it has none; null without a profile, for transforms and samplers. */
  operation: number | Unmatched | null;
}

/** A data pipeline as a graph: operations in order, their parameters as constants, transforms in the scope of their operation. */
export interface PipelineGraph {
  structure: GraphStructure;
  /** By node; null for parameters. */
  nodes: readonly (PipelineBox | null)[];
  /** By scope; null for the root. */
  scopes: readonly (PipelineBox | null)[];
}

type Stages = readonly [own: PipelineStage | null, other: PipelineStage | null];

/** What an operation's box says of its profile. */
export type Figures = (operation: number | Unmatched) => string;

/** A profile of the pipeline. */
export interface MeasuredLook {
  measured: MeasuredPipeline;
  figures: Figures;
}

/** The pipeline with a number; with another number, both in one picture; with the figures of a profile of it. */
export function pipelineGraph(
  columns: readonly AlignedStages[],
  number: number,
  other: number | null,
  look: MeasuredLook | null = null,
): PipelineGraph {
  const writer = new PipelineWriter(number, other, look);
  writer.flow(columns, []);
  return writer.result();
}

class PipelineWriter {
  private readonly texts: string[] = [""];
  private readonly ids = new Map([["", 0]]);
  private readonly rows: { label: number; type: number; shape: number; scope: number; role: number }[] = [];
  private readonly nodes: (PipelineBox | null)[] = [];
  private readonly scopes: { label: number; name: number; box: PipelineBox | null }[] = [{ label: 0, name: 0, box: null }];
  private readonly edges: { source: number; target: number; is_control: number }[] = [];

  constructor(
    private readonly number: number,
    private readonly other: number | null,
    private readonly look: MeasuredLook | null,
  ) {}

  /** Adds the operations of columns after those that feed the first one; returns the last ones. */
  flow(columns: readonly AlignedStages[], feeders: readonly number[]): readonly number[] {
    let last = feeders;
    for (const { cells, branches } of columns) {
      const own = cells[this.number] ?? null;
      const other = this.other === null ? null : (cells[this.other] ?? null);
      if (branches.length > 0) {
        const ends = branches.flatMap((branch) => this.flow(branch, []));
        if (ends.length > 0) last = ends;
      } else if (own || other) last = [this.stage([own, other], last)];
    }
    return last;
  }

  result(): PipelineGraph {
    const { rows, edges, scopes } = this;
    const column = (name: "label" | "type" | "shape" | "scope"): Int32Array => Int32Array.from(rows, (row) => row[name]);
    const unknown = (): Float64Array => new Float64Array(rows.length).fill(Number.NaN);
    return {
      structure: {
        texts: this.texts,
        label: column("label"),
        tensor: new Int32Array(rows.length),
        type: column("type"),
        dtype: new Int32Array(rows.length),
        shape: column("shape"),
        device: new Int32Array(rows.length),
        scope: column("scope"),
        role: Uint8Array.from(rows, ({ role }) => role),
        parts: new Uint8Array(rows.length),
        bytes: unknown(),
        parameter_count: unknown(),
        flops: unknown(),
        is_of_pytorch: false,
        scope_label: Int32Array.from(scopes, ({ label }) => label),
        scope_name: Int32Array.from(scopes, ({ name }) => name),
        scope_type: new Int32Array(scopes.length),
        scope_parent: Int32Array.from(scopes, (_, scope) => (scope === 0 ? -1 : 0)),
        scope_kind: new Uint8Array(scopes.length),
        scope_class: new Uint32Array(scopes.length),
        source: Int32Array.from(edges, ({ source }) => source),
        target: Int32Array.from(edges, ({ target }) => target),
        is_control: Uint8Array.from(edges, ({ is_control }) => is_control),
        output: new Int32Array(edges.length),
      },
      nodes: this.nodes,
      scopes: scopes.map(({ box }) => box),
    };
  }

  /** Adds an operation; returns the node that gives its data. */
  private stage([own, other]: Stages, feeders: readonly number[]): number {
    const shown = (own ?? other)!;
    const status = this.statusOf(own, other);
    const box: PipelineBox = {
      name: shown.name ?? "",
      parameters: shown.parameters,
      other: own && other ? other.parameters : null,
      status,
      rows: shown.rows,
      operation: (own && this.look?.measured.operationOf.get(own)) ?? null,
    };
    const inner = innerOperations(shown.parameters);
    const transforms = inner.filter(({ isSampler }) => !isSampler);
    if (transforms.length === 0) {
      const node = this.node(box, 0, ownParameters(shown.parameters, inner));
      this.connect(feeders, node);
      for (const { name, prefix } of inner) this.connect([this.inner(name, prefix, box, 0)], node, 1);
      return node;
    }
    const figures = this.figures(box);
    const name = this.text(figures === "" ? box.name : `${box.name} · ${figures}`);
    const scope = this.scopes.push({ label: this.text(box.name), name, box }) - 1;
    let last = feeders;
    for (const { name, prefix } of transforms) {
      const node = this.inner(name, prefix, box, scope);
      this.connect(last, node);
      last = [node];
    }
    return last[0]!;
  }

  /** A transform or sampler with the parameters that begin with its prefix. */
  private inner(name: string, prefix: string, { parameters, other, status }: PipelineBox, scope: number): number {
    const cut = (all: Readonly<Record<string, LineageCell>>): Record<string, LineageCell> =>
      Object.fromEntries(
        Object.entries(all)
          .filter(([key]) => key.startsWith(prefix))
          .map(([key, value]) => [key.slice(prefix.length), value]),
      );
    const [own, others] = [cut(parameters), other && cut(other)];
    const isEqual = others !== null && JSON.stringify(own) === JSON.stringify(others);
    const box = { name, parameters: own, other: others, status: status === STATUS.changed && isEqual ? STATUS.same : status };
    return this.node({ ...box, rows: null, operation: null }, scope, own);
  }

  private node(box: PipelineBox, scope: number, listed: Readonly<Record<string, LineageCell>>): number {
    const [label, type] = [this.text(box.name), this.text(box.name)];
    const node = this.rows.push({ label, type, shape: 0, scope, role: ROLE.operation }) - 1;
    this.nodes.push(box);
    const figures = this.figures(box);
    if (figures !== "") this.leaf(node, "", figures);
    for (const [name, value] of Object.entries(listed))
      if (value !== null && cellText(value) !== "") this.leaf(node, name, `= ${shortCellText(value)}`);
    return node;
  }

  /** A line in the box of a node. */
  private leaf(node: number, name: string, value: string): void {
    const [label, shape] = [this.text(name), this.text(value)];
    this.edges.push({
      source: this.rows.push({ label, type: 0, shape, scope: this.rows[node]!.scope, role: ROLE.constant }) - 1,
      target: node,
      is_control: 0,
    });
    this.nodes.push(null);
  }

  private connect(sources: readonly number[], target: number, is_control = 0): void {
    for (const source of sources) this.edges.push({ source, target, is_control });
  }

  private statusOf(own: PipelineStage | null, other: PipelineStage | null): number {
    if (this.other === null) return STATUS.same;
    if (!own) return STATUS.removed;
    if (!other) return STATUS.added;
    return stageKey(own) === stageKey(other) ? STATUS.same : STATUS.changed;
  }

  private figures({ operation }: PipelineBox): string {
    return operation === null ? "" : this.look!.figures(operation);
  }

  private text(text: string): number {
    const known = this.ids.get(text);
    if (known !== undefined) return known;
    this.ids.set(text, this.texts.length);
    return this.texts.push(text) - 1;
  }
}

interface InnerOperation {
  name: string;
  /** Names of its parameters in those of the operation begin so. */
  prefix: string;
  isSampler: boolean;
}

/** Transforms, then the sampler, of an operation. A transform that occurs twice has its number in its prefix. */
function innerOperations(parameters: Readonly<Record<string, LineageCell>>): InnerOperation[] {
  const { operations, sampler } = parameters;
  const names = Array.isArray(operations) ? operations.map((name) => cellText(name as LineageCell)) : [];
  const inner = names.map((name, place) => {
    const isRepeated = names.indexOf(name) !== names.lastIndexOf(name);
    return { name, prefix: isRepeated ? `${name}[${place}].` : `${name}.`, isSampler: false };
  });
  if (typeof sampler === "string" && sampler !== "") inner.push({ name: sampler, prefix: `${sampler}.`, isSampler: true });
  return inner;
}

/** The parameters of an operation without those of what is inside of it. */
function ownParameters(parameters: Readonly<Record<string, LineageCell>>, inner: readonly InnerOperation[]): Record<string, LineageCell> {
  return Object.fromEntries(
    Object.entries(parameters).filter(
      ([name]) => name !== "operations" && name !== "sampler" && !inner.some(({ prefix }) => name.startsWith(prefix)),
    ),
  );
}
