// SPDX-License-Identifier: Apache-2.0
import { nanSteps } from "../../core/series/nanSteps";
import type { Series } from "../../core/series/series";
import { groupDigits } from "../../core/text/format";
import { t } from "../../i18n/i18n.svelte";

/** Lines that a title names: more would fill the screen. */
const MOST = 12;

/** Where whole lines of a chart are NaN, in words: from which step on, or how many values where numbers lie between them. */
export function nanText(series: readonly Series[]): string {
  const some = series.filter(({ nan }) => nan > 0);
  const steps = some.map(nanSteps);
  if (steps.length === 1) return lineText(some[0]!);
  const isEach = steps.every((one) => one?.last === null);
  return isEach ? t("card.nan_from", { first: groupDigits(Math.min(...steps.map((one) => one!.first))) }) : countText(some);
}

/** The same of each line. */
export function nanTitle(series: readonly Series[]): string {
  const some = series.filter(({ nan }) => nan > 0);
  const lines = some.slice(0, MOST).map((one) => t("card.nan_run", { run: one.run, steps: lineText(one) }));
  const rest = some.length > MOST ? [t("card.more_runs", { n: some.length - MOST })] : [];
  return [t("card.nan_title"), ...lines, ...rest].join("\n");
}

function lineText(one: Series): string {
  const steps = nanSteps(one);
  if (steps === null) return countText([one]);
  const [first, last] = [groupDigits(steps.first), groupDigits(steps.last ?? 0)];
  if (steps.last === null) return t("card.nan_from", { first });
  return steps.last === steps.first ? t("card.nan_at", { first }) : t("card.nan_between", { first, last });
}

function countText(series: readonly Series[]): string {
  return t("card.nan", { n: groupDigits(series.reduce((sum, { nan }) => sum + nan, 0)) });
}
