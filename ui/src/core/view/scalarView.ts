// SPDX-License-Identifier: Apache-2.0
import { TOP_BY } from "../series/topCurves";
import { OVERRIDES } from "./chartSettings";
import type { InclusionSet } from "./inclusionSet";
import {
  dictionary,
  fields,
  flag,
  integer,
  list,
  oneOf,
  optional,
  param,
  text,
  unique,
  type Codec,
  type Param,
  type ValueOf,
} from "./schema";

/** How smoothing looks back: by the weight of the slider, a half-life on an axis, or the median of some points. */
export type Smoother = "weight" | "half_life_steps" | "half_life_seconds" | "median";

export const SMOOTHERS: readonly Smoother[] = ["weight", "half_life_steps", "half_life_seconds", "median"];
export const RAW_AS = ["auto", "line", "band"] as const;
export const DEFAULT_REACH = 10;
const DEFAULT_TOP = 10;
export const MOST_TOP = 30;

/** The name of a smoother is the name of its reach. */
const SMOOTHER: Param<Smoother> = {
  defaultValue: "weight",
  read: (query) => SMOOTHERS.find((one) => one !== "weight" && positive(query.get(one)) !== null) ?? "weight",
  write: (value, query) => {
    if (value !== "weight") query.append(value, String(DEFAULT_REACH));
  },
};

const REACH: Param<number> = {
  defaultValue: DEFAULT_REACH,
  read: (query) => positive(query.get(SMOOTHER.read(query))) ?? DEFAULT_REACH,
  write: (value, query) => {
    const smoother = SMOOTHER.read(query);
    if (smoother !== "weight") query.set(smoother, String(value));
  },
};

const TAGS: Param<InclusionSet | null> = {
  defaultValue: null,
  read: (query) => {
    const only = unique(query.getAll("only"));
    if (only.length > 0 || query.get("tags") === "none") return { base: "none", except: only };
    const hidden = unique(query.getAll("hide"));
    return hidden.length > 0 ? { base: "all", except: hidden } : null;
  },
  write: (tags, query) => {
    if (tags?.base === "none" && tags.except.length === 0) query.append("tags", "none");
    for (const tag of tags?.except ?? []) query.append(tags?.base === "all" ? "hide" : "only", tag);
  },
};

const OUTLIERS: Codec<boolean> = {
  read: (word) => (word === "mark" ? true : word === "keep" ? false : null),
  write: (isIgnored) => (isIgnored ? "mark" : "keep"),
};

const OFFSET: Codec<readonly [string, number]> = {
  read: (pair) => {
    const comma = pair.indexOf(",");
    const offset = Number(pair.slice(0, comma));
    return comma > 0 && Number.isFinite(offset) && offset !== 0 ? [pair.slice(comma + 1), offset] : null;
  },
  write: ([run, offset]) => `${offset},${run}`,
};

const COMPOSED: Codec<readonly string[]> = {
  read: (json) => {
    try {
      const parts: unknown = JSON.parse(json);
      const isParts = Array.isArray(parts) && parts.length > 0 && parts.every((part) => typeof part === "string" && part !== "");
      return isParts ? unique(parts as string[]) : null;
    } catch {
      return null;
    }
  },
  write: (parts) => JSON.stringify(parts),
};

const TOP: Codec<number> = {
  read: (count) => {
    const number = integer.read(count);
    return number === null ? null : Math.min(MOST_TOP, number);
  },
  write: String,
};

/** Settings of the scalar charts. */
export const SCALAR_VIEW = fields({
  isLogX: flag("x", "log"),
  /** Tag whose values are the x-axis; null for steps or time. */
  xTag: optional("x_tag", text),
  smoother: SMOOTHER,
  /** Half-life in its unit, or number of points of the median. The weight is kept elsewhere. */
  reach: REACH,
  /** Raw values of a smoothed curve: as a faint line, an area, or an area where they are dense. */
  rawAs: param("raw", oneOf(RAW_AS), "auto"),
  /** Null ignores them where a curve would else be flat. */
  ignoresOutliers: optional("outliers", OUTLIERS),
  /** Values at the cursor below every chart. */
  hasTables: flag("value_tables", "all"),
  /** What single charts show otherwise. */
  own: OVERRIDES,
  /** Points too that a restart or a later point of the same step hides. */
  showsHidden: flag("points", "all"),
  /** A zoom along the horizontal axis and the cursor go for all charts. */
  isLinked: flag("linked", "off", true),
  /** Every run begins at 0. */
  alignsStarts: flag("align", "start"),
  /** How far runs are moved along the axis, in its unit. */
  offsets: dictionary("offset", OFFSET),
  /** Tags chosen one by one; null shows all that match the filter. */
  tags: TAGS,
  /** Step that the full chart points at, where an alert led there; null for none. */
  markedStep: optional("at", integer),
  /** Which curves of a chart of many are lines of their own, and how many. */
  topBy: param("top_by", oneOf(TOP_BY), "auto"),
  topCount: param("top", TOP, DEFAULT_TOP),
  /** Runs that stay highlighted. */
  focus: list("focus", text),
  /** The charts of the recorded layout rather than one for each tag. */
  isLayout: flag("layout", "custom"),
  /** Charts that a person composed: each a list of tags, or of formulas that begin with "=". */
  composed: list("chart", COMPOSED),
});
export type ScalarView = ValueOf<typeof SCALAR_VIEW>;

function positive(number: string | null): number | null {
  const value = Number(number ?? NaN);
  return Number.isFinite(value) && value > 0 ? value : null;
}
