// SPDX-License-Identifier: Apache-2.0
import { isAxis, type Axis } from "../scales/axis";
import type { AxisSharing } from "./chartPlan";
import type { Param } from "./schema";

/** What one chart shows otherwise than the page; null as the page. */
export interface ChartOverrides {
  axis: Axis | null;
  /** Weight of the average. */
  smoothing: number | null;
  ignoresOutliers: boolean | null;
  /** Of a composed chart. */
  yAxes: AxisSharing;
}

export type OverridesByChart = ReadonlyMap<string, ChartOverrides>;

export const AS_PAGE: ChartOverrides = { axis: null, smoothing: null, ignoresOutliers: null, yAxes: null };

const OUTLIERS: Readonly<Record<string, boolean>> = { ignore: true, keep: false };

/** One text for each chart: axis, smoothing, outliers, and its key; one for its vertical axes. */
export const OVERRIDES: Param<OverridesByChart> = {
  defaultValue: new Map(),
  read: (query) => {
    const axes = new Map(query.getAll("y_axes").flatMap(axesEntry));
    const pairs = query.getAll("own").flatMap((text) => {
      const [axis = "", smoothing = "", outliers = "", ...key] = text.split(",");
      const weight = smoothing === "" ? NaN : Number(smoothing);
      const own = {
        axis: isAxis(axis) ? axis : null,
        smoothing: weight >= 0 && weight < 1 ? weight : null,
        ignoresOutliers: OUTLIERS[outliers] ?? null,
        yAxes: null,
      };
      return key.length === 0 || isAsPage(own) ? [] : [[key.join(","), own] as const];
    });
    const own = new Map<string, ChartOverrides>(pairs);
    for (const [key, yAxes] of axes) own.set(key, { ...(own.get(key) ?? AS_PAGE), yAxes });
    return own;
  },
  write: (own, query) => {
    for (const [key, { axis, smoothing, ignoresOutliers, yAxes }] of [...own].sort(([one], [other]) => (one < other ? -1 : 1))) {
      if (yAxes !== null) query.append("y_axes", `${yAxes},${key}`);
      if (axis === null && smoothing === null && ignoresOutliers === null) continue;
      const outliers = Object.keys(OUTLIERS).find((name) => OUTLIERS[name] === ignoresOutliers) ?? "";
      query.append("own", [axis ?? "", smoothing ?? "", outliers, key].join(","));
    }
  },
};

function axesEntry(text: string): [string, "one" | "own"][] {
  const [sharing, key] = [text.slice(0, 3), text.slice(4)];
  return text[3] === "," && key !== "" && (sharing === "one" || sharing === "own") ? [[key, sharing]] : [];
}

/** The settings of all charts with those of one changed. */
export function withOverrides(own: OverridesByChart, key: string, change: Partial<ChartOverrides>): OverridesByChart {
  const next = { ...(own.get(key) ?? AS_PAGE), ...change };
  const others = [...own].filter(([other]) => other !== key);
  return new Map(isAsPage(next) ? others : [...others, [key, next]]);
}

function isAsPage({ axis, smoothing, ignoresOutliers, yAxes }: ChartOverrides): boolean {
  return axis === null && smoothing === null && ignoresOutliers === null && yAxes === null;
}
