// SPDX-License-Identifier: Apache-2.0
import { brushesOf, describeBrushes } from "../lineage/brushQuery";
import type { Brushes } from "../lineage/brushes";
import type { Filter } from "../text/textFilter";
import { RUN_GROUPINGS, type RunGrouping } from "../runs/runTree";

/** View settings of the list of runs. */
export interface RunsView {
  filter: Filter;
  /** A condition on the lineage that runs must meet, such as `lr < 0.01`; "" for none. */
  where: string;
  /** Ranges of columns of the lineage that runs must be in. */
  brushes: Brushes;
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
    where: "",
    brushes: new Map(),
    grouping: "none",
    showsArchived: false,
    toggled: [],
    details: null,
  };
}

export function describeRuns(view: RunsView, query: URLSearchParams): void {
  const { filter } = view;
  if (filter.text !== "") query.append(filter.isRegex ? "find_regex" : "find", filter.text);
  if (view.where !== "") query.append("where", view.where);
  describeBrushes(view.brushes, query);
  if (view.grouping !== "none") query.append("by", view.grouping);
  if (view.showsArchived) query.append("archived", "shown");
  for (const group of view.toggled) query.append("fold", group);
  if (view.details !== null) query.append("details", view.details);
}

/** Never fails: what a link says wrongly is as if it said nothing. */
export function runsViewOf(query: URLSearchParams): RunsView {
  const regex = query.get("find_regex");
  return {
    filter: { text: regex ?? query.get("find") ?? "", isRegex: regex !== null && regex !== "" },
    where: query.get("where") ?? "",
    brushes: brushesOf(query),
    grouping: RUN_GROUPINGS.find((one) => one === query.get("by")) ?? "none",
    showsArchived: query.get("archived") === "shown",
    toggled: [...new Set(query.getAll("fold"))],
    details: query.get("details"),
  };
}
