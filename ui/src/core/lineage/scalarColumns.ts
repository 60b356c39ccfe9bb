// SPDX-License-Identifier: Apache-2.0
/** Columns of the lineage table that are statistics of a scalar, and the scalar that says most about a training. */
import { compareNames } from "../text/naturalSort";

export type ScalarStatistic = "last" | "min" | "max" | "min_step" | "max_step" | "mean";

/** A tag of scalars, and how many runs have it. */
export interface TagCount {
  tag: string;
  count: number;
}

const COLUMN = /^scalar\/(.+):(?:last|min|max|min_step|max_step|mean)$/s;

export function scalarColumn(tag: string, statistic: ScalarStatistic): string {
  return `scalar/${tag}:${statistic}`;
}

/** The tag of a column; null for a column of another group. */
export function tagOfColumn(id: string): string | null {
  return COLUMN.exec(id)?.[1] ?? null;
}

/** The pattern that matches this tag only: `*`, `?` and `[` mean themselves. */
export function tagPattern(tag: string): string {
  return tag.replace(/[*?[]/g, "[$&]");
}

/** Where a name changes from lower to upper case, a word begins. */
const CAMEL = /(?<=[a-z0-9])(?=[A-Z])/g;
const word = (words: string): RegExp => new RegExp(`(?:^|[^a-z])(?:${words})(?:$|[^a-z])`);
const HELD_OUT = word("val|valid|validation|eval|evaluation|test|dev");
const SCORE = word("acc|accuracy|f1|auc|auroc|map|iou|miou|bleu|rouge|score|reward|return|top ?[15]");
const LOSS = word("loss|nll|perplexity|ppl|error|err|wer|cer|mse|mae|rmse");

/** The tag of the best known result: of held-out data, then a loss, then another score; null without one. */
export function proposedTag(tags: readonly TagCount[]): string | null {
  const most = tags.reduce((count, one) => Math.max(count, one.count), 0);
  const usable = tags.filter(({ tag, count }) => count >= most / 2 && rankOf(tag) !== null);
  const order = (one: TagCount, other: TagCount): number =>
    rankOf(one.tag)! - rankOf(other.tag)! ||
    other.count - one.count ||
    one.tag.length - other.tag.length ||
    compareNames(one.tag, other.tag);
  return [...usable].sort(order)[0]?.tag ?? null;
}

/** The tags whose curves may lead to a metric: that of its name, else those of held-out data that name it, shortest first. */
export function tagsOfMetric(metric: string, tags: readonly string[]): string[] {
  if (tags.includes(metric)) return [metric];
  const name = ` ${wordsOf(metric)} `;
  const named = tags.filter((tag) => ` ${wordsOf(tag)} `.includes(name) && HELD_OUT.test(wordsOf(tag)));
  return named.sort((one, other) => one.length - other.length || compareNames(one, other));
}

/** Lower-case words with one space between them. */
function wordsOf(name: string): string {
  const words = name.replace(CAMEL, " ").toLowerCase();
  return words
    .split(/[^\p{L}\p{N}]+/u)
    .join(" ")
    .trim();
}

function rankOf(tag: string): number | null {
  const words = tag.replace(CAMEL, " ").toLowerCase().replaceAll("_", " ");
  const [isScore, isLoss] = [SCORE.test(words), LOSS.test(words)];
  if (HELD_OUT.test(words) && (isScore || isLoss)) return isScore ? 0 : 1;
  return isLoss ? 2 : isScore ? 3 : null;
}
