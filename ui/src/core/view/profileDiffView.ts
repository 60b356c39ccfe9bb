// SPDX-License-Identifier: Apache-2.0
import { treeKeysOf } from "./treeKeys";
import type { Filter } from "../text/textFilter";
import type { ProfileKey } from "./profileKey";
import { wholeNumber } from "./queryValues";

export const COMPARED = ["calls", "operators", "kernels"] as const;
export type Compared = (typeof COMPARED)[number];

export const CHANGE_STATES = ["all", "changed", "added", "gone", "slower", "faster"] as const;
export type ChangeFilter = (typeof CHANGE_STATES)[number];

/** Numbers of the first and the last step. */
export type StepNumbers = readonly [number, number];

/** With what a profile is compared, and how that is shown. */
export interface ProfileDiffView {
  /** Null for the profile that was written before. */
  baseline: ProfileKey | null;
  /** Null for all steps. */
  baselineSteps: StepNumbers | null;
  steps: StepNumbers | null;
  table: Compared;
  filter: Filter;
  state: ChangeFilter;
  /** Column, and whether the largest is first; null for the largest change. */
  sort: { key: string; isDescending: boolean } | null;
  /** Keys of calls that are open or closed otherwise than at first. */
  turned: readonly string[];
}

export function defaultProfileDiffView(): ProfileDiffView {
  return {
    baseline: null,
    baselineSteps: null,
    steps: null,
    table: "calls",
    filter: { text: "", isRegex: false },
    state: "changed",
    sort: null,
    turned: [],
  };
}

export function describeProfileDiff(view: ProfileDiffView, query: URLSearchParams): void {
  const usual = defaultProfileDiffView();
  if (view.baseline) query.append("baseline_profile", JSON.stringify([view.baseline.run, view.baseline.profile]));
  if (view.baselineSteps) query.append("baseline_steps", view.baselineSteps.join("~"));
  if (view.steps) query.append("compared_steps", view.steps.join("~"));
  if (view.table !== usual.table) query.append("compared", view.table);
  if (view.filter.text !== "") query.append(view.filter.isRegex ? "compared_regex" : "compared_filter", view.filter.text);
  if (view.state !== usual.state) query.append("compared_state", view.state);
  if (view.sort) query.append("compared_sort", `${view.sort.isDescending ? "-" : ""}${view.sort.key}`);
  if (view.turned.length > 0) query.append("calls_turned", view.turned.join("."));
}

export function profileDiffViewOf(query: URLSearchParams, baseline: ProfileKey | null): ProfileDiffView {
  const usual = defaultProfileDiffView();
  const regex = query.get("compared_regex");
  const sort = /^(-?)([a-z_]+)$/.exec(query.get("compared_sort") ?? "");
  return {
    baseline,
    baselineSteps: stepsOf(query.get("baseline_steps")),
    steps: stepsOf(query.get("compared_steps")),
    table: COMPARED.find((table) => table === query.get("compared")) ?? usual.table,
    filter: regex === null ? { text: query.get("compared_filter") ?? "", isRegex: false } : { text: regex, isRegex: true },
    state: CHANGE_STATES.find((state) => state === query.get("compared_state")) ?? usual.state,
    sort: sort ? { key: sort[2]!, isDescending: sort[1] === "-" } : null,
    turned: treeKeysOf(query.get("calls_turned")),
  };
}

function stepsOf(text: string | null): StepNumbers | null {
  const [first, last] = (text ?? "").split("~").map(wholeNumber);
  return first != null && last != null && first <= last ? [first, last] : null;
}
