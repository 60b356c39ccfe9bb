// SPDX-License-Identifier: Apache-2.0
import { groupDigits } from "../../../core/text/format";
import type { CardContent, TableRow } from "../../../export/html/model";
import { t } from "../../../i18n/i18n.svelte";
import { debugFirstBad, debugSources, type DebugFirstBadAnswer, type DebugSource } from "../../../state/data/debugger";
import { readOnce } from "../../../state/requests/resourceCache";
import type { SavedPreview } from "../../previews/kind";
import "../debugWords"; // its texts
import { firstBadHead } from "../firstBad/firstBadWords";

/** A search in more tensors is left to the page. */
const MOST_TENSORS = 1_000_000;

/** How many steps the longest rank of a source has. */
export function stepCount({ ranks }: DebugSource): number {
  return ranks.reduce((most, { steps }) => Math.max(most, steps), 0);
}

/** Whether a preview searches a source for its first bad number. */
export function isSearched(source: DebugSource): boolean {
  return source.tensors * stepCount(source) * source.ranks.length <= MOST_TENSORS;
}

/** What a source holds, in words. */
export function sourceFigures(source: DebugSource): [name: string, text: string][] {
  const ranks: [string, string][] = source.ranks.length > 1 ? [[t("debug.preview_ranks"), groupDigits(source.ranks.length)]] : [];
  return [[t("debug.preview_tensors"), groupDigits(source.tensors)], [t("debug.preview_steps"), groupDigits(stepCount(source))], ...ranks];
}

/** The first bad number of a source, or that there is none, or how far it was searched. */
export function verdictText(
  { ranks }: DebugSource,
  { found, is_complete: isComplete, read_steps: read, steps }: DebugFirstBadAnswer,
): string {
  if (found) return firstBadHead(found, ranks.length > 1, t);
  return isComplete ? t("debug.bad_none") : t("debug.bad_searching", { read: groupDigits(read), n: groupDigits(steps) });
}

export const saved: SavedPreview = async ({ run }, signal): Promise<CardContent> => {
  const list = await readOnce(debugSources, { runs: [run] }, signal);
  const [source, ...others] = list.sources.filter((each) => each.run === run);
  if (!source) return { facts: list.unlisted.length > 0 ? [t("debug.preview_unreadable")] : [], parts: [] };
  const answer = isSearched(source) ? await readOnce(debugFirstBad, { run, source: source.source }, signal) : null;
  const columns = ["", ""].map((title) => ({ title, isNumber: false }));
  const rows = sourceFigures(source).map((figure): TableRow => ({ color: null, cells: figure.map((text) => ({ text, value: text })) }));
  return {
    facts: [
      source.format,
      ...(answer ? [verdictText(source, answer)] : []),
      ...(others.length > 0 ? [t("debug.preview_more", { n: others.length })] : []),
    ],
    parts: [{ kind: "table", label: t("nav.debugger"), columns, rows }],
  };
};
