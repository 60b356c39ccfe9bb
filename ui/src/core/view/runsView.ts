// SPDX-License-Identifier: Apache-2.0
import { brushesOf, describeBrushes } from "../lineage/brushQuery";
import type { Brushes } from "../lineage/brushes";
import type { Filter } from "../text/textFilter";
import { lineageColumn, RUN_COLUMNS, type RunColumn } from "../runs/runTable";
import { RUN_GROUPINGS, type RunGrouping } from "../runs/runTree";

/** View settings of the list of runs. */
export interface RunsView {
  filter: Filter;
  /** A condition on the lineage that runs must meet, such as `lr < 0.01`; "" for none. */
  where: string;
  /** Ranges of columns of the lineage that runs must be in. */
  brushes: Brushes;
  sort: { column: RunColumn; isDescending: boolean };
  grouping: RunGrouping;
  /** Columns of the lineage in the list, by their ids. */
  lineage: readonly string[];
  showsArchived: boolean;
  /** Groups that are not as they are at first: directories open, ranks folded. */
  toggled: readonly string[];
  /** The run whose details are open; null for none. */
  details: string | null;
}

export function defaultRunsView(): RunsView {
  return {
    filter: { text: "", isRegex: false },
    where: "",
    brushes: new Map(),
    sort: { column: "updated", isDescending: true },
    grouping: "none",
    lineage: [],
    showsArchived: false,
    toggled: [],
    details: null,
  };
}

export function describeRuns(view: RunsView, query: URLSearchParams): void {
  const { filter, sort } = view;
  if (filter.text !== "") query.append(filter.isRegex ? "find_regex" : "find", filter.text);
  if (view.where !== "") query.append("where", view.where);
  describeBrushes(view.brushes, query);
  const order = `${sort.isDescending ? "-" : ""}${sort.column}`;
  if (order !== "-updated") query.append("order", order);
  if (view.grouping !== "none") query.append("by", view.grouping);
  for (const id of view.lineage) query.append("with", id);
  if (view.showsArchived) query.append("archived", "shown");
  for (const group of view.toggled) query.append("fold", group);
  if (view.details !== null) query.append("details", view.details);
}

/** Never fails: what a link says wrongly is as if it said nothing. */
export function runsViewOf(query: URLSearchParams): RunsView {
  const regex = query.get("find_regex");
  const order = query.get("order") ?? "-updated";
  const name = order.replace(/^-/, "");
  const column = name.startsWith("lineage:") ? lineageColumn(name.slice("lineage:".length)) : RUN_COLUMNS.find((one) => one === name);
  return {
    filter: { text: regex ?? query.get("find") ?? "", isRegex: regex !== null && regex !== "" },
    where: query.get("where") ?? "",
    brushes: brushesOf(query),
    sort: column ? { column, isDescending: order.startsWith("-") } : defaultRunsView().sort,
    grouping: RUN_GROUPINGS.find((one) => one === query.get("by")) ?? "none",
    lineage: [...new Set(query.getAll("with"))],
    showsArchived: query.get("archived") === "shown",
    toggled: [...new Set(query.getAll("fold"))],
    details: query.get("details"),
  };
}
