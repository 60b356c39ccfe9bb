// SPDX-License-Identifier: Apache-2.0
import { FIGURES, type Figure } from "../tables/figureTable";
import { CENTERS, SPREADS, type Center, type Spread } from "../series/groupStatistics";

export type Grouping = "none" | "directory" | "ranks" | "parameter";

const USUAL_FIGURES: readonly Figure[] = ["last", "minimum", "maximum"];

/** Settings of the comparison; all of them are in the URL. */
export interface CompareView {
  grouping: Grouping;
  /** The hyperparameters that group runs, each once; empty without one. */
  parameters: readonly string[];
  center: Center;
  spread: Spread;
  /** Run or group that the others are compared with; null draws values. */
  baseline: string | null;
  isTable: boolean;
  /** Columns of the table for each tag. */
  figures: readonly Figure[];
  /** Also parameters that are equal in all runs have a column. */
  showsEqual: boolean;
  /** The table shows the runs below the heads of all groups except the `toggled` ones, or below those only. */
  isUnfolded: boolean;
  toggled: readonly string[];
}

export function defaultCompareView(): CompareView {
  return {
    grouping: "none",
    parameters: [],
    center: "mean",
    spread: "quartiles",
    baseline: null,
    isTable: false,
    figures: USUAL_FIGURES,
    showsEqual: false,
    isUnfolded: false,
    toggled: [],
  };
}

export function describeCompare(view: CompareView, query: URLSearchParams): void {
  if (view.grouping === "parameter") for (const parameter of view.parameters) query.append("group_by", parameter);
  else if (view.grouping !== "none") query.append("group", view.grouping);
  if (view.center !== "mean") query.append("center", view.center);
  if (view.spread !== "quartiles") query.append("spread", view.spread);
  if (view.baseline !== null) query.append("baseline", view.baseline);
  if (view.isTable) query.append("show", "table");
  if (view.figures.join() !== USUAL_FIGURES.join()) query.append("figures", view.figures.join());
  if (view.showsEqual) query.append("parameters", "all");
  if (view.isUnfolded) query.append("unfolded", "all");
  for (const group of view.toggled) query.append("toggled", group);
}

/** Never fails: what a link says wrongly is as if it said nothing. */
export function compareViewOf(query: URLSearchParams): CompareView {
  const parameters = [...new Set(query.getAll("group_by"))].filter((parameter) => parameter !== "");
  const grouping = (["directory", "ranks"] as const).find((one) => one === query.get("group")) ?? "none";
  const figures = query.get("figures");
  return {
    grouping: parameters.length > 0 ? "parameter" : grouping,
    parameters,
    center: CENTERS.find((one) => one === query.get("center")) ?? "mean",
    spread: SPREADS.find((one) => one === query.get("spread")) ?? "quartiles",
    baseline: query.get("baseline") || null,
    isTable: query.get("show") === "table",
    figures: figures === null ? USUAL_FIGURES : FIGURES.filter((one) => figures.split(",").includes(one)),
    showsEqual: query.get("parameters") === "all",
    isUnfolded: query.get("unfolded") === "all",
    toggled: [...new Set(query.getAll("toggled"))],
  };
}
