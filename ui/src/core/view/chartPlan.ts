// SPDX-License-Identifier: Apache-2.0
import type { RunGroup } from "../runs/runGroups";
import { measureOf } from "../series/tagSplits";

/** One kind of line of a chart: a tag, or a formula over tags that begins with "=". */
export interface ChartPart {
  name: string;
  runs: readonly string[];
}

/** What one chart shows. */
export interface ChartPlan {
  /** The tag of a plain chart; other charts are keyed by their parts. Settings and zoom are of a key, so facets share them. */
  key: string;
  title: string;
  parts: readonly ChartPart[];
  /** The value of the runs of the chart, where there is one chart for each value; absent where one chart has all runs. */
  facet?: string;
  /** Of a chart of a recorded layout, whose lines share an axis. */
  layout?: LayoutFacts;
}

/** What a chart of a recorded layout shows beside lines. */
export interface LayoutFacts {
  /** Tags of lines and of the bounds of the bands around them. */
  margins: readonly { value: string; lower: string; upper: string }[];
  /** Tags of bounds, and the runs that hold them and their value. */
  bounds: readonly ChartPart[];
  /** Tags of bounds that a run with the value does not hold. */
  unbounded: readonly string[];
  /** Patterns that can't be searched with, and why. */
  unusable: readonly { pattern: string; detail: string }[];
}

/** A tag and the runs that hold it. */
export interface TagHolder {
  tag: string;
  runs: readonly string[];
}

export const FORMULA_SIGN = "=";

export function isFormula(name: string): boolean {
  return name.startsWith(FORMULA_SIGN);
}

export function planOfTag({ tag, runs }: TagHolder): ChartPlan {
  return { key: tag, title: tag, parts: [{ name: tag, runs }] };
}

export function keyOfParts(names: readonly string[]): string {
  return JSON.stringify(names);
}

/** A composed chart over the tags that are shown. A formula is tried in every run that holds any tag named in it; one that names none, in the first run, which says why. */
export function planOfParts(names: readonly string[], tags: readonly TagHolder[]): ChartPlan {
  const parts = names.map((name) => ({
    name,
    runs: isFormula(name) ? runsOfFormula(name, tags) : (tags.find(({ tag }) => tag === name)?.runs ?? []),
  }));
  return { key: keyOfParts(names), title: names.map(partTitle).join(" · "), parts };
}

/** The charts of a plan, one for each facet that has any of its runs. */
export function facetPlans(plan: ChartPlan, facets: readonly RunGroup[] | null): ChartPlan[] {
  if (facets === null) return [plan];
  return facets.flatMap(({ key, runs }) => {
    const members = new Set(runs);
    const parts = plan.parts.map((part) => ({ ...part, runs: part.runs.filter((run) => members.has(run)) }));
    return parts.some((part) => part.runs.length > 0) ? [{ ...plan, title: `${plan.title} · ${key}`, parts, facet: key }] : [];
  });
}

/** Unique among the charts of a page, facets included. */
export function cardKey({ key, facet }: ChartPlan): string {
  return facet === undefined ? key : `${key} · ${facet}`;
}

/** The parts that a key of a composed chart names; null for any other text. */
export function partsOfKey(key: string): string[] | null {
  if (!key.startsWith("[")) return null;
  try {
    const parts: unknown = JSON.parse(key);
    return Array.isArray(parts) && parts.length > 0 && parts.every((part) => typeof part === "string") ? parts : null;
  } catch {
    return null;
  }
}

export function partTitle(name: string): string {
  return isFormula(name) ? name.slice(1).trim() : name;
}

/** Which vertical axes the parts of a chart have: one, their own, or by null one for parts that measure the same. */
export type AxisSharing = "one" | "own" | null;

/** The vertical axis of each part, from 0. */
export function axisNumbers(names: readonly string[], sharing: AxisSharing): number[] {
  if (sharing === "own") return names.map((_, index) => index);
  if (sharing === "one") return names.map(() => 0);
  const measures = names.map((name) => (isFormula(name) ? name : measureOf(name)));
  const different = [...new Set(measures)];
  return measures.map((measure) => different.indexOf(measure));
}

/** Parts that no shown run holds, in words. */
export function unheldParts({ parts }: ChartPlan): string[] {
  return parts.filter(({ runs }) => runs.length === 0).map(({ name }) => partTitle(name));
}

function runsOfFormula(formula: string, tags: readonly TagHolder[]): string[] {
  const named = tags.filter(({ tag }) => formula.includes(tag));
  if (named.length === 0) return tags[0]?.runs.slice(0, 1) ?? [];
  return [...new Set(named.flatMap(({ runs }) => runs))];
}
