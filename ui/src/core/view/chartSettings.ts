// SPDX-License-Identifier: Apache-2.0
import { isAxis, type Axis } from "../scales/axis";

/** What one chart shows otherwise than the page; null as the page. */
export interface ChartOverrides {
  axis: Axis | null;
  /** Weight of the average. */
  smoothing: number | null;
  ignoresOutliers: boolean | null;
}

export type OverridesByChart = ReadonlyMap<string, ChartOverrides>;

export const AS_PAGE: ChartOverrides = { axis: null, smoothing: null, ignoresOutliers: null };

const OUTLIERS: Readonly<Record<string, boolean>> = { ignore: true, keep: false };

/** One text for each chart: axis, smoothing, outliers, and its key. */
export function describeOverrides(own: OverridesByChart, query: URLSearchParams): void {
  for (const [key, { axis, smoothing, ignoresOutliers }] of own) {
    const outliers = Object.keys(OUTLIERS).find((name) => OUTLIERS[name] === ignoresOutliers) ?? "";
    query.append("own", [axis ?? "", smoothing ?? "", outliers, key].join(","));
  }
}

/** Never fails: what a link says wrongly is as if it said nothing. */
export function overridesOf(texts: readonly string[]): OverridesByChart {
  const pairs = texts.flatMap((text) => {
    const [axis = "", smoothing = "", outliers = "", ...key] = text.split(",");
    const weight = smoothing === "" ? NaN : Number(smoothing);
    const own = {
      axis: isAxis(axis) ? axis : null,
      smoothing: weight >= 0 && weight < 1 ? weight : null,
      ignoresOutliers: OUTLIERS[outliers] ?? null,
    };
    return key.length === 0 || isAsPage(own) ? [] : [[key.join(","), own] as const];
  });
  return new Map(pairs);
}

/** The settings of all charts with those of one changed. */
export function withOverrides(own: OverridesByChart, key: string, change: Partial<ChartOverrides>): OverridesByChart {
  const next = { ...(own.get(key) ?? AS_PAGE), ...change };
  const others = [...own].filter(([other]) => other !== key);
  return new Map(isAsPage(next) ? others : [...others, [key, next]]);
}

function isAsPage({ axis, smoothing, ignoresOutliers }: ChartOverrides): boolean {
  return axis === null && smoothing === null && ignoresOutliers === null;
}
