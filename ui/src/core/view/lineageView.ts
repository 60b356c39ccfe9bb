// SPDX-License-Identifier: Apache-2.0
import type { ScaleKind } from "../lineage/column";
import { fields, filled, flag, list, oneOf, optional, optionalList, param, text, type Codec, type Param, type ValueOf } from "./schema";

export const LINEAGE_CHARTS = ["none", "coordinates", "scatter", "importance", "heat"] as const;
export type LineageChart = (typeof LINEAGE_CHARTS)[number];

const CHART: Codec<LineageChart> = {
  /** Distributions are beside the scatter plot. */
  read: (name) => oneOf(LINEAGE_CHARTS).read(name === "distribution" ? "scatter" : name),
  write: (chart) => chart,
};

const AXIS_SCALES: readonly ScaleKind[] = ["linear", "log", "category"];

/** An axis of the parallel coordinates; a null scale is the suggested one. */
export interface AxisChoice {
  column: string;
  scale: ScaleKind | null;
  isTurned: boolean;
}

const AXIS: Codec<AxisChoice> = {
  read: (axis) => {
    if (!axis.includes(":")) return null;
    const words = axis.slice(0, axis.indexOf(":")).split(",");
    return {
      column: axis.slice(axis.indexOf(":") + 1),
      scale: AXIS_SCALES.find((scale) => words.includes(scale)) ?? null,
      isTurned: words.includes("turned"),
    };
  },
  write: ({ column, scale, isTurned }) => `${[scale, isTurned ? "turned" : null].filter((word) => word !== null).join(",")}:${column}`,
};

const PAIR: Param<readonly [string, string] | null> = {
  defaultValue: null,
  read: (query) => {
    const runs = query.getAll("pair");
    return runs.length === 2 ? [runs[0]!, runs[1]!] : null;
  },
  write: (runs, query) => runs?.forEach((run) => query.append("pair", run)),
};

/** The main metric of the table of runs, and the charts above it. Columns are named by their ids. */
export const LINEAGE_VIEW = fields({
  /** Null for the remembered one. */
  target: optional("target", text),
  chart: param("lineage_chart", CHART, "none"),
  /** Columns in which all runs agree are hidden. */
  onlyDiffering: flag("differing", "no", true),
  /** Patterns of scalars that become columns. */
  scalars: list("scalar", filled),
  /** Null for the proposed ones. */
  axes: optionalList("dimension", AXIS),
  /** The column of the colors; null for the target, "run" for a color of its own for each run. */
  color: optional("colored_by", text),
  x: optional("on_x", text),
  y: optional("on_y", text),
  size: optional("sized_by", text),
  /** Two runs that are compared field by field. */
  pair: PAIR,
});
export type LineageView = ValueOf<typeof LINEAGE_VIEW>;
