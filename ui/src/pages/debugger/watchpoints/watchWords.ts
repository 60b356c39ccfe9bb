// SPDX-License-Identifier: Apache-2.0
import type { WatchParameter } from "../../../core/debugger/watchpointText";
import { formatValue, groupDigits } from "../../../core/text/format";
import { recommendationTexts } from "../../../i18n/en/recommendations";
import { watchpointTexts } from "../../../i18n/en/watchpoints";
import type { Values } from "../../../i18n/fill";
import { addEnglish, hasWords, type MessageKey } from "../../../i18n/i18n.svelte";
import type { DebugCondition, DebugConditions, DebugHit, DebugParameter, DebugWatchpoint } from "../../../state/data/debugger";
import "../debugWords"; // its texts

addEnglish(watchpointTexts);
addEnglish(recommendationTexts);

/** Says a message in the language of the page. */
type Say = (key: MessageKey, values?: Values) => string;

/** Figures of the statistics that show what a condition compares. */
const FIGURES: Readonly<Record<string, string>> = {
  ...{ abs_mean: "mean_abs", max: "max", min: "min", mean: "mean", max_min: "max_abs", range_percentage: "max_abs" },
  ...{ zero_percentage: "zero_share", abs_mean_update_ratio: "update_ratio" },
};

/** A limit as a user would write it. */
function limitText(value: number): string {
  return String(Number(value.toPrecision(6))).replaceAll("-", "−");
}

function worded(key: string, otherwise: string, say: Say): string {
  return hasWords(key) ? say(key) : otherwise;
}

/** The name of a condition or of a recommended watchpoint in words. */
export function watchName(name: string, say: Say): string {
  return worded(`watch.r_${name}`, worded(`watch.c_${name}`, name, say), say);
}

export function watchTitle({ recommendation, condition, text }: DebugWatchpoint, say: Say): string {
  return watchName(recommendation ?? (condition === "" ? text : condition), say);
}

/** A comparison without its value, or what else a parameter sets. */
export function parameterTitle({ name, statistic, comparison }: DebugParameter, say: Say): string {
  if (statistic === null) return worded(`watch.param_${name}`, name, say);
  return `${worded(`watch.stat_${statistic}`, statistic, say)} ${comparison === ">=" ? "≥" : comparison}`;
}

export function rangeText({ low, high, isLowExcluded }: WatchParameter, say: Say): string {
  if (low === null) return say("watch.range_any");
  if (high !== null) return say("watch.range_between", { low, high });
  return say(isLowExcluded ? "watch.range_above" : "watch.range_from", { low });
}

/** What a watchpoint compares, in words. */
export function settingsText(watchpoint: DebugWatchpoint, condition: DebugCondition | undefined, say: Say): string {
  const { settings, for_steps: steps, patterns } = watchpoint;
  if (!condition) return "";
  const compared = condition.parameters.filter(({ name, statistic }) => statistic !== null && settings[name] !== undefined);
  const limits = compared.map((each) => `${parameterTitle(each, say)} ${limitText(settings[each.name]!)}`);
  const [from, to] = [settings.range_start_inclusive, settings.range_end_inclusive];
  return [
    limits.length > 0 ? limits.join(say("watch.or")) : say(condition.parameters.length > 0 ? "watch.unchanged" : "watch.nan_or_inf"),
    ...(from === undefined || to === undefined ? [] : [say("watch.within", { from: limitText(from), to: limitText(to) })]),
    ...(condition.is_of_first_step ? [say("watch.first_step")] : []),
    ...(steps > 1 ? [say("watch.for_n", { n: groupDigits(steps) })] : []),
    ...(patterns.length > 0 ? [patterns.join(", ")] : []),
  ].join(" · ");
}

/** What is missing for tensors that could not be evaluated; empty where nothing is, as in the first step. */
export function unevaluatedTexts({ unevaluated }: DebugWatchpoint, say: Say): string[] {
  return unevaluated
    .filter(({ missing }) => missing.length > 0)
    .map(({ problems, missing, count, first_step: step }) => {
      const fields = missing.map((field) => worded(`watch.field_${field}`, field, say)).join(", ");
      const why = problems.map((problem) => worded(`watch.problem_${problem}`, problem, say)).join(", ");
      const values = { n: count, step: groupDigits(step), why: `${say("watch.missing", { fields })} (${why})` };
      return say("watch.unevaluated", values);
    });
}

/** The actual value beside its limit. */
export function hitTexts(hit: DebugHit, condition: DebugCondition | undefined, say: Say): { actual: string; limit: string } {
  const parameter = condition?.parameters.find(({ name }) => name === hit.parameter);
  if (!parameter) return { actual: say("watch.not_finite", { n: groupDigits(hit.actual ?? 0) }), limit: "–" };
  if (parameter.statistic === null) return { actual: say("watch.unchanged"), limit: "–" };
  const limit = `${parameterTitle(parameter, say)} ${limitText(hit.set_value ?? Number.NaN)}`;
  return { actual: hit.actual === null ? "±Inf" : formatValue(hit.actual), limit };
}

/** The figure of the statistics that shows what a hit compares. */
export function figureOfHit(hit: DebugHit, condition: DebugCondition | undefined): string {
  const parameter = condition?.parameters.find(({ name }) => name === hit.parameter);
  if (!parameter) return "non_finite";
  return FIGURES[parameter.statistic ?? "abs_mean_update_ratio"] ?? "max_abs";
}

/** The condition of a name, with its parameters as a form needs them, and the usual number of steps. */
export function formOf(
  { conditions, recommended }: DebugConditions,
  name: string,
): { condition: DebugCondition; parameters: WatchParameter[]; usualSteps: number } | null {
  const recommendation = recommended.find((each) => each.name === name);
  const condition = conditions.find(({ id }) => id === (recommendation?.condition ?? name));
  if (!condition) return null;
  const parameters = condition.parameters.map((each) => ({
    ...{ name: each.name, low: each.low, high: each.high, isLowExcluded: each.is_low_excluded },
    ...{ usual: recommendation?.settings[each.name] ?? each.default, isCompared: each.statistic !== null },
  }));
  return { condition, parameters, usualSteps: recommendation?.for_steps ?? 1 };
}
