// SPDX-License-Identifier: Apache-2.0
import { OVERLAYS } from "../graphs/model/overlay";
import { OVERLAY_PHASES, TENSOR_OVERLAYS } from "../graphs/model/tensorOverlay";
import { DEFAULT_GRAPH_OPTIONS } from "../graphs/view/graphOptions";
import { TABLE_KINDS } from "../graphs/model/tableKinds";
import { fields, flag, integer, oneOf, optional, param, text, type Codec, type ValueOf } from "./schema";

export const GRAPH_COLORS = [
  ...(["type", "scope", "dtype", "device", "parameters", "flops", "bytes", "time", "none"] as const),
  ...OVERLAYS,
  ...TENSOR_OVERLAYS,
] as const;
export const GRAPH_HIGHLIGHTS = ["none", "from", "to", "paths", "flops", "bytes", "first_bad"] as const;
export type GraphHighlight = (typeof GRAPH_HIGHLIGHTS)[number];

export type GraphColor = (typeof GRAPH_COLORS)[number];

const LEAVES = ["consumer", "port", "node", "hidden"] as const;
const { stackFrom } = DEFAULT_GRAPH_OPTIONS;
const STACKS: Codec<number> = {
  read: (word) => (word === "none" ? Infinity : null),
  write: (from) => (from === Infinity ? "none" : ""),
};

/** What the computational graph looks like. */
export const GRAPH_VIEW = fields({
  /** The run and the graph; null for the first run with a graph, and its last graph. */
  run: optional("graph_run", text),
  graph: optional("graph", text),
  /** Open scopes and unfolded stacks as `writeScopes` writes them; null until a scope is opened or closed. */
  open: optional("scopes", text),
  unfolded: param("graph_stacks", text, ""),
  /** The selected scope or node as `writeItem` writes it. */
  node: optional("node", text),
  /** A tag that names a weight, which the page selects; null afterwards. */
  weight: optional("weight", text),
  /** The path of a module, whose scope the page selects; null afterwards. */
  module: optional("graph_module", text),
  /** What is highlighted; `to` is the other end of all paths. */
  highlight: param("highlight", oneOf(GRAPH_HIGHLIGHTS), "none"),
  to: optional("to_node", text),
  /** The table beside the picture. */
  table: param("graph_table", oneOf([...TABLE_KINDS, "none"] as const), "layers"),
  /** The graph to compare with: a run, and its graph; null for its last one. */
  otherRun: optional("other_run", text),
  otherGraph: optional("other_graph", text),
  color: param("graph_color", oneOf(GRAPH_COLORS), "type"),
  /** The step of what is recorded of weights and tensors; null for the last one. */
  step: optional("graph_step", integer),
  /** Of the outputs whose statistics color the graph. */
  phase: param("graph_phase", oneOf(OVERLAY_PHASES), "forward"),
  options: fields({
    parameters: param("graph_parameters", oneOf(LEAVES), "consumer"),
    constants: param("graph_constants", oneOf(LEAVES), "consumer"),
    bridgePassThrough: flag("pass_through", "shown", true),
    hideGradient: flag("gradient", "hidden"),
    hideOptimizer: flag("optimizer", "hidden"),
    stackFrom: param("stacks", STACKS, stackFrom),
    joinsSingle: flag("single_operations", "scopes", true),
  }),
});
export type GraphView = ValueOf<typeof GRAPH_VIEW>;
