// SPDX-License-Identifier: Apache-2.0
import type { Schemas } from "../messages/message";
import type { ChartPart, ChartPlan, TagHolder } from "./chartPlan";

type Layout = Schemas["LayoutsAnswer"];
type LayoutChart = Schemas["LayoutChartEntry"];

/** Charts of a category of a recorded layout. */
export interface LayoutSection {
  key: string;
  title: string;
  isClosed: boolean;
  plans: readonly ChartPlan[];
}

/** The charts of a layout over the tags that are shown, category by category. */
export function layoutSections({ categories }: Layout, tags: readonly TagHolder[]): LayoutSection[] {
  const holders = new Map(tags.map(({ tag, runs }) => [tag, runs] as const));
  return categories.map(({ title, closed, charts }) => ({
    key: `layout/${title}`,
    title,
    isClosed: closed,
    plans: charts.map((chart, index) => {
      const number = charts.slice(0, index).filter((one) => one.title === chart.title).length;
      const key = JSON.stringify({ category: title, chart: chart.title, ...(number > 0 ? { number } : {}) });
      return planOfLayout(key, chart, holders);
    }),
  }));
}

function planOfLayout(
  key: string,
  { title, tags, margins, unusable }: LayoutChart,
  holders: ReadonlyMap<string, readonly string[]>,
): ChartPlan {
  const runsOf = (tag: string): readonly string[] => holders.get(tag) ?? [];
  const names = [...new Set([...tags, ...margins.map(({ value }) => value)])];
  const bounds = margins.flatMap(({ value, lower, upper }) => [lower, upper].map((name) => ({ name, value })));
  return {
    key,
    title,
    parts: names.map((name) => ({ name, runs: runsOf(name) })),
    layout: {
      margins,
      bounds: bounds.map(({ name, value }) => ({ name, runs: commonRuns(runsOf(name), runsOf(value)) })),
      unbounded: bounds.flatMap(({ name, value }) => (runsOf(value).every((run) => runsOf(name).includes(run)) ? [] : [name])),
      unusable,
    },
  };
}

function commonRuns(some: readonly string[], others: readonly string[]): string[] {
  return some.filter((run) => others.includes(run));
}

/** The lines of the bounds of a chart, in the runs that it shows. */
export function boundParts({ parts, layout }: ChartPlan): ChartPart[] {
  const shown = new Set(parts.flatMap(({ runs }) => runs));
  return (layout?.bounds ?? []).map(({ name, runs }) => ({ name, runs: runs.filter((run) => shown.has(run)) }));
}

/** The sections whose charts match: by their title, or by one of their tags. */
export function matchingSections(sections: readonly LayoutSection[], matches: (text: string) => boolean): LayoutSection[] {
  const holds = ({ title, parts }: ChartPlan): boolean => matches(title) || parts.some(({ name }) => matches(name));
  return sections.map((section) => ({ ...section, plans: section.plans.filter(holds) })).filter(({ plans }) => plans.length > 0);
}
