// SPDX-License-Identifier: Apache-2.0

/** What Data lineage looks like; all of it is in the address. */
export interface DataLineageView {
  /** Runs with equal pipelines are one row. */
  isFolded: boolean;
  /** Operations that are equal in all pipelines are hidden. */
  onlyDiffering: boolean;
  /** Parallel coordinates over the parameters that differ. */
  hasChart: boolean;
  /** The operation whose details are open: the key of its column, and the number of its pipeline; null for none. */
  stage: { column: string; pipeline: number } | null;
}

export function defaultDataLineageView(): DataLineageView {
  return { isFolded: true, onlyDiffering: false, hasChart: true, stage: null };
}

export function describeDataLineage(view: DataLineageView, query: URLSearchParams): void {
  if (!view.isFolded) query.append("pipelines", "unfolded");
  if (view.onlyDiffering) query.append("operations", "different");
  if (!view.hasChart) query.append("pipeline_chart", "none");
  if (view.stage) query.append("stage", `${view.stage.pipeline}:${view.stage.column}`);
}

/** Never fails: what a link says wrongly is as if it said nothing. */
export function dataLineageViewOf(query: URLSearchParams): DataLineageView {
  const stage = /^(\d{1,9}):([\d.]+)$/.exec(query.get("stage") ?? "");
  return {
    isFolded: query.get("pipelines") !== "unfolded",
    onlyDiffering: query.get("operations") === "different",
    hasChart: query.get("pipeline_chart") !== "none",
    stage: stage ? { pipeline: Number(stage[1]), column: stage[2]! } : null,
  };
}
