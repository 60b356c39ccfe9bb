// SPDX-License-Identifier: Apache-2.0
import type { ScaleKind } from "../lineage/column";
import { unique } from "./queryValues";

export const LINEAGE_CHARTS = ["coordinates", "scatter", "importance", "heat", "distribution", "none"] as const;
export type LineageChart = (typeof LINEAGE_CHARTS)[number];

const AXIS_SCALES: readonly ScaleKind[] = ["linear", "log", "category"];

/** An axis of the parallel coordinates; a null scale is the suggested one. */
export interface AxisChoice {
  column: string;
  scale: ScaleKind | null;
  isTurned: boolean;
}

/** What Model lineage looks like beside its table; all of it is in the address. Columns are named by their ids. */
export interface LineageView {
  /** Null for the remembered one. */
  target: string | null;
  chart: LineageChart;
  /** Columns in which all runs agree are hidden. */
  onlyDiffering: boolean;
  /** Patterns of scalars that become columns. */
  scalars: readonly string[];
  /** Null for the proposed ones. */
  axes: readonly AxisChoice[] | null;
  /** The column of the colors; null for the target, "run" for a color of its own for each run. */
  color: string | null;
  x: string | null;
  y: string | null;
  size: string | null;
  /** Two runs that are compared field by field. */
  pair: readonly [string, string] | null;
}

export function defaultLineageView(): LineageView {
  return {
    target: null,
    chart: "coordinates",
    onlyDiffering: true,
    scalars: [],
    axes: null,
    color: null,
    x: null,
    y: null,
    size: null,
    pair: null,
  };
}

export function describeLineage(view: LineageView, query: URLSearchParams): void {
  if (view.target !== null) query.append("target", view.target);
  if (view.chart !== "coordinates") query.append("lineage_chart", view.chart);
  if (!view.onlyDiffering) query.append("differing", "no");
  for (const pattern of view.scalars) query.append("scalar", pattern);
  for (const axis of view.axes ?? []) query.append("dimension", axisText(axis));
  if (view.axes?.length === 0) query.append("dimension", "");
  for (const [name, value] of channels(view)) if (value !== null) query.append(name, value);
  for (const run of view.pair ?? []) query.append("pair", run);
}

function channels(view: LineageView): [string, string | null][] {
  return [
    ["colored_by", view.color],
    ["on_x", view.x],
    ["on_y", view.y],
    ["sized_by", view.size],
  ];
}

function axisText({ column, scale, isTurned }: AxisChoice): string {
  return `${[scale, isTurned ? "turned" : null].filter((word) => word !== null).join(",")}:${column}`;
}

function axisOf(text: string): AxisChoice {
  const words = text.slice(0, text.indexOf(":")).split(",");
  return {
    column: text.slice(text.indexOf(":") + 1),
    scale: AXIS_SCALES.find((scale) => words.includes(scale)) ?? null,
    isTurned: words.includes("turned"),
  };
}

/** Never fails: what a link says wrongly is as if it said nothing. */
export function lineageViewOf(query: URLSearchParams): LineageView {
  const listed = (name: string): string[] | null => {
    const all = query.getAll(name);
    return all.length === 0 ? null : unique(all.filter((text) => text !== ""));
  };
  const pair = query.getAll("pair");
  return {
    target: query.get("target"),
    chart: LINEAGE_CHARTS.find((chart) => chart === query.get("lineage_chart")) ?? "coordinates",
    onlyDiffering: query.get("differing") !== "no",
    scalars: listed("scalar") ?? [],
    axes:
      listed("dimension")
        ?.filter((text) => text.includes(":"))
        .map(axisOf) ?? null,
    color: query.get("colored_by"),
    x: query.get("on_x"),
    y: query.get("on_y"),
    size: query.get("sized_by"),
    pair: pair.length === 2 ? [pair[0]!, pair[1]!] : null,
  };
}
