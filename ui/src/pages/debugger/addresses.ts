// SPDX-License-Identifier: Apache-2.0
import { DEBUG_VIEW, openedTensor, type DebugSourceKey } from "../../core/view/debugView";
import { GRAPH_VIEW } from "../../core/view/graphView";
import { pageLocation } from "../../state/view/location.svelte";
import { view } from "../../state/view/view.svelte";

/** The address of a tensor in the page Debugger. */
export function tensorAddress(chosen: DebugSourceKey, at: { rank: number; step: number; row: number }): string {
  const query = withoutDebug();
  DEBUG_VIEW.write(openedTensor({ ...view.debug, chosen }, at), query);
  return `/debugger?${query}`;
}

/** The address of the first bad number in the page Debugger. */
export function firstBadAddress(chosen: DebugSourceKey): string {
  const query = withoutDebug();
  DEBUG_VIEW.write({ ...view.debug, chosen, tab: "findings", part: "first_bad" }, query);
  return `/debugger?${query}`;
}

/** The address of the graph with the operators from the first bad one to the damage, at the step of the first bad number. */
export function chainAddress(chosen: DebugSourceKey, step: number): string {
  const query = withoutDebug();
  DEBUG_VIEW.write({ ...view.debug, chosen }, query);
  const names = new URLSearchParams();
  GRAPH_VIEW.write({ ...view.graphs, node: "0", to: "0", open: "", unfolded: "0", graph: "0", run: "0", highlight: "from" }, names);
  for (const name of names.keys()) query.delete(name);
  const { color, phase, options } = view.graphs;
  GRAPH_VIEW.write({ ...GRAPH_VIEW.defaultValue, color, step, phase, options, run: chosen.run, highlight: "first_bad" }, query);
  return `/graph?${query}`;
}

function withoutDebug(): URLSearchParams {
  const [query, names] = [new URLSearchParams(pageLocation.query), new URLSearchParams()];
  DEBUG_VIEW.write({ ...DEBUG_VIEW.defaultValue, ...view.debug }, names);
  for (const name of names.keys()) query.delete(name);
  return query;
}
