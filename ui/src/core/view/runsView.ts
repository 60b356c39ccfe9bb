// SPDX-License-Identifier: Apache-2.0
import type { Filter } from "../text/textFilter";
import { RUN_COLUMNS, type RunColumn } from "../runs/runTable";
import { RUN_GROUPINGS, type RunGrouping } from "../runs/runTree";

/** View settings of the list of runs. */
export interface RunsView {
  filter: Filter;
  sort: { column: RunColumn; isDescending: boolean };
  grouping: RunGrouping;
  showsArchived: boolean;
  /** Groups that are not as they are at first: directories open, ranks folded. */
  toggled: readonly string[];
  /** The run whose details are open; null for none. */
  details: string | null;
}

export function defaultRunsView(): RunsView {
  return {
    filter: { text: "", isRegex: false },
    sort: { column: "updated", isDescending: true },
    grouping: "none",
    showsArchived: false,
    toggled: [],
    details: null,
  };
}

export function describeRuns(view: RunsView, query: URLSearchParams): void {
  const { filter, sort } = view;
  if (filter.text !== "") query.append(filter.isRegex ? "find_regex" : "find", filter.text);
  const order = `${sort.isDescending ? "-" : ""}${sort.column}`;
  if (order !== "-updated") query.append("order", order);
  if (view.grouping !== "none") query.append("by", view.grouping);
  if (view.showsArchived) query.append("archived", "shown");
  for (const group of view.toggled) query.append("fold", group);
  if (view.details !== null) query.append("details", view.details);
}

/** Never fails: what a link says wrongly is as if it said nothing. */
export function runsViewOf(query: URLSearchParams): RunsView {
  const regex = query.get("find_regex");
  const order = query.get("order") ?? "-updated";
  const column = RUN_COLUMNS.find((one) => one === order.replace("-", ""));
  return {
    filter: { text: regex ?? query.get("find") ?? "", isRegex: regex !== null && regex !== "" },
    sort: column ? { column, isDescending: order.startsWith("-") } : defaultRunsView().sort,
    grouping: RUN_GROUPINGS.find((one) => one === query.get("by")) ?? "none",
    showsArchived: query.get("archived") === "shown",
    toggled: [...new Set(query.getAll("fold"))],
    details: query.get("details"),
  };
}
