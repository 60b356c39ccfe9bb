// SPDX-License-Identifier: Apache-2.0
import type { ViewState } from "./urlState";

/** Parameters of the page Logs that say what it is about. */
const OF_LOGS = ["log", "log_line"];

/**
 * What of a view makes a step in the history of the browser: tabs, selected items, and what a link opens. Settings such as
 * filters, zooms and sliders belong to the step at which they are changed.
 */
export function historyStep({
  fullTag,
  list,
  comparing,
  lineage,
  dataLineage,
  dashboard,
  graphs,
  landscapes,
  profiles,
  debug,
  logs,
  report,
  values,
}: ViewState): string {
  const { rows, memory, steps, compare } = profiles;
  return JSON.stringify([
    [fullTag, report, values.kind, list.details, comparing.isTable, lineage.chart, dataLineage.stage, dashboard.run],
    [graphs.run, graphs.graph, graphs.node, graphs.table, graphs.otherRun, graphs.otherGraph],
    [landscapes.form, landscapes.chosen, landscapes.full],
    [profiles.chosen, profiles.tab, profiles.slice, profiles.panel, profiles.further, profiles.furtherRow, profiles.stream],
    [rows.group, rows.where, rows.row, compare.baseline, compare.table],
    [memory.device, memory.panel, memory.group, memory.block, steps.step, steps.operation],
    [debug.chosen, debug.tab, debug.rank, debug.show, debug.row, debug.watched, debug.compare.other, debug.compare.pair],
    logs.filter(([name]) => OF_LOGS.includes(name)),
  ]);
}
