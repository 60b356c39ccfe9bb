// SPDX-License-Identifier: Apache-2.0
import { isAxis, type Axis } from "../scales/axis";
import { NO_LIMITS, type Limits } from "../series/curve";
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
  /** Ends of the (first) vertical axis. */
  limits: Limits;
  /** "" for what the chart says by itself. */
  title: string;
  xTitle: string;
  yTitle: string;
  /** Values at the cursor below the chart. */
  hasTable: boolean | null;
}

export type OverridesByChart = ReadonlyMap<string, ChartOverrides>;

export const AS_PAGE: ChartOverrides = {
  axis: null,
  smoothing: null,
  ignoresOutliers: null,
  yAxes: null,
  hasTable: null,
  limits: NO_LIMITS,
  title: "",
  xTitle: "",
  yTitle: "",
};

const OUTLIERS: Readonly<Record<string, boolean>> = { ignore: true, keep: false };

/** One text for each chart: axis, smoothing, outliers, and its key; one for its vertical axes, one for its table, one for ends and titles. */
export const OVERRIDES: Param<OverridesByChart> = {
  defaultValue: new Map(),
  read: (query) => {
    const pairs = query.getAll("own").flatMap((text) => {
      const [axis = "", smoothing = "", outliers = "", ...key] = text.split(",");
      const weight = smoothing === "" ? NaN : Number(smoothing);
      const own = {
        ...AS_PAGE,
        axis: isAxis(axis) ? axis : null,
        smoothing: weight >= 0 && weight < 1 ? weight : null,
        ignoresOutliers: OUTLIERS[outliers] ?? null,
      };
      return key.length === 0 || isAsPage(own) ? [] : [[key.join(","), own] as const];
    });
    const own = new Map<string, ChartOverrides>(pairs);
    for (const [yAxes, key] of entries(query, "y_axes", ["one", "own"])) own.set(key, { ...(own.get(key) ?? AS_PAGE), yAxes });
    for (const [word, key] of entries(query, "value_table", ["on", "off"]))
      own.set(key, { ...(own.get(key) ?? AS_PAGE), hasTable: word === "on" });
    for (const [key, look] of query.getAll("look").flatMap(lookEntry)) own.set(key, { ...(own.get(key) ?? AS_PAGE), ...look });
    return own;
  },
  write: (own, query) => {
    for (const [key, chart] of [...own].sort(([one], [other]) => (one < other ? -1 : 1))) {
      const { axis, smoothing, ignoresOutliers, yAxes, hasTable, ...look } = chart;
      if (yAxes !== null) query.append("y_axes", `${yAxes},${key}`);
      if (hasTable !== null) query.append("value_table", `${hasTable ? "on" : "off"},${key}`);
      if (!isPlain(look)) query.append("look", JSON.stringify([key, ...look.limits, look.title, look.xTitle, look.yTitle]));
      if (axis === null && smoothing === null && ignoresOutliers === null) continue;
      const outliers = Object.keys(OUTLIERS).find((name) => OUTLIERS[name] === ignoresOutliers) ?? "";
      query.append("own", [axis ?? "", smoothing ?? "", outliers, key].join(","));
    }
  },
};

/** A word for each chart, as in `one,loss`. */
function entries<Word extends string>(query: URLSearchParams, name: string, words: readonly Word[]): [Word, string][] {
  return query.getAll(name).flatMap((text) => {
    const word = words.find((one) => text.startsWith(`${one},`));
    const key = text.slice((word?.length ?? 0) + 1);
    return word === undefined || key === "" ? [] : [[word, key]];
  });
}

type ChartLook = Pick<ChartOverrides, "limits" | "title" | "xTitle" | "yTitle">;

function lookEntry(json: string): [string, ChartLook][] {
  const [key, low, high, title, xTitle, yTitle] = partsOf(json);
  if (typeof key !== "string" || key === "") return [];
  const text = (part: unknown): string => (typeof part === "string" ? part : "");
  const number = (part: unknown): number | null => (typeof part === "number" && Number.isFinite(part) ? part : null);
  const look = { limits: [number(low), number(high)] as const, title: text(title), xTitle: text(xTitle), yTitle: text(yTitle) };
  return isPlain(look) ? [] : [[key, look]];
}

function partsOf(json: string): readonly unknown[] {
  try {
    const parts: unknown = JSON.parse(json);
    return Array.isArray(parts) ? parts : [];
  } catch {
    return [];
  }
}

function isPlain({ limits, title, xTitle, yTitle }: ChartLook): boolean {
  return limits.every((limit) => limit === null) && title + xTitle + yTitle === "";
}

/** The settings of all charts with those of one changed. */
export function withOverrides(own: OverridesByChart, key: string, change: Partial<ChartOverrides>): OverridesByChart {
  const next = { ...(own.get(key) ?? AS_PAGE), ...change };
  const others = [...own].filter(([other]) => other !== key);
  return new Map(isAsPage(next) ? others : [...others, [key, next]]);
}

function isAsPage({ limits, title, xTitle, yTitle, ...others }: ChartOverrides): boolean {
  return isPlain({ limits, title, xTitle, yTitle }) && Object.values(others).every((value) => value === null);
}
