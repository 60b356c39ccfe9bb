// SPDX-License-Identifier: Apache-2.0
import { OVERLAYS } from "../graphs/model/overlay";
import { OVERLAY_PHASES, TENSOR_OVERLAYS, type OverlayPhase } from "../graphs/model/tensorOverlay";
import { DEFAULT_GRAPH_OPTIONS, type GraphOptions } from "../graphs/view/graphOptions";
import { TABLE_KINDS, type TableKind } from "../graphs/model/tableKinds";
import type { LeafDisplay } from "../graphs/model/flows";

export const GRAPH_COLORS = [
  ...(["type", "scope", "dtype", "device", "parameters", "flops", "bytes", "time", "none"] as const),
  ...OVERLAYS,
  ...TENSOR_OVERLAYS,
] as const;
export const GRAPH_HIGHLIGHTS = ["none", "from", "to", "paths", "flops", "bytes", "first_bad"] as const;
export type GraphHighlight = (typeof GRAPH_HIGHLIGHTS)[number];

export type GraphColor = (typeof GRAPH_COLORS)[number];

/** What the computational graph looks like; all of it is in the address. */
export interface GraphView {
  /** The run and the graph; null for the first run with a graph, and its last graph. */
  run: string | null;
  graph: string | null;
  /** Open scopes and unfolded stacks as `writeScopes` writes them; null until a scope is opened or closed. */
  open: string | null;
  unfolded: string;
  /** The selected scope or node as `writeItem` writes it. */
  node: string | null;
  /** A tag that names a weight, which the page selects; null afterwards. */
  weight: string | null;
  /** The path of a module, whose scope the page selects; null afterwards. */
  module: string | null;
  /** What is highlighted; `to` is the other end of all paths. */
  highlight: GraphHighlight;
  to: string | null;
  /** The table below the picture; null for none. */
  table: TableKind | null;
  /** The graph to compare with: a run, and its graph; null for its last one. */
  otherRun: string | null;
  otherGraph: string | null;
  color: GraphColor;
  /** The step of what is recorded of weights and tensors; null for the last one. */
  step: number | null;
  /** Of the outputs whose statistics color the graph. */
  phase: OverlayPhase;
  options: GraphOptions;
}

const LEAVES: readonly LeafDisplay[] = ["consumer", "port", "node", "hidden"];
const STACK_FROM = DEFAULT_GRAPH_OPTIONS.stackFrom;

export function defaultGraphView(): GraphView {
  return {
    run: null,
    graph: null,
    open: null,
    unfolded: "",
    node: null,
    weight: null,
    module: null,
    highlight: "none",
    to: null,
    table: null,
    otherRun: null,
    otherGraph: null,
    color: "type",
    step: null,
    phase: "forward",
    options: DEFAULT_GRAPH_OPTIONS,
  };
}

export function describeGraph(
  { run, graph, open, unfolded, node, weight, module, highlight, to, table, otherRun, otherGraph, color, step, phase, options }: GraphView,
  query: URLSearchParams,
): void {
  if (run !== null) query.append("graph_run", run);
  if (graph !== null) query.append("graph", graph);
  if (open !== null) query.append("scopes", open);
  if (unfolded !== "") query.append("graph_stacks", unfolded);
  if (node !== null) query.append("node", node);
  if (weight !== null) query.append("weight", weight);
  if (module !== null) query.append("graph_module", module);
  if (highlight !== "none") query.append("highlight", highlight);
  if (to !== null) query.append("to_node", to);
  if (table !== null) query.append("graph_table", table);
  if (otherRun !== null) query.append("other_run", otherRun);
  if (otherGraph !== null) query.append("other_graph", otherGraph);
  if (color !== "type") query.append("graph_color", color);
  if (step !== null) query.append("graph_step", String(step));
  if (phase !== "forward") query.append("graph_phase", phase);
  if (options.parameters !== "consumer") query.append("graph_parameters", options.parameters);
  if (options.constants !== "consumer") query.append("graph_constants", options.constants);
  if (!options.bridgePassThrough) query.append("pass_through", "shown");
  if (options.hideGradient) query.append("gradient", "hidden");
  if (options.hideOptimizer) query.append("optimizer", "hidden");
  if (options.stackFrom !== STACK_FROM) query.append("stacks", "none");
}

/** Never fails: what a link says wrongly is as if it said nothing. */
export function graphViewOf(query: URLSearchParams): GraphView {
  const leaf = (name: string): LeafDisplay => LEAVES.find((display) => display === query.get(name)) ?? "consumer";
  return {
    run: query.get("graph_run"),
    graph: query.get("graph"),
    open: query.get("scopes"),
    unfolded: query.get("graph_stacks") ?? "",
    node: query.get("node"),
    weight: query.get("weight"),
    module: query.get("graph_module"),
    highlight: GRAPH_HIGHLIGHTS.find((highlight) => highlight === query.get("highlight")) ?? "none",
    to: query.get("to_node"),
    table: TABLE_KINDS.find((table) => table === query.get("graph_table")) ?? null,
    otherRun: query.get("other_run"),
    otherGraph: query.get("other_graph"),
    color: GRAPH_COLORS.find((color) => color === query.get("graph_color")) ?? "type",
    step: stepOf(query.get("graph_step")),
    phase: OVERLAY_PHASES.find((phase) => phase === query.get("graph_phase")) ?? "forward",
    options: {
      parameters: leaf("graph_parameters"),
      constants: leaf("graph_constants"),
      bridgePassThrough: query.get("pass_through") !== "shown",
      hideGradient: query.get("gradient") === "hidden",
      hideOptimizer: query.get("optimizer") === "hidden",
      stackFrom: query.get("stacks") === "none" ? Infinity : STACK_FROM,
    },
  };
}

function stepOf(text: string | null): number | null {
  return text !== null && /^-?\d+$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : null;
}
